"""What scans learned of each file, kept in the cache: after a change, only the files that changed are read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ctxtui.core.files.by_file import ByFile, Version
from ctxtui.core.files.kept import kept_file, read_kept, write_kept
from ctxtui.core.files.walk import Found
from ctxtui.workspace.known_scan import place_of
from ctxtui.workspace.scope import Scope

_KIND = "files"


def known_files(root: Path, scope: Scope, found: Sequence[Found]) -> ByFile:
    """What earlier scans learned of the files that were found."""
    kept = read_kept(kept_file(_KIND, place_of(root, scope)))
    return ByFile(found, _read(kept.data) if kept else {})


def keep_files(root: Path, scope: Scope, by_file: ByFile, began: int) -> None:
    """Keep what is known now; `began` is when the scan began, in nanoseconds since the epoch."""
    rows = by_file.to_keep(began)
    if rows is not None:
        versions = json.dumps([(path, *version) for path, (version, _) in rows.items()])
        data = b"\n".join((versions.encode(), *(row for _, row in rows.values())))
        write_kept(kept_file(_KIND, place_of(root, scope)), data)


def _read(data: bytes) -> dict[str, tuple[Version, bytes]]:
    versions, *rows = data.split(b"\n")
    known = zip(json.loads(versions), rows, strict=True)
    return {path: ((real, mtime, ctime, size), row) for (path, real, mtime, ctime, size), row in known}
