"""The filters of changed files, of one source and of sections: their steps and the rows that each step keeps."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from heapq import nlargest
from typing import Final, TypeVar

from ctxtui.core.disk.git.changes import Changes, WorkTree
from ctxtui.session.session import Session
from ctxtui.tui.tree.cells import part_size
from ctxtui.tui.tree.rows import Searchable, TreeRow
from ctxtui.workspace.opening.plain_files import PLAIN
from ctxtui.workspace.tree import Node
from ctxtui.workspace.workspace import Workspace

Step = str
"""`working`, `staged` or `since` for changed files, SECTIONS, or the name of a source."""
SECTIONS: Final[Step] = "sections"
# More rows than anybody reads.
_MOST_SECTIONS: Final = 2_000
Label = TypeVar("Label")
STEPS: Final[tuple[Step, ...]] = ("working", "staged", "since")


def changes_of(tree: WorkTree, step: Step | None) -> Changes:
    """The changes of a step, those of the working tree for all others."""
    return {"staged": tree.staged, "since": tree.since or Changes("")}.get(step or "", tree.working)


def following(tree: WorkTree, step: Step | None, listed: Collection[str]) -> Step | None:
    """The next step that keeps any of the listed paths, None after the last step (all files)."""
    left = STEPS[STEPS.index(step) + 1 :] if step in STEPS else STEPS
    return next((each for each in left if not changes_of(tree, each).by_path.keys().isdisjoint(listed)), None)


def following_source(step: Step | None, workspace: Workspace) -> Step | None:
    """The next source with documents, None after the last (all files). Plain files are no step."""
    sources = [each for each in dict.fromkeys(each.source for each in workspace.references) if each != PLAIN]
    left = sources[sources.index(step) + 1 :] if step in sources else sources
    return next(iter(left), None)


def title(tree: WorkTree, step: Step) -> str:
    if step == "since":
        return f"since {changes_of(tree, step).base}"
    return {"working": "changed", "staged": "staged", SECTIONS: "sections by tokens"}.get(step) or f"only {step}"


def kept(nodes: Iterable[tuple[Node, Label]], tree: WorkTree, step: Step) -> list[tuple[Node, Label]]:
    """The documents that a step keeps, and their sections. Each node comes with its text for the filter."""
    if step == SECTIONS:
        return [(node, label) for node, label in nodes if node.kind == "part"]
    known = [(node, label, node.reference) for node, label in nodes if node.reference]
    if step not in STEPS:
        return [(node, label) for node, label, reference in known if reference.source == step]
    paths = changes_of(tree, step).by_path.keys()
    return [(node, label) for node, label, reference in known if not paths.isdisjoint(reference.paths)]


def nothing_changed(workspace: Workspace, base: str | None = None) -> str:
    """The message for a project without changed files."""
    since = f", none since {base}" if base else ""
    return "the project's folder is gone" if workspace.is_gone else f"no changed files{since}"


def largest_sections(nodes: Searchable, session: Session) -> list[TreeRow]:
    """The sections and symbols among nodes as the rows of a flat list, largest first."""
    # A title above the whole text says no more than its file.
    inner = (
        place for place, (node, _) in enumerate(nodes) if node.part and (node.part.level > 1 or not node.children)
    )
    sized = ((part_size(nodes[place][0], session) or 0, place) for place in inner)
    largest = nlargest(_MOST_SECTIONS, sized, key=lambda each: (each[0], -each[1]))
    return [TreeRow(nodes[place][0], 0, False, False, -1, nodes[place][1]) for size, place in largest if size]


def documents(nodes: Searchable) -> list[TreeRow]:
    """The documents among nodes, each once, as the rows of a flat list."""
    rows: dict[str, TreeRow] = {}
    for node, label in nodes:
        if node.kind == "document":
            rows.setdefault(node.id, TreeRow(node, 0, False, False, -1, label))
    return list(rows.values())
