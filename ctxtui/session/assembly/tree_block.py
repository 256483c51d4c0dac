"""The tree block: a tree of the project's files at the start of the payload."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ctxtui.core.payload.file_tree import file_tree
from ctxtui.core.payload.formats import Label
from ctxtui.core.payload.types import TREE_ID, Draft, Tree
from ctxtui.core.text.metadata.reference import LAST
from ctxtui.core.text.secrets import redact
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import span
from ctxtui.workspace.workspace import Workspace

_LABEL: Final = Label("project tree", markdown=False, language="text")


def tree_draft(
    workspace: Workspace, tree: Tree | None, drafts: Sequence[Draft], counter: TokenCounter
) -> tuple[Draft, ...]:
    text = full_tree(workspace) if tree == "all" else picked_tree(workspace, drafts) if tree == "picked" else ""
    shown = redact(text)[0]
    return (Draft(TREE_ID, _LABEL, LAST, False, span(counter, shown), lambda: shown),) if shown else ()


def picked_tree(workspace: Workspace, drafts: Sequence[Draft]) -> str:
    """The tree of the drafts' files."""
    sources = (draft.label.source for draft in drafts)
    return file_tree(_name(workspace), (path for path in sources if path in workspace.by_path))


def full_tree(workspace: Workspace) -> str:
    """The tree of all listed files, made once per snapshot."""
    known: str | None = workspace.chosen.get(TREE_ID)
    if known is None:
        known = file_tree(_name(workspace), (each.path for each in workspace.references))
        workspace.chosen[TREE_ID] = known
    return known


def _name(workspace: Workspace) -> str:
    return workspace.root.name or "project"
