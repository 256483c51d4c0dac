"""The reference of a plain file, which follows from its path."""

from __future__ import annotations

from functools import lru_cache
from sys import intern
from typing import Final

from ctxtui.core.disk.walk import Found
from ctxtui.core.text.metadata.reference import LAST, Reference, encode_id

PLAIN: Final = "files"
"""The source of plain files."""


def plain_reference(file: Found) -> Reference:
    """The reference of a file that no other source claims and that is not large data."""
    path = file.path
    folder, _, name = path.rpartition("/")
    return Reference(
        encode_id(path), path, PLAIN, _group(folder), intern(name), file.stamp, LAST, ignored=file.ignored
    )


# Files come in the order of their paths; each group and each name is in memory once.
@lru_cache(maxsize=1024)
def _group(folder: str) -> tuple[str, ...]:
    above, _, name = folder.rpartition("/")
    return (*_group(above), intern(name)) if folder else (PLAIN,)
