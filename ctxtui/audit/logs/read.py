"""Stream transcripts, newest first, of one project or all, within limits."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Final, NamedTuple

from ctxtui.audit.logs.claude import CLAUDE
from ctxtui.audit.logs.codex import CODEX
from ctxtui.audit.logs.draft import Format, StartDraft
from ctxtui.audit.logs.lines import parse_record, read_lines
from ctxtui.audit.logs.places import Transcript, TranscriptList, list_claude, list_codex, transcripts_place
from ctxtui.audit.logs.types import Calls, Skipped, Start, Transcripts
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.root import Root

MAX_STARTS: Final = 200
"""The maximum number of conversations per agent."""
MAX_BYTES: Final = 2 * 1024 * 1024 * 1024
"""The maximum number of bytes per agent."""

Environment = Mapping[str, str]


@dataclass(slots=True)
class _Tally:
    """Running totals of one agent's transcripts."""

    starts: list[Start] = field(default_factory=list)
    delegated: dict[str, Calls] = field(default_factory=dict)
    besides: Calls = field(default_factory=Counter)
    read: int = 0
    left: int = MAX_BYTES
    counts: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)


def read_transcripts(
    environment: Environment, folders: tuple[str, ...] | None, most: int = MAX_STARTS
) -> list[Transcripts]:
    """Read every agent's transcripts of conversations at or below some absolute `folders`, or of all.

    Content never raises. Unreadable transcripts are counted.
    """
    return [_of_agent(each, environment, folders, most) for each in _KEEPERS]


class _Keeper(NamedTuple):
    """An agent with transcripts: their format, folder and lister."""

    format: Format
    folder: str
    listed: Callable[[Root, tuple[str, ...] | None, Environment], TranscriptList]


_KEEPERS: Final = (_Keeper(CLAUDE, "projects", list_claude), _Keeper(CODEX, "sessions", list_codex))


def _of_agent(keeper: _Keeper, environment: Environment, folders: tuple[str, ...] | None, most: int) -> Transcripts:
    format_ = keeper.format
    place = transcripts_place(environment, format_.agent, keeper.folder)
    if place is None:
        return Transcripts(format_.agent, "")
    root = Root(place)
    listing = keeper.listed(root, folders, environment)
    tally = _Tally()
    for kept in listing.kept:
        if len(tally.starts) >= most or kept.size > tally.left:
            tally.counts["unread"] += not kept.owner
        else:
            _one(root, kept, format_, folders, tally)
    starts = _with_delegated(tally)
    tally.counts["refused"] += listing.refused
    skipped = Skipped(unknown=dict(tally.unknown.most_common()), **tally.counts)
    return Transcripts(format_.agent, str(place), starts, dict(tally.besides), tally.read, skipped)


def _with_delegated(tally: _Tally) -> tuple[Start, ...]:
    """The starts, newest first, with the calls of their subagents. Other calls stay separate."""
    starts = (
        replace(start, calls=Counter(start.calls) + tally.delegated[start.id])
        if start.id in tally.delegated
        else start
        for start in tally.starts
    )
    found = tuple(sorted(starts, key=lambda start: start.time, reverse=True))
    known = {start.id for start in found}
    for owner, calls in tally.delegated.items():
        if owner not in known:
            tally.besides.update(calls)
    return found


def _one(root: Root, kept: Transcript, format_: Format, folders: tuple[str, ...] | None, tally: _Tally) -> None:
    draft = StartDraft(id=kept.id)
    try:
        with root.opened(kept.path) as descriptor:
            is_ours = _fill(draft, descriptor, format_, folders)
    except ContextError:
        tally.counts["refused"] += 1
        return
    if not is_ours:
        return
    tally.left -= kept.size
    tally.read += 1
    tally.unknown.update(draft.unknown)
    tally.counts.update(broken=draft.broken, long=draft.long)
    if kept.owner or draft.is_subagent:
        tally.delegated.setdefault(kept.owner or draft.owner, Counter()).update(draft.calls)
    elif draft.is_copy:
        tally.counts["resumed"] += 1
        tally.besides.update(draft.calls)
    elif draft.billed is None and not draft.sent:
        tally.counts["empty"] += 1
    else:
        tally.starts.append(draft.start(datetime.fromtimestamp(kept.changed, UTC)))


def _fill(draft: StartDraft, descriptor: int, format_: Format, folders: tuple[str, ...] | None) -> bool:
    """Read a transcript, false as soon as it turns out to belong to another folder."""
    for record in _records(descriptor, draft, format_.marks):
        was = draft.folder
        format_.feed(draft, record)
        if folders is not None and draft.folder != was and not is_below(draft.folder, folders):
            return False
    return folders is None or bool(draft.folder)


def _records(descriptor: int, draft: StartDraft, marks: tuple[bytes, ...]) -> Iterator[dict[str, object]]:
    """The records that may matter."""
    for line in read_lines(descriptor):
        if line is None:
            draft.long += 1
        elif not draft.is_answered or any(mark in line for mark in marks):
            record = parse_record(line)
            if record is None:
                draft.broken += 1
            else:
                yield record


def is_below(folder: str, folders: tuple[str, ...]) -> bool:
    """Whether a path is at or below one of some folders, without disk access."""
    given = PurePath(os.path.normpath(folder))
    return any(given.is_relative_to(each) for each in folders)
