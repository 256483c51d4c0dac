"""The largest files and folders of a project, context or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice

from ctxtui.session.figures import Total
from ctxtui.workspace.tree import Node
from ctxtui.workspace.workspace import Workspace

# A folder with more than this share of its tokens in one inner folder adds nothing to the list.
_MOSTLY = 0.8


@dataclass(frozen=True, slots=True)
class Large:
    """A file or folder with its tokens. `id` picks it. `source` is the source of its (first) file."""

    id: str
    name: str
    source: str
    total: Total
    is_folder: bool = False


def largest_files(workspace: Workspace, totals: Mapping[str, Total], count: int = 8) -> tuple[Large, ...]:
    """The files with the most tokens, without links, large data and uncounted files."""
    known = (
        (each, total)
        for each in workspace.references
        if (total := totals.get(each.id)) is not None and total.counted and total.tokens and not each.large
    )
    first = nsmallest(count, known, key=lambda pair: (-pair[1].tokens, pair[0].path))
    return tuple(Large(each.id, each.path, each.source, total) for each, total in first)


def largest_folders(workspace: Workspace, totals: Mapping[str, Total], count: int = 5) -> tuple[Large, ...]:
    """The folders with the most tokens, without folders that mostly consist of one inner folder."""
    tree = workspace.tree
    sums = (
        (id_, total) for id_ in tree.folder_ids if (total := totals.get(id_)) and total.tokens and total.files > 1
    )
    ordered = sorted(sums, key=lambda each: (-each[1].tokens, each[0]))
    # A large project has tens of thousands of folders. Look into the largest only.
    nodes = ((tree.folder(id_), total) for id_, total in ordered)
    found = (large for node, total in nodes if node and (large := _large(node, total, totals)) is not None)
    return tuple(islice(found, count))


def _large(node: Node, total: Total, totals: Mapping[str, Total]) -> Large | None:
    inner = (totals.get(child.id, Total()).tokens for child in node.children if child.kind == "folder")
    if max(inner, default=0) > _MOSTLY * total.tokens:
        return None
    return Large(node.id, node.id, next(node.documents()).source, total, True)
