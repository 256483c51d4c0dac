"""The filter of changed files: its steps and the files that each step keeps."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, Literal, TypeVar

from ctxtui.core.disk.git.changes import Changes, WorkTree
from ctxtui.tui.tree.rows import Searchable, TreeRow
from ctxtui.workspace.tree import Node
from ctxtui.workspace.workspace import Workspace

Step = Literal["working", "staged", "since"]
Label = TypeVar("Label")
STEPS: Final[tuple[Step, ...]] = ("working", "staged", "since")


def changes_of(tree: WorkTree, step: Step) -> Changes:
    return {"working": tree.working, "staged": tree.staged, "since": tree.since or Changes("")}[step]


def following(tree: WorkTree, step: Step | None, listed: Collection[str]) -> Step | None:
    """The next step that keeps any of the listed paths, None after the last step (all files)."""
    left = STEPS[STEPS.index(step) + 1 :] if step else STEPS
    return next((each for each in left if not changes_of(tree, each).by_path.keys().isdisjoint(listed)), None)


def title(tree: WorkTree, step: Step) -> str:
    return {"working": "changed", "staged": "staged"}.get(step) or f"since {changes_of(tree, step).base}"


def kept(nodes: Iterable[tuple[Node, Label]], changes: Changes) -> list[tuple[Node, Label]]:
    """The changed documents and their sections. Each node comes with its text for the filter."""
    paths = changes.by_path.keys()
    return [(node, label) for node, label in nodes if node.reference and not paths.isdisjoint(node.reference.paths)]


def nothing_changed(workspace: Workspace, base: str | None = None) -> str:
    """The message for a project without changed files."""
    since = f", none since {base}" if base else ""
    return "the project's folder is gone" if workspace.is_gone else f"no changed files{since}"


def documents(nodes: Searchable) -> list[TreeRow]:
    """The documents among nodes, each once, as the rows of a flat list."""
    rows: dict[str, TreeRow] = {}
    for node, label in nodes:
        if node.kind == "document":
            rows.setdefault(node.id, TreeRow(node, 0, False, False, -1, label))
    return list(rows.values())
