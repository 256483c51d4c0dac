"""Whether a folder can be a catalog's root, and which folder is meant if it cannot."""

from __future__ import annotations

import os
from pathlib import Path

from ctxtui.catalog.find import find_catalogs
from ctxtui.core.errors import ContextError
from ctxtui.core.files.open_at import exists, is_folder
from ctxtui.core.notices import Notice

_NAVIGATION = ("loading_protocol.md", "cross_domain.md")
_WANTED = "give the folder that contains the domains"


def misplaced(root: Path) -> Notice | None:
    """What is wrong with a root: it does not exist, is not a folder, cannot be read, or the catalog is below it."""
    if not exists(root):
        return Notice("empty-catalog", f"{root} does not exist; {_WANTED}")
    if not is_folder(root):
        return Notice("empty-catalog", f"{root} is a file; {_WANTED}")
    if not os.access(root, os.R_OK | os.X_OK):
        return Notice("empty-catalog", f"no permission to read {root}; make it readable")
    if any(exists(root / name) for name in _NAVIGATION):
        return None
    return _below(root)


def _below(root: Path) -> Notice | None:
    try:
        found = find_catalogs(root)
    except (ContextError, OSError):
        return None
    if not found or "" in found:
        return None
    what = "the catalog is" if len(found) == 1 else "the catalogs are"
    message = f"{what} in {', '.join(found)}; open {root / found[0]} instead of {root}"
    return Notice("catalog-below", message)
