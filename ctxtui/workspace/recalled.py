"""What a project was when it was scanned last, told at once, without a look at its files."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ctxtui.core.files.kept import recall_kept
from ctxtui.workspace.file_table import unpacked
from ctxtui.workspace.known_scan import Learned, State, kept_scan, learned_of, parts_of, state_of
from ctxtui.workspace.scope import Scope


class Recalled(NamedTuple):
    """What was learned, the paths of all files, and the state of the `KnownScan`."""

    learned: Learned
    paths: list[str]
    state: State


def recall(root: Path, scope: Scope) -> Recalled | None:
    """What the last scan of a folder in a scope found; None if that is not known.

    Any file may have changed since: a scan must follow. The user's home folder is never known.
    """
    file = kept_scan(root, scope)
    kept = None if scope.home else recall_kept(file)
    if kept is None:
        return None
    try:
        parts = parts_of(kept)
        found = unpacked(parts.files())
        learned = learned_of(root, scope, parts, found)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    if learned is None:
        return None
    return Recalled(learned, [each.path for each in found], state_of(file, kept, parts))
