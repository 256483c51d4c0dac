"""Merges findings with one cause or in copies of one file, and keeps all their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ctxtui.audit.types import SEVERITIES, Finding, Place

# What these find is in the text, so that it is in every copy of a file.
_OF_TEXT = frozenset(
    "broken-import broken-link dead-glob frontmatter-rejected globs-ignored invisible-text missing-path"
    " missing-section replaced-text secret skill-name token-drift".split()
)
# One fault of a text is worded by what readers do.
_BY_READERS = "frontmatter-rejected"


def by_copy(findings: Iterable[Finding], read: Callable[[str], str | None]) -> list[Finding]:
    """The findings, each once for equal files: where it is worst, with the places of the copies; in their order."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        path = finding.path or ""
        # A copy keeps its name and that of its folder, such as that of its skill.
        name = path.split("/")[-2:] if finding.rule in _OF_TEXT and not finding.places else ()
        text = read(path) if len(name) > 1 else None
        what = None if finding.rule == _BY_READERS else (finding.line, finding.subject)
        groups.setdefault((finding.rule, what, *name, text) if text else finding, []).append(finding)
    return [one for group in groups.values() for one in _of_copies(group)]


def _of_copies(group: Sequence[Finding]) -> Iterator[Finding]:
    worst = min(group, key=lambda each: SEVERITIES.index(each.severity))
    copies = {each.path: each for each in group if each.path != worst.path}
    places = sorted((Place(each.path, each.line) for each in copies.values() if each.path), key=_in_order)
    for each in group:
        if each.path == worst.path:
            own = Place(each.path or "", each.line, each.tokens, each.subject)
            yield replace(each, places=(own, *places)) if each is worst and places else each


def by_cause(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, merged if they share rule, severity, agent and cause; in the order of the first of each."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        key = (finding.rule, finding.severity, finding.agent, finding.cause) if finding.cause else finding
        groups.setdefault(key, []).append(finding)
    return [_told(group) for group in groups.values()]


def _told(group: Sequence[Finding]) -> Finding:
    if len(group) == 1:
        return group[0]
    ordered = sorted(group, key=lambda each: (-each.tokens, each.path or "", each.line or 0, each.subject))
    own = [Place(each.path, each.line, each.tokens, each.subject) for each in ordered if each.path]
    copies = [place for each in ordered for place in each.places[1:]]
    others = sorted((*own[1:], *copies), key=_in_order)
    return replace(
        ordered[0],
        message=ordered[0].many.replace("{count}", f"{len(own):,}"),
        tokens=sum(each.tokens for each in ordered),
        places=(*own[:1], *others),
    )


def _in_order(place: Place) -> tuple[str, int, str]:
    return place.path, place.line or 0, place.subject
