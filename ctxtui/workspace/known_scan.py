"""What a scan learned, kept in the cache: a project that has not changed is opened without reading its files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from platformdirs import user_cache_path

from ctxtui.agents import Load
from ctxtui.core.errors import ContextError
from ctxtui.core.files.content import Stamp
from ctxtui.core.files.look import Looks
from ctxtui.core.files.root import read_file, write_atomic
from ctxtui.core.files.walk import Found
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.notices import Notice
from ctxtui.workspace.above import Above
from ctxtui.workspace.known_rows import details_of, details_row, load_of, load_row
from ctxtui.workspace.scope import Scope

# Opening fewer files takes no longer than reading what is known of them.
_FEWEST: Final = 200
_MAX_BYTES: Final = 512 * 1024 * 1024
# Scans of this many projects and scopes are kept; those used longest ago go first.
_MOST_KEPT: Final = 64

# What decides how files are read, besides the files themselves.
_PACKAGES: Final = ("agents", "catalog", "core", "entries", "loader", "workspace")
_LIBRARIES: Final = ("yaml", "markdown_it")


class Learned(NamedTuple):
    """What the sources claimed and how agents load it; `notices` are those that this caused."""

    references: list[Reference]
    loads: list[Load]
    notices: list[Notice]


class KnownScan:
    """The scan of one project in one scope, read back if nothing that it depends on has changed.

    It depends on the version of every file that was found, on the files that were read though they were not found, on
    the texts above the folder, on the scope, and on this program. A damaged, foreign or unwritable cache is the same
    as none. `began` is when the scan began, in nanoseconds since the epoch.
    """

    def __init__(self, looks: Looks, found: Sequence[Found], above: Above, scope: Scope, began: int) -> None:
        self._looks, self._found, self._began = looks, found, began
        self._is_worth = len(found) >= _FEWEST
        if self._is_worth:
            place = f"{looks.root.path}\0{scope!r}"
            self._file = user_cache_path("ctxtui") / "scans" / f"{_digest(_bytes(place))[:24]}.json"
            self._key = _digest(_bytes("\0".join((place, *_program(), *_files(found), *_texts(above)))))

    def read(self) -> Learned | None:
        """What is known; None if it is not known for exactly this state."""
        if not self._is_worth:
            return None
        try:
            head, _, body = read_file(self._file, _MAX_BYTES).data.partition(b"\n")
            if head.decode() != f"{self._key} {_digest(body)}":
                return None
            kept = json.loads(body)
            if not all(_version(self._looks.root.path, path) == stamp for path, stamp in kept["unlisted"]):
                return None
            learned = _read(kept, {file.path: file.stamp for file in self._found})
        except (ContextError, ValueError, KeyError, TypeError, IndexError, RecursionError):
            return None
        with suppress(OSError):
            os.utime(self._file)
        return learned

    def keep(self, learned: Learned) -> None:
        """Keep what was learned for the next opening, unless a file may still change unnoticed."""
        if not self._is_worth:
            return
        root, unlisted = self._looks.root.path, self._looks.unlisted
        versions = [(path, _version(root, path)) for path in sorted(unlisted)]
        stamps = [file.stamp for file in self._found] + [Stamp(*version) for _, version in versions if version]
        if any(stamp.is_young(self._began) for stamp in stamps):
            return
        # What has values that JSON does not give back as they were is read from the files each time.
        with suppress(ContextError, TypeError, ValueError, RecursionError):
            body = json.dumps(_written(learned, versions), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
            data = body.encode()
            write_atomic(self._file, _bytes(f"{self._key} {_digest(data)}\n") + data, mode=0o600)
            _prune(self._file.parent)


def _written(learned: Learned, versions: Sequence[tuple[str, Sequence[int] | None]]) -> dict[str, Any]:
    return {
        "unlisted": versions,
        "references": [_reference_row(each) for each in learned.references],
        "loads": [load_row(each) for each in learned.loads],
        "notices": [(each.code, each.message, each.path, each.line) for each in learned.notices],
    }


def _read(kept: Mapping[str, Any], stamps: Mapping[str, Stamp]) -> Learned:
    return Learned(
        [_reference_of(row, stamps) for row in kept["references"]],
        [load_of(row) for row in kept["loads"]],
        [Notice(*row) for row in kept["notices"]],
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


def _texts(above: Above) -> Iterator[str]:
    yield above.base.folder
    for path in above.paths:
        yield path
        yield above.text(path) or ""


def _program() -> Iterator[str]:
    """The state of this program, and of the libraries that read files for it."""
    yield sys.version
    package = Path(__file__).parent.parent
    for name in _PACKAGES:
        for folder, _, files in os.walk(package / name):
            for file in sorted(files):
                if not file.endswith(".pyc"):
                    yield _told(Path(folder, file))
    for name in _LIBRARIES:
        spec = find_spec(name)
        yield _told(Path(spec.origin)) if spec and spec.origin else ""


def _told(file: Path) -> str:
    status = file.stat()
    return f"{file} {status.st_mtime_ns} {status.st_size}"


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
    with suppress(OSError):
        files = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
        for file in files[:-_MOST_KEPT]:
            file.unlink()
