"""Declared numbers of the rows: nothing is read while a row is drawn, and nothing is looked at twice."""

from __future__ import annotations

from dataclasses import replace

from ctxtui import Workspace
from ctxtui.audit.types import Settings
from ctxtui.tui.work.drift import Drifts, drifts_in
from tests.conftest import Project

FILES = {
    "know/index.md": "# Index\n",
    "know/py/index.md": "# Python\n",
    "know/py/wrong.md": f"---\nestimatedTokens: 10\n---\n{'Many words. ' * 400}",
    "know/py/right.md": "---\nestimatedTokens: 8\n---\nA short text of a few words.\n",
}


def test_a_number_is_known_once_it_was_looked_at(project: Project) -> None:
    workspace = Workspace.open(project(FILES))
    asked: list[bool] = []
    session, drifts = workspace.session(), Drifts(Settings(), lambda: asked.append(True))
    counter = session.budget.counter
    wrong, right = (workspace.by_path[f"know/py/{name}.md"] for name in ("wrong", "right"))
    assert [drifts.find(each, counter) for each in (wrong, right, wrong)] == ["", "", ""]
    assert asked == [True], "once for all that is drawn at a time"
    (workspace.root / wrong.path).rename(workspace.root / "aside.md")
    assert drifts.find(wrong, counter) == "", "nothing is read for an answer"
    (workspace.root / "aside.md").rename(workspace.root / wrong.path)
    drifts.look(session)
    assert drifts.find(wrong, counter).startswith("drift +")
    assert drifts.find(right, counter) == ""
    assert drifts.take() == []
    other = session.with_budget(tokenizer="heuristic").budget.counter
    assert drifts.find(wrong, other) == ""
    assert drifts.take() == [wrong], "another tokenizer counts otherwise"
    assert asked == [True, True]


def test_a_file_that_is_gone_has_no_badge(project: Project) -> None:
    workspace = Workspace.open(project(FILES))
    session, drifts = workspace.session(), Drifts(Settings(), lambda: None)
    gone = workspace.by_path["know/py/wrong.md"]
    (workspace.root / gone.path).unlink()
    assert drifts.find(gone, session.budget.counter) == ""
    drifts.look(session)
    assert drifts.find(gone, session.budget.counter) == ""
    assert drifts.take() == []


def test_what_is_known_lasts_as_long_as_the_settings(project: Project) -> None:
    root = project(FILES)
    first = drifts_in(root, None, list)
    assert first is not None
    assert drifts_in(root, first, list) is first
    other = drifts_in(root, Drifts(replace(Settings(), drift_tokens=1), list), list)
    assert other is not None
    assert other.settings == first.settings
    (root / "ctxtui.toml").write_text('[rules]\ntoken-drift = "off"\n')
    assert drifts_in(root, first, list) is None
