"""What a scan learned, kept in the cache: a project that has not changed is opened without reading its files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from platformdirs import user_cache_path

from ctxtui.agents.load import Load
from ctxtui.core.errors import ContextError
from ctxtui.core.files.content import Stamp
from ctxtui.core.files.look import Looks
from ctxtui.core.files.root import read_file, write_atomic
from ctxtui.core.files.walk import Found
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.notices import Notice
from ctxtui.core.program import program_state
from ctxtui.workspace.above import NOTHING_ABOVE, Above, Trail, is_as_looked_at, outside
from ctxtui.workspace.known_rows import KnownLoads, details_of, details_row, load_row
from ctxtui.workspace.scope import Scope

_MAX_BYTES: Final = 512 * 1024 * 1024
# Scans of this many projects and scopes are kept; those used longest ago go first.
_MOST_KEPT: Final = 64


Versions = Sequence[tuple[str, Sequence[int] | None]]
"""The versions of files that no walk found, by path; None for one that does not exist."""


class Learned(NamedTuple):
    """What the sources claimed and how agents load it; `notices` are those that this caused.

    `above` is what lies above the folder, `trail` what was looked at there, None without a repository around it.
    """

    references: list[Reference]
    loads: Sequence[Load]
    notices: list[Notice]
    above: Above
    trail: Trail | None


class KnownScan:
    """The scan of one project in one scope, read back if nothing that it depends on has changed.

    It depends on the version of every file that was found, on the files that were read though they were not found, on
    what was looked at above the folder, on the scope, and on this program. A damaged, foreign or unwritable cache is
    the same as none. `began` is when the scan began, in nanoseconds since the epoch.
    """

    def __init__(self, looks: Looks, found: Sequence[Found], scope: Scope, began: int) -> None:
        self._looks, self._found, self._scope, self._began = looks, found, scope, began
        self._outside = outside(looks.root.path, scope)
        place = f"{looks.root.path}\0{scope!r}"
        around = self._outside[1].folder if self._outside else ""
        self._file = user_cache_path("ctxtui") / "scans" / f"{_digest(_bytes(place))[:24]}.json"
        self._key = _digest(_bytes("\0".join((place, around, program_state().hex(), *_files(found)))))
        self.state = ""
        """Identifies what was found and learned once it was read or kept; empty before, or if it cannot be kept."""

    def read(self) -> Learned | None:
        """What is known; None if it is not known for exactly this state."""
        try:
            head, _, body = read_file(self._file, _MAX_BYTES).data.partition(b"\n")
            if head.decode() != f"{self._key} {_digest(body)}":
                return None
            rows, _, loads = body.partition(b"\n")
            kept = json.loads(rows)
            above, trail = self._above(kept["above"])
            if above is None or not _are_unchanged(self._looks.root.path, kept["unlisted"]):
                return None
            learned = _read(kept, {file.path: file.stamp for file in self._found}, KnownLoads(loads), above, trail)
        except (ContextError, ValueError, KeyError, TypeError, IndexError, RecursionError):
            return None
        self.state = head.decode()
        with suppress(OSError):
            os.utime(self._file)
        return learned

    def keep(self, learned: Learned) -> None:
        """Keep what was learned for the next opening, unless a file may still change unnoticed."""
        versions = _versions(self._looks.root.path, self._looks.unlisted)
        above = self._above_row(learned)
        known = (*versions, *(above["read"] if above else ()))
        stamps = [file.stamp for file in self._found] + [Stamp(*version) for _, version in known if version]
        # What changed since the scan began may have been read before that.
        if not all(stamp.is_settled(self._began) for stamp in stamps):
            return
        # What has values that JSON does not give back as they were is read from the files each time.
        with suppress(ContextError, TypeError, ValueError, RecursionError):
            body = "\n".join(
                map(_json, (_written(learned, versions, above), [load_row(each) for each in learned.loads]))
            )
            data = body.encode()
            state = f"{self._key} {_digest(data)}"
            write_atomic(self._file, _bytes(f"{state}\n") + data, mode=0o600)
            self.state = state
            _prune(self._file.parent)

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


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _written(learned: Learned, versions: Versions, above: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        "above": above,
        "unlisted": versions,
        "references": [_reference_row(each) for each in learned.references],
        "notices": [(each.code, each.message, each.path, each.line) for each in learned.notices],
    }


def _read(
    kept: Mapping[str, Any], stamps: Mapping[str, Stamp], loads: KnownLoads, above: Above, trail: Trail | None
) -> Learned:
    return Learned(
        [_reference_of(row, stamps) for row in kept["references"]],
        loads,
        [Notice(*row) for row in kept["notices"]],
        above,
        trail,
    )


def _reference_row(each: Reference) -> tuple[Any, ...]:
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


def _reference_of(row: Sequence[Any], stamps: Mapping[str, Stamp]) -> Reference:
    id_, path, source, group, title, priority, strategy, protected, ignored, details, aliases, large = row
    return Reference(
        id_,
        path,
        source,
        tuple(group),
        title,
        stamps[path],
        priority,
        strategy,
        protected,
        ignored,
        details_of(details),
        tuple(aliases),
        large,
    )


def _files(found: Sequence[Found]) -> Iterator[str]:
    for file in found:
        stamp = file.stamp
        yield f"{file.path}\0{file.real}\0{stamp.mtime_ns} {stamp.ctime_ns} {stamp.size} {file.ignored:d}"


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


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _prune(folder: Path) -> None:
    """Remove the scans that were used longest ago, beyond a number and a size."""
    with suppress(OSError):
        left, room = _MOST_KEPT, _MAX_BYTES
        for file in sorted(folder.glob("*.json"), key=lambda file: -file.stat().st_mtime_ns):
            left, room = left - 1, room - file.stat().st_size
            if left < 0 or room < 0:
                file.unlink()
