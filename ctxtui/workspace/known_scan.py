"""What a scan learned, kept in the cache: a project that has not changed is opened without reading its files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from sys import intern
from typing import Any, Final, NamedTuple

from ctxtui.agents.load import Load
from ctxtui.core.files.content import Stamp
from ctxtui.core.files.kept import Kept, digest_in, kept_file, read_kept, write_kept
from ctxtui.core.files.look import Looks
from ctxtui.core.files.walk import Found
from ctxtui.core.metadata.details_row import details_of, details_row
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.notices import Notice
from ctxtui.workspace.above import NOTHING_ABOVE, Above, Trail, is_as_looked_at, outside
from ctxtui.workspace.file_table import packed
from ctxtui.workspace.known_rows import KnownLoads, load_row
from ctxtui.workspace.plain_reference import PLAIN, is_plain_reference, plain_reference
from ctxtui.workspace.scope import Scope

# As many files and references are taken at once: a character beyond Latin-1 makes each of a text in memory take two
# or four bytes, and a hundred thousand rows are more than what is made of them. JSON escapes `_NEXT`.
_TOGETHER: Final = 1_000
_NEXT: Final = b"\x1e"

Versions = Sequence[tuple[str, Sequence[int] | None]]
"""The versions of files that no walk found, by path; None for one that does not exist."""


class Learned(NamedTuple):
    """What the sources claimed and how agents load it; `notices` are those that this caused.

    `above` is what lies above the folder, `trail` what was looked at there, None without a repository around it.
    """

    references: Sequence[Reference]
    loads: Sequence[Load]
    notices: list[Notice]
    above: Above
    trail: Trail | None


class State(NamedTuple):
    """Identifies what a scan found and learned, if it was read or kept; `digest` is empty if it cannot be kept.

    If it was read, with the file that keeps it, of which there is one for each scope, with the digest of the content
    alone, and with the head of what is kept.
    """

    digest: str = ""
    file: Path | None = None
    content: bytes = b""
    head: bytes = b""


NO_STATE: Final = State()


class Last(NamedTuple):
    """What an earlier scan learned, and the state that it was learned for."""

    state: State = NO_STATE
    references: Sequence[Reference] = ()
    loads: Sequence[Load] = ()


class KnownScan:
    """The scan of one project in one scope, read back if nothing that it depends on has changed.

    It depends on the version of every file that was found, on the files that were read though they were not found, on
    what was looked at above the folder, on the scope, and on this program. A damaged, foreign or unwritable cache is
    the same as none. `began` is when the scan began, in nanoseconds since the epoch.
    """

    def __init__(self, looks: Looks, found: Sequence[Found], scope: Scope, began: int) -> None:
        self._looks, self._found, self._scope, self._began = looks, found, scope, began
        self._outside = outside(looks.root.path, scope)
        around = self._outside[1].folder if self._outside else ""
        self._file = kept_scan(looks.root.path, scope)
        self._state = _state(around, found)
        self.state = NO_STATE
        """That of what was found and learned, once it was read or kept."""

    def read(self, last: Last) -> Learned | None:
        """What is known, made of what the `last` scan learned if that is the same; None if not for this state."""
        try:
            state, parts = self._kept(last.state)
            head = json.loads(state.head)
            above, trail = self._above(head["above"])
            if above is None or not _are_unchanged(self._looks.root.path, head["unlisted"]):
                return None
            notices = [Notice(*each) for each in head["notices"]]
            references, loads = last.references, last.loads
            if parts:
                references, loads = _references(parts.references, self._found), KnownLoads(parts.loads())
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            return None
        self.state = state
        return Learned(references, loads, notices, above, trail)

    def _kept(self, last: State) -> tuple[State, Parts | None]:
        """The state as it is kept, and its parts unless the last scan learned the same; raises ValueError if none is.

        What the last scan read is not read again.
        """
        if last.file == self._file and digest_in(last.content, self._state) == last.digest:
            return last, None
        kept = read_kept(self._file, self._state)
        if kept is None:
            raise ValueError("nothing is kept for this state")
        parts = parts_of(kept)
        return state_of(self._file, kept, parts), None if kept.digest == last.digest else parts

    def keep(self, learned: Learned) -> None:
        """Keep what was learned for the next opening, unless a file may still change unnoticed."""
        versions = _versions(self._looks.root.path, self._looks.unlisted)
        above = self._above_row(learned)
        known = (*versions, *(above["read"] if above else ()))
        stamps = [file.stamp for file in self._found] + [Stamp(*version) for _, version in known if version]
        # What changed since the scan began may have been read before that.
        if not all(stamp.is_settled(self._began) for stamp in stamps):
            return
        from ctxtui.core.secrets import has_secret  # noqa: PLC0415 - what is known is not searched

        # What has a secret, or values that JSON does not give back as they were, is read from the files each time.
        with suppress(TypeError, ValueError, RecursionError):
            notices = [(each.code, each.message, each.path, each.line) for each in learned.notices]
            files = {file.path: file for file in self._found}
            head = {"above": above, "unlisted": versions, "notices": notices}
            rows = [_reference_row(each, files) for each in learned.references]
            references = _NEXT.join(_json(rows[at : at + _TOGETHER]) for at in range(0, len(rows), _TOGETHER))
            loads = _json([load_row(each) for each in learned.loads])
            told = b"\n".join((_json(head), references, loads))
            if not has_secret(told.decode("utf-8", "replace")):
                data = b"\n".join((told, packed(self._found)))
                self.state = State(write_kept(self._file, data, self._state))

    def _above_row(self, learned: Learned) -> dict[str, Any] | None:
        """What was looked at above, with the versions of the files that can be read there."""
        trail, above = learned.trail, learned.above
        if self._outside is None or trail is None:
            return None
        root, base = self._outside
        read = {*trail.read, *map(base.to_root, above.paths)}
        return {
            "paths": above.paths,
            "walks": trail.walks,
            "read": _versions(root.path, read),
            "asked": trail.asked,
        }

    def _above(self, row: Mapping[str, Any] | None) -> tuple[Above | None, Trail | None]:
        """What lies above, as it was kept; None if anything there has changed."""
        if row is None or self._outside is None:
            return (NOTHING_ABOVE if row is None and self._outside is None else None), None
        root, base = self._outside
        trail = Trail([(wanted, found) for wanted, found in row["walks"]], {}, row["asked"])
        if not _are_unchanged(root.path, row["read"]) or not is_as_looked_at(root, base, self._scope, trail):
            return None, None
        return Above(base, root, tuple(row["paths"])), trail


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def kept_scan(root: Path, scope: Scope) -> Path:
    """The file that keeps what the scan of a folder in a scope learned."""
    return kept_file("scans", place_of(root, scope))


class Parts(NamedTuple):
    """What is kept: parts of large data are copied when they are asked for, some references at a time."""

    head: bytes
    references: Iterator[bytes]
    loads: Callable[[], bytes]
    files: Callable[[], bytes]


def parts_of(kept: Kept) -> Parts:
    """The parts of what was kept; raises ValueError if there are not that many."""
    data = kept.whole
    first = data.index(b"\n", kept.start)
    second = data.index(b"\n", first + 1)
    third = data.index(b"\n", second + 1)
    references = _between(data, first + 1, second)
    return Parts(data[kept.start : first], references, lambda: data[second + 1 : third], lambda: data[third + 1 :])


def state_of(file: Path, kept: Kept, parts: Parts) -> State:
    """The state of a scan that was read from a file."""
    return State(kept.digest, file, kept.content, parts.head)


def _between(data: bytes, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        following = data.find(_NEXT, start, end)
        stop = end if following < 0 else following
        yield data[start:stop]
        start = stop + 1


def learned_of(root: Path, scope: Scope, parts: Parts, found: Sequence[Found]) -> Learned | None:
    """What was learned, as it was kept; None if the repository around the folder is another one."""
    kept, around = json.loads(parts.head), outside(root, scope)
    if (kept["above"] is None) != (around is None):
        return None
    above = Above(around[1], around[0], tuple(kept["above"]["paths"])) if around else NOTHING_ABOVE
    notices = [Notice(*each) for each in kept["notices"]]
    return Learned(_references(parts.references, found), KnownLoads(parts.loads()), notices, above, None)


def _references(rows: Iterable[bytes], found: Sequence[Found]) -> list[Reference]:
    files = {file.path: file for file in found}
    groups: dict[tuple[str, ...], tuple[str, ...]] = {}
    return [_reference_of(row, files, groups) for row in chain.from_iterable(map(json.loads, rows))]


def _reference_row(each: Reference, files: Mapping[str, Found]) -> tuple[Any, ...] | str:
    """A reference as a row; only its path if all follows from that, as for most files of large projects."""
    if each.source == PLAIN and is_plain_reference(each, files[each.path]):
        return each.path
    return (
        each.id,
        each.path,
        each.source,
        each.group,
        each.title,
        each.priority,
        each.strategy,
        each.protected,
        each.ignored,
        details_row(each.details),
        each.aliases,
        each.large,
    )


def _reference_of(row: Any, files: Mapping[str, Found], groups: dict[tuple[str, ...], tuple[str, ...]]) -> Reference:
    if isinstance(row, str):
        return plain_reference(files[row])
    id_, path, source, group, title, priority, strategy, protected, ignored, details, aliases, large = row
    group = tuple(group)
    # Each text is in memory once.
    file = files[path]
    return Reference(
        file.path if id_ == path else id_,
        file.path,
        intern(source),
        groups.setdefault(group, group),
        intern(title),
        file.stamp,
        priority,
        strategy and intern(strategy),
        protected,
        ignored,
        details_of(details),
        tuple(aliases),
        large,
    )


def _state(around: str, found: Sequence[Found]) -> bytes:
    """Identifies what a scan depends on: where it is in the repository around it, and the version of each file."""
    state = blake2b(_bytes(around))
    for start in range(0, len(found), _TOGETHER):
        state.update(_bytes("".join(map(_file, found[start : start + _TOGETHER]))))
    return state.digest()


def _file(file: Found) -> str:
    mtime, ctime, size = file.stamp
    return f"\0{file.path}\0{file.real}\0{mtime} {ctime} {size} {file.ignored:d}"


def _versions(root: Path, paths: Iterable[str]) -> list[tuple[str, list[int] | None]]:
    return [(path, _version(root, path)) for path in sorted(paths)]


def _are_unchanged(root: Path, versions: Versions) -> bool:
    return all(_version(root, path) == version for path, version in versions)


def _version(root: Path, path: str) -> list[int] | None:
    """The version of a file that was not found, as it is written; None if there is none."""
    try:
        status = (root / path).stat()
    except (OSError, ValueError):
        return None
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size]


def place_of(root: Path, scope: Scope) -> bytes:
    """What names a project and a scope among the files that are kept."""
    return _bytes(f"{root}\0{scope!r}")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
