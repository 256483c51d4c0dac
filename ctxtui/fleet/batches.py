"""Small repositories together, large ones alone: what one worker of a cluster gets at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from ctxtui.core.disk.remote.address import is_address
from ctxtui.fleet.types import Member

# A batch takes a second or two: long beside what sending it takes, short if it has to be done again.
_MOST: Final = 8
_WEIGHT: Final = 600
# What fetching takes is not known before.
_REMOTE: Final = _WEIGHT // 2
# What listing takes even if a folder is empty.
_LEAST: Final = 20
_SKIPPED: Final = frozenset({".git", "node_modules"})


def batches(members: Iterable[Member]) -> Iterator[tuple[Member, ...]]:
    """The repositories in order, in groups of about the same work."""
    batch: list[Member] = []
    weight = 0
    for member in members:
        batch.append(member)
        weight += _weight(member)
        if len(batch) >= _MOST or weight >= _WEIGHT:
            yield tuple(batch)
            batch, weight = [], 0
    if batch:
        yield tuple(batch)


def _weight(member: Member) -> int:
    """A guess at the work: the number of files, counted no further than to a full batch."""
    if is_address(member.place):
        return _REMOTE
    found = _LEAST
    folders = [Path(member.place)]
    while folders and found < _WEIGHT:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    found += 1
                    if found >= _WEIGHT:
                        break
                    if entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
        except OSError:
            continue
    return found
