"""The largest files of a project, context or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nsmallest

from ctxtui.session.figures import Total
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Large:
    """A file with its tokens. `id` picks it."""

    id: str
    name: str
    source: str
    total: Total


def largest_files(workspace: Workspace, totals: Mapping[str, Total], count: int = 8) -> tuple[Large, ...]:
    """The files with the most tokens, without links, large data and uncounted files."""
    known = (
        (each, total)
        for each in workspace.references
        if (total := totals.get(each.id)) is not None and total.counted and total.tokens and not each.large
    )
    first = nsmallest(count, known, key=lambda pair: (-pair[1].tokens, pair[0].path))
    return tuple(Large(each.id, each.path, each.source, total) for each, total in first)
