"""Find and stream transcripts, newest first, of one project or all, within limits."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from ctxtui.agents import load_table
from ctxtui.audit.logs import claude, codex
from ctxtui.audit.logs.draft import Feed, StartDraft
from ctxtui.audit.logs.lines import parse_record, read_lines
from ctxtui.audit.logs.types import Calls, Skipped, Start, Transcripts
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.times import time_of
from ctxtui.core.disk.root import Root
from ctxtui.workspace.opening.find_user_files import moved_folder

MAX_LISTED: Final = 20_000
"""The maximum number of files listed per agent."""

_SLUG = re.compile(r"[^A-Za-z0-9]")
_SLUG_LENGTH = 200
_DAY = re.compile(r"\d{2,4}")
_LINES = ".jsonl"
_MAX_DEPTH = 3
MAX_STARTS: Final = 200
"""The maximum number of conversations per agent."""
MAX_BYTES: Final = 2 * 1024 * 1024 * 1024
"""The maximum number of bytes per agent."""

Environment = Mapping[str, str]


class Transcript(NamedTuple):
    """A transcript: path below the transcript folder, modification time in seconds, size in bytes, owner.

    The `owner` of a subagent's transcript is the id of the conversation that started it.
    """

    path: str
    changed: float
    size: int
    owner: str = ""

    @property
    def id(self) -> str:
        return self.path.rpartition("/")[2].removesuffix(_LINES)


@dataclass(slots=True)
class _Tally:
    """The starts and calls of one agent so far. `left` are bytes to read, `counts` the numbers of `Skipped`."""

    listed: list[Transcript] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    delegated: dict[str, Calls] = field(default_factory=dict)
    besides: Calls = field(default_factory=Counter)
    read: int = 0
    left: int = MAX_BYTES
    counts: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)


def home_of(environment: Mapping[str, str]) -> str:
    """The user's folder, empty if the environment names none."""
    return environment.get("HOME") or environment.get("USERPROFILE") or ""


def claude_slug(folder: str) -> str:
    """The transcript folder name of a project. A longer name continues with a hash."""
    return _SLUG.sub("-", folder)[:_SLUG_LENGTH]


def _list_claude(root: Root, folders: tuple[str, ...] | None, environment: Mapping[str, str], tally: _Tally) -> None:
    """Add the transcripts of all projects, or of those whose folder name begins like that of one of `folders`."""
    slugs = None if folders is None else tuple(map(claude_slug, folders))
    own = environment.get("CLAUDE_CODE_PROJECT_DIR_NAME") if environment.get("CLAUDE_CONFIG_DIR") else None
    for entry in _entries(root, ""):
        if slugs is None or entry.name == own or entry.name.startswith(slugs):
            _list_project(root, entry, tally)


def _list_project(root: Root, entry: os.DirEntry[str], tally: _Tally) -> None:
    """Add the transcripts of one project and those of its subagents. A link to a folder counts as refused."""
    if not _is_folder(entry):
        tally.counts["refused"] += entry.is_symlink()
        return
    for inner in _entries(root, entry.name):
        path = f"{entry.name}/{inner.name}"
        if inner.name.endswith(_LINES):
            _list_file(tally, inner, path)
        elif _is_folder(inner):
            _list_subagents(root, f"{path}/subagents", inner.name, tally)


def _list_subagents(root: Root, folder: str, owner: str, tally: _Tally, depth: int = 0) -> None:
    """Add the transcripts in `folder` and three levels below, as those of subagents of `owner`."""
    for entry in _entries(root, folder):
        path = f"{folder}/{entry.name}"
        if entry.name.endswith(_LINES):
            _list_file(tally, entry, path, owner)
        elif depth < _MAX_DEPTH and _is_folder(entry):
            _list_subagents(root, path, owner, tally, depth + 1)


def _list_codex(root: Root, _folders: object, _environment: object, tally: _Tally) -> None:
    """Add the transcripts of all days. Only the first line of a file names its working directory."""
    days = [""]
    for _ in range(3):
        days = [f"{folder}/{name}".lstrip("/") for folder in days for name in _days(root, folder)]
    for folder in days:
        for entry in _entries(root, folder):
            if entry.name.startswith("rollout-") and entry.name.endswith((_LINES, f"{_LINES}.zst")):
                _list_file(tally, entry, f"{folder}/{entry.name}")


def _days(root: Root, folder: str) -> list[str]:
    names = (entry.name for entry in _entries(root, folder) if _is_folder(entry))
    return sorted((name for name in names if _DAY.fullmatch(name)), reverse=True)


def _entries(root: Root, folder: str) -> Iterator[os.DirEntry[str]]:
    with suppress(ContextError, OSError), root.scanned(folder) as entries:
        yield from entries


def _is_folder(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        return entry.is_dir(follow_symlinks=False)
    return False


def _list_file(tally: _Tally, entry: os.DirEntry[str], path: str, owner: str = "") -> None:
    """Add a transcript. Beyond the limit one without owner counts as unread, a link or compressed file as refused."""
    with suppress(OSError):
        status = entry.stat(follow_symlinks=False)
        if entry.is_file(follow_symlinks=False) and path.endswith(_LINES):
            if len(tally.listed) < MAX_LISTED:
                tally.listed.append(Transcript(path, status.st_mtime, status.st_size, owner))
            else:
                tally.counts["unread"] += not owner
        else:
            tally.counts["refused"] += 1


def read_transcripts(
    environment: Environment, folders: tuple[str, ...] | None, most: int = MAX_STARTS
) -> list[Transcripts]:
    """Read every agent's transcripts of conversations at or below absolute `folders`, None for all.

    The content of a transcript never raises. Unreadable transcripts are counted.
    """
    return [_read_agent(each, environment, folders, most) for each in _KEEPERS]


class _Keeper(NamedTuple):
    """An agent's transcripts: their folder, the function that lists them, and the one that reads a record.

    After the first answer, only lines that contain one of the `marks` are parsed.
    """

    agent: str
    folder: str
    list: Callable[[Root, tuple[str, ...] | None, Environment, _Tally], None]
    feed: Feed
    marks: tuple[bytes, ...]


_KEEPERS: Final = (
    _Keeper("claude-code", "projects", _list_claude, claude.feed, claude.MARKS),
    _Keeper("codex", "sessions", _list_codex, codex.feed, codex.MARKS),
)


def _read_agent(keeper: _Keeper, environment: Environment, folders: tuple[str, ...] | None, most: int) -> Transcripts:
    agent = next(each for each in load_table() if each.id == keeper.agent)
    home = home_of(environment)
    place = moved_folder(agent, environment) or (Path(home) / agent.home if home else None)
    if place is None:
        return Transcripts(agent.id, "")
    root, tally = Root(place / keeper.folder), _Tally()
    keeper.list(root, folders, environment, tally)
    for transcript in sorted(tally.listed, key=lambda transcript: (-transcript.changed, transcript.path)):
        if len(tally.starts) >= most or transcript.size > tally.left:
            tally.counts["unread"] += not transcript.owner
        else:
            _read_transcript(root, transcript, keeper, folders, tally)
    starts = _with_delegated(tally)
    skipped = Skipped(unknown=dict(tally.unknown.most_common()), **tally.counts)
    return Transcripts(agent.id, str(place / keeper.folder), starts, dict(tally.besides), tally.read, skipped)


def _with_delegated(tally: _Tally) -> tuple[Start, ...]:
    """The starts, newest first, with their subagents' calls. Calls of unknown conversations go to `besides`."""
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


def _read_transcript(
    root: Root, transcript: Transcript, keeper: _Keeper, folders: tuple[str, ...] | None, tally: _Tally
) -> None:
    """Add the start or the calls of a transcript to the tally, unless its folder is not at or below `folders`."""
    draft = StartDraft(id=transcript.id)
    try:
        with root.opened(transcript.path) as descriptor:
            is_ours = _fill(draft, descriptor, keeper, folders)
    except ContextError:
        tally.counts["refused"] += 1
        return
    if not is_ours:
        return
    tally.left -= transcript.size
    tally.read += 1
    tally.unknown.update(draft.unknown)
    tally.counts.update(broken=draft.broken, long=draft.long)
    if transcript.owner or draft.is_subagent:
        tally.delegated.setdefault(transcript.owner or draft.owner, Counter()).update(draft.calls)
    elif draft.is_copy:
        tally.counts["resumed"] += 1
        tally.besides.update(draft.calls)
    elif draft.billed is None and not draft.sent:
        tally.counts["empty"] += 1
    else:
        tally.starts.append(draft.finished(time_of(transcript.changed)))


def _fill(draft: StartDraft, descriptor: int, keeper: _Keeper, folders: tuple[str, ...] | None) -> bool:
    """Read a transcript into a draft. Returns whether its folder is at or below `folders`, if these are given."""
    for record in _records(descriptor, draft, keeper.marks):
        was = draft.folder
        keeper.feed(draft, record)
        if folders is not None and draft.folder != was and not is_below(draft.folder, folders):
            return False
    return folders is None or bool(draft.folder)


def _records(descriptor: int, draft: StartDraft, marks: tuple[bytes, ...]) -> Iterator[dict[str, object]]:
    """The records up to the first answer, then those with a mark. The draft counts broken and long lines."""
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
    path = PurePath(os.path.normpath(folder))
    return any(path.is_relative_to(each) for each in folders)
