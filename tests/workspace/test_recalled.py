"""A project is told as it was seen last, and then as it is."""

from __future__ import annotations

import time
from dataclasses import astuple
from itertools import count
from typing import Any

import pytest

from ctxtui.core.base.notices import Notice
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project

_FILES = {
    "AGENTS.md": "# Agents\n\nRead @docs/guide.md first.\n",
    ".claude/skills/odd/SKILL.md": "---\nname: [odd\n---\n# Odd\n",
    ".context/TASKS.md": "# Tasks\n\n- [ ] one\n",
    "catalog/index.md": "---\nloadingStrategy: always\nestimatedTokens: 12\n---\n# Index\n",
    "docs/guide.md": "# Guide\n",
    "src/deep/er/a#b.md": "# A\n",
}


@pytest.fixture(autouse=True)
def _later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock well after the last change, as when people come back to a project."""
    real, ticks = time.time_ns, count(1)
    monkeypatch.setattr(time, "time_ns", lambda: real() + next(ticks) * 3_600 * 10**9)


def _rows(workspace: Workspace) -> list[tuple[Any, ...]]:
    """The references as values: their details are compared by identity."""
    return [astuple(each) for each in workspace.references]


def test_a_project_is_recalled_as_it_was_opened(project: Project) -> None:
    root = project(_FILES)
    (root / "docs/link.md").symlink_to("guide.md")
    opened = Workspace.open(root)
    told: list[Notice] = []
    recalled = Workspace.recall(root, on_notice=told.append)
    assert recalled.is_recalled
    assert not opened.is_recalled
    assert _rows(recalled) == _rows(opened)
    assert list(recalled.loads) == list(opened.loads)
    assert recalled.paths == opened.paths
    assert recalled.state == opened.state
    assert recalled.notices == opened.notices == tuple(told)
    assert [node.id for node in recalled.tree.walk()] == [node.id for node in opened.tree.walk()]
    assert recalled.document(recalled.references[0]).text == opened.document(opened.references[0]).text


def test_the_next_look_sees_every_change_and_no_other(project: Project) -> None:
    root = project(_FILES)
    Workspace.open(root)
    recalled = Workspace.recall(root)
    assert _rows(recalled.reload()) == _rows(recalled)
    (root / "docs/guide.md").write_text("# Guide, longer\n", "utf-8")
    (root / "new.md").write_text("# New\n", "utf-8")
    (root / "AGENTS.md").unlink()
    stale = Workspace.recall(root)
    assert _rows(stale) == _rows(recalled)
    now = stale.reload()
    assert _rows(now) == _rows(Workspace.open(root))
    assert {each.path for each in now.references} ^ {each.path for each in stale.references} == {
        "new.md",
        "AGENTS.md",
    }
    assert not now.is_recalled


def test_the_next_look_in_another_scope_sees_what_is_in_that(project: Project) -> None:
    """Ignored files are found in every scope, and listed in some."""
    root = project({**_FILES, ".gitignore": "docs/guide.md\n"})
    scopes = [Scope(), Scope(with_ignored=True)]
    opened = {scope: Workspace.open(root, scope=scope) for scope in scopes}
    assert len({len(each.references) for each in opened.values()}) == 2
    workspace = Workspace.recall(root)
    for scope in [*scopes, *scopes]:
        workspace = workspace.reload(scope=scope)
        assert workspace.scope == scope
        assert _rows(workspace) == _rows(opened[scope])
        assert workspace.state == opened[scope].state
        assert _rows(workspace.reload()) == _rows(workspace)


def test_another_scope_and_files_at_home_are_not_recalled(project: Project) -> None:
    root = project(_FILES)
    Workspace.open(root)
    assert not Workspace.recall(root, scope=Scope(exclude=("docs",))).is_recalled
    Workspace.open(root, scope=Scope(home=True))
    assert not Workspace.recall(root, scope=Scope(home=True)).is_recalled
    assert not Workspace.recall(root / "docs").is_recalled
