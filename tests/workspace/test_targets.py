"""Targets: whatever the program names, it finds again, also with `#` and `%` in names."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.errors import NotFound
from ctxtui.core.base.target import Target
from ctxtui.core.text.metadata.reference import encode_id
from ctxtui.workspace.resolve import resolve
from ctxtui.workspace.tree import Node
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project

NAMES = st.text("a#%/. é", min_size=1, max_size=6)
FILES = {
    "plain.md": "# One\n\ntext\n\n# Two\n\n## Two/Three\n",
    "a#b.md": "---\ntype: x\n---\nbefore\n\n# One\n",
    "50%23.md": "# 50 %\n",
    "x#y/z.md": "# Z\n",
    "x#y/#/w#.md": "# W\n",
    "50%23/q.md": "# Q\n",
}


@given(NAMES, NAMES)
def test_what_is_written_is_read_back(path: str, section: str) -> None:
    for target in (Target(encode_id(path)), Target(encode_id(path).rstrip("/") or "a", section.rstrip("/"))):
        assert Target.parse(str(target)) == target
    folder = Target(f"{path}/")
    assert Target.parse(str(folder)) == folder


def _below(node: Node) -> list[Node]:
    return [node, *(inner for child in node.children for inner in _below(child))]


@pytest.mark.parametrize("files", [FILES, None], ids=["odd", "sample"])
def test_every_row_of_the_tree_is_found_and_picked_by_its_id(project: Project, sample: Path, files: Any) -> None:
    workspace = Workspace.open(project(files) if files else sample)
    empty = workspace.session()
    rows = _below(workspace.tree)[1:]
    assert len({node.id for node in rows}) == len(rows) > (12 if files else 60)
    for node in rows:
        target = Target.parse(node.id)
        assert str(target) == node.id
        found = workspace.find(node.id)
        assert (found.id, found.kind, found.title) == (node.id, node.kind, node.title)
        assert resolve(workspace, node.id) == target
        picked = empty.pick(node.id)
        assert picked.state(node.id) == "all", node.id
        assert picked.drop(node.id).picks == ()
        assert empty.mark_rows([node.id], True).picks == picked.picks


def test_a_dot_in_a_folder_begins_no_ending(project: Project) -> None:
    files = {"v1.2/Makefile": "all:\n", "v1.2/.env": "A=1\n", "v1.2/run.cfg.py": "x = 1\n"}
    workspace = Workspace.open(project(files))
    for name in ("v1", "v1.2/run", "run"):
        with pytest.raises(NotFound):
            resolve(workspace, name)
    assert str(resolve(workspace, "run.cfg")) == "v1.2/run.cfg.py"
    assert str(resolve(workspace, "Makefile")) == "v1.2/Makefile"


def test_a_query_is_named_as_one_likes(project: Project) -> None:
    session = Workspace.open(project(FILES)).session().with_query("a#b/", {"context": "all"}).pick("plain.md")
    (query, _) = session.picks
    assert session.state(query.id) == "all"
    assert session.pin(query.id).picks[0].pinned
    assert [pick.id for pick in session.move(query.id, 1).picks] == ["plain.md", query.id]
    assert [pick.id for pick in session.drop(query.id).picks] == ["plain.md"]
