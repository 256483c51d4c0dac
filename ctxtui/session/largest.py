"""The largest files and folders of a project, context or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice

from ctxtui.session.figures import Total
from ctxtui.workspace.tree import Node
from ctxtui.workspace.workspace import Workspace

# A folder that has more than this part of its tokens in one folder says nothing that the inner one does not.
_MOSTLY = 0.8


@dataclass(frozen=True, slots=True)
class Large:
    """A file or a folder with its tokens; `id` is what picks it, `source` that of its files (of the first one)."""

    id: str
    name: str
    source: str
    total: Total
    is_folder: bool = False


def largest_files(workspace: Workspace, totals: Mapping[str, Total], count: int = 8) -> tuple[Large, ...]:
    """The files with the most tokens, each once for all its links, without large data and what is uncounted."""
    known = (
        (each, total)
        for each in workspace.references
        if (total := totals.get(each.id)) is not None and total.counted and total.tokens and not each.large
    )
    first = nsmallest(count, known, key=lambda pair: (-pair[1].tokens, pair[0].path))
    return tuple(Large(each.id, each.path, each.source, total) for each, total in first)


def largest_folders(workspace: Workspace, totals: Mapping[str, Total], count: int = 5) -> tuple[Large, ...]:
    """The folders of several files with the most tokens, without those that hold little beside one inner folder."""
    tree = workspace.tree
    sums = (
        (id_, total) for id_ in tree.folder_ids if (total := totals.get(id_)) and total.tokens and total.files > 1
    )
    ordered = sorted(sums, key=lambda each: (-each[1].tokens, each[0]))
    # Only the largest are looked into: a large project has tens of thousands of folders.
    nodes = ((tree.folder(id_), total) for id_, total in ordered)
    found = (large for node, total in nodes if node and (large := _large(node, total, totals)) is not None)
    return tuple(islice(found, count))


def _large(node: Node, total: Total, totals: Mapping[str, Total]) -> Large | None:
    inner = (totals.get(child.id, Total()).tokens for child in node.children if child.kind == "folder")
    if max(inner, default=0) > _MOSTLY * total.tokens:
        return None
    return Large(node.id, node.id, next(node.documents()).source, total, True)
