"""The largest files and folders of a project, context or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ctxtui.core.dataclass import dataclass
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
        Large(each.id, each.path, each.source, total)
        for each in workspace.references
        if (total := totals.get(each.id)) is not None and total.counted and total.tokens and not each.large
    )
    return _first(known, count)


def largest_folders(workspace: Workspace, totals: Mapping[str, Total], count: int = 5) -> tuple[Large, ...]:
    """The folders of several files with the most tokens, without those that hold little beside one inner folder."""
    folders = (node for node in workspace.tree.walk() if node.kind == "folder" and node.id)
    return _first((large for node in folders if (large := _large(node, totals)) is not None), count)


def _first(all_: Iterator[Large], count: int) -> tuple[Large, ...]:
    return tuple(sorted(all_, key=lambda each: (-each.total.tokens, each.name))[:count])


def _large(node: Node, totals: Mapping[str, Total]) -> Large | None:
    total = totals.get(node.id, Total())
    inner = (totals.get(child.id, Total()).tokens for child in node.children if child.kind == "folder")
    if total.files < 2 or not total.tokens or max(inner, default=0) > _MOSTLY * total.tokens:
        return None
    return Large(node.id, node.id, next(node.documents()).source, total, True)
