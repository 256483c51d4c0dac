"""Remove text that an agent pays for twice: drop copies, or turn CLAUDE.md into an import."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from ctxtui.agents.sums import ENTRY
from ctxtui.agents.types import AT_START, MOMENTS
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.deliberate_copies import DeliberateCopies
from ctxtui.audit.rules.twice import Readers
from ctxtui.audit.slim.change import ChangeDraft, Loaded
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.types import Edit, Removal
from ctxtui.core.base.wording import plural
from ctxtui.core.text.markdown.document import Document

# A copy with more own lines stays.
_MOST_OWN_LINES = 3
_MOST_PARTNERS = 2
_SHOWN = 40
_IMPORT = "@AGENTS.md"
_COMMON = "agents"
# The agent that a hidden folder, or a file in capitals, is named after.
_OWNER = re.compile(r"(?:\A|/)(?:\.(?=[a-z])|(?=[A-Z]{3}))([A-Za-z]+)")

Pair = tuple[str, str]


def twins(audited: Audited) -> Iterator[ChangeDraft]:
    """Drafts that drop the second copy of a text that the same agents read anyway."""
    apart, readers = DeliberateCopies(audited), Readers.of(audited)
    shared = (each for found in audited.shared_at_start.values() for each in found)
    pairs = dict.fromkeys((*_equal(audited), *((each.one.path, each.other.path) for each in shared)))
    partners = Counter(path for pair in pairs for path in pair)
    for one, other in pairs:
        # A file with the texts of many others is made from them.
        if apart.are_run_alone(one, other) or max(partners[one], partners[other]) > _MOST_PARTNERS:
            continue
        found = [*_import(audited, one, other), *_import(audited, other, one)]
        if not found:
            # The finding names `spare`. The other path may be the target of links.
            spare = readers.spare(one, other)
            both = [(spare, one if spare == other else other)] if spare else [(other, one), (one, other)]
            found = [draft for pair in both if _may_go(*pair) for draft in _drop(audited, *pair)]
        yield from (replace(draft, choice=f"{one}|{other}") for draft in found)


def _may_go(dropped: str, kept: str) -> bool:
    """Whether a text may go for another: one in the common format, or of the same agent.

    People mirror the text of one agent for another on purpose.
    """
    one, other = (found[1].lower() if (found := _OWNER.search(path)) else "" for path in (dropped, kept))
    is_same = bool(one and other) and (one.startswith(other) or other.startswith(one))
    return other == _COMMON or one == other or is_same


def _equal(audited: Audited) -> Iterator[Pair]:
    """Pairs of equal files in one start, by real path."""
    for context in audited.real_agents:
        for repeat in context.repeats:
            places = list(dict.fromkeys(map(audited.real, repeat.paths)))
            if repeat.why != ENTRY and len(places) > 1:
                yield from ((places[0], other) for other in places[1:])


def _document(audited: Audited, path: str) -> Document | None:
    reference = audited.workspace.by_path.get(path)
    return audited.document(reference) if reference else None


def _is_kept_for_all(before: Loaded, after: Loaded, dropped: Iterable[str], kept: str) -> bool:
    """Whether every agent that reads a dropped file reads the copy, and no later."""
    gone = set(dropped)
    moments = [(agent, moment) for (agent, path), moment in before.items() if path in gone]
    return all(after.get((agent, kept), len(MOMENTS)) <= moment for agent, moment in moments)


def _import(audited: Audited, dropped: str, kept: str) -> Iterator[ChangeDraft]:
    """Replace CLAUDE.md by one line that imports AGENTS.md in the same folder."""
    is_pair = posixpath.basename(dropped) == "CLAUDE.md" and posixpath.basename(kept) == "AGENTS.md"
    if not is_pair or posixpath.dirname(dropped) != posixpath.dirname(kept):
        return
    one, other = _document(audited, dropped), _document(audited, kept)
    if one and other and one.text.strip() == other.text.strip():
        steps = (Edit(one.path, 0, len(one.text), f"{_IMPORT}{_end_of(one.text)}", one.digest),)
        lost = f"Nothing here; an agent that reads only {dropped} and follows no imports would see one line."
        is_safe = partial(_is_kept_for_all, dropped=(audited.real(dropped),), kept=audited.real(kept))
        yield ChangeDraft("twin", dropped, f"Make {dropped} an import of {kept}", steps, lost, is_safe)


def _end_of(text: str) -> str:
    return "\r\n" if text.endswith("\r\n") else "\n" if text.endswith("\n") else ""


def _drop(audited: Audited, dropped: str, kept: str) -> Iterator[ChangeDraft]:
    """Remove a file whose lines are nearly all in another file."""
    document, own = _document(audited, dropped), _own_lines(audited, dropped, kept)
    if document is None or own is None or len(own) > _MOST_OWN_LINES:
        return
    if any(path != dropped for path in _namers(audited, dropped)):
        return
    lost = f"{_lost(own, dropped, kept)} An agent that reads only {dropped} would lose it."
    steps = (Removal(document.path, document.digest),)
    is_safe = partial(_is_kept_for_all, dropped=(audited.real(dropped),), kept=audited.real(kept))
    yield ChangeDraft("twin", dropped, f"Drop {dropped}, whose text is in {kept}", steps, lost, is_safe)


def _namers(audited: Audited, path: str) -> list[str]:
    """The files in starts that name a path."""
    charges = (charge for context in audited.real_agents for charge in context.at(*AT_START))
    return [each for each in dict.fromkeys(charge.path for charge in charges) if path in (audited.text(each) or "")]


def _own_lines(audited: Audited, path: str, other: str) -> list[str] | None:
    """The lines of a body that another file lacks, or None if a file is unreadable."""
    texts = [audited.text(each) for each in (path, other)]
    facts = [audited.held.get(audited.real(each)) for each in (path, other)]
    if None in texts or None in facts:
        return None
    there = {line.strip() for line in split_lines(texts[1] or "")}
    body = (texts[0] or "")[facts[0][1].body if facts[0] else 0 :]
    return [line.strip() for line in split_lines(body) if line.strip() not in there]


def _lost(own: list[str], dropped: str, kept: str) -> str:
    if not own:
        return f"Nothing here: {kept} has every line."
    return f"{plural(len(own), 'line')} that only {dropped} has, first “{own[0][:_SHOWN]}”."
