"""The reference of a plain file, which follows from its path."""

from __future__ import annotations

from typing import Final

from ctxtui.core.files.walk import Found
from ctxtui.core.metadata.reference import LAST, Reference, encode_id

PLAIN: Final = "files"
"""The source of plain files."""


def plain_reference(file: Found) -> Reference:
    """The reference of a file that no other source claims and that is not large data."""
    folders = file.path.split("/")
    return Reference(
        id=encode_id(file.path),
        path=file.path,
        source=PLAIN,
        group=(PLAIN, *folders[:-1]),
        title=folders[-1],
        stamp=file.stamp,
        priority=LAST,
        ignored=file.ignored,
    )
