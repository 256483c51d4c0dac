"""Limits that several files share: the room of a list, and the room for full texts at the start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ctxtui.agents.costs import Charge, Entry, Listing, Loss
from ctxtui.agents.listing import draft, fit
from ctxtui.agents.loading import Found
from ctxtui.agents.measure import Scales
from ctxtui.agents.types import AT_START, LISTED, Limit
from ctxtui.core.files.text import Lines
from ctxtui.core.markdown.span import Span


def list_entries(
    found: Sequence[Found], scales: Scales, window: int | None
) -> tuple[dict[int, Entry], tuple[Listing, ...]]:
    """The entries of loads, by position, and the lists, cut to the room that a window leaves them."""
    files = scales.files
    drafts = {
        place: draft(each.row, each.load.path, files, each.load.package)
        for place, each in enumerate(found)
        if _is_listed(each)
    }
    sharing: dict[Limit, list[int]] = {}
    for place in drafts:
        limit = found[place].row.limit("listing", "shorten", "names")
        if limit and found[place].load.moment in LISTED:
            sharing.setdefault(limit, []).append(place)
    listings = []
    for limit, places in sharing.items():
        lines, listing = fit([drafts[place] for place in places], limit, window)
        drafts.update(zip(places, lines, strict=True))
        listings.append(listing)
    scales.foresee(text for line in drafts.values() for text in line.texts())
    return {place: line.entry(scales.text) for place, line in drafts.items()}, tuple(listings)


def with_pointers(charges: Sequence[Charge], scales: Scales) -> list[Charge]:
    """The charges; if texts at the start share a limit, the largest are left out until the rest fits."""
    result = list(charges)
    sharing: dict[Limit, list[int]] = {}
    for place, charge in enumerate(charges):
        limit = charge.row.limit("start", "pointer")
        if limit and charge.moment in AT_START:
            sharing.setdefault(limit, []).append(place)
    for limit, places in sharing.items():
        tokens = {place: charges[place].tokens or 0 for place in places}
        total = sum(tokens.values())
        for place in sorted(places, key=lambda place: -tokens[place]):
            if total <= limit.max:
                break
            total -= tokens[place]
            result[place] = _pointer(charges[place], limit, scales.files.text(charges[place].path) or "")
    return result


def _is_listed(found: Found) -> bool:
    load, row = found
    if load.imported_by or not row.meta:
        return False
    return load.moment in LISTED or (load.moment == "touch" and row.kind == "skill")


def _pointer(charge: Charge, limit: Limit, text: str) -> Charge:
    kept = (Span(0, len(text)),) if charge.kept is None else charge.kept
    lines = Lines.of(text)
    # The stretches were counted together, so the first one carries the tokens of all.
    tokens = [charge.tokens or 0, *[0] * len(kept)]
    lost = [Loss(span, cost, lines.at(span.start) + 1, limit) for span, cost in zip(kept, tokens, strict=False)]
    reason = f"{charge.reason}; too large with the others, so only its path is given"
    return replace(charge, tokens=0, kept=(), lost=(*lost, *charge.lost), reason=reason)
