"""The rows of the tree are made on demand, and are those that one would make all at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.session.figures import Totals, totals
from ctxtui.tui.tree.rows import ORDERS, Order, Outline
from ctxtui.workspace.tree import Node
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project

_FILES = {
    "AGENTS.md": "# Agents\n\nText.\n\n## One\n\n### Inner\n\n## Two\n",
    ".context/TASKS.md": "# Tasks\n\n- [ ] one\n",
    **{
        f"src/{a}/{b}/f{c}.md": f"# {a}{b}{c}\n\n## Part\n\n{'words ' * (c + 3 * len(a))}\n"
        for a in "xy"
        for b in "pq"
        for c in range(3)
    },
    "src/x/top.md": "# Top\n",
    "src/empty.txt": "",
}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Totals]:
    root: Path = tmp_path_factory.mktemp("outline")
    for name, text in _FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    workspace = Workspace.open(root)
    return workspace, totals(workspace, workspace.session().budget.counter)


def every_node(node: Node) -> Iterator[Node]:
    for child in node.children:
        yield child
        yield from every_node(child)


def in_order(node: Node, found: Totals, order: Order) -> list[Node]:
    """The nodes inside a node; of the root in the flat order, all documents."""
    if order == "flat" and not node.id:
        leaves = [each for each in every_node(node) if each.kind == "document"]
        return sorted(leaves, key=lambda each: (-found[each.id].tokens, each.id))
    if order == "path" or node.kind != "folder":
        return list(node.children)
    return sorted(node.children, key=lambda each: (-found[each.id].tokens, -found[each.id].left))


def all_at_once(
    node: Node, opened: frozenset[str], found: Totals, order: Order, depth: int = 0
) -> Iterator[tuple[str, int, bool]]:
    for child in in_order(node, found, order):
        is_open = child.id in opened and bool(child.children)
        yield child.id, depth, is_open
        if is_open:
            yield from all_at_once(child, opened, found, order, depth + 1)


@given(st.data())
def test_rows_on_demand_are_those_made_at_once(known: tuple[Workspace, Totals], data: st.DataObject) -> None:
    workspace, found = known
    nodes = list(every_node(workspace.tree))
    order = data.draw(st.sampled_from(list(ORDERS)))
    differing = frozenset(data.draw(st.sets(st.sampled_from([node.id for node in nodes]), max_size=6)))
    opened = data.draw(st.sampled_from((differing, differing ^ workspace.tree.folder_ids)))
    rows = Outline(workspace.tree, opened, workspace.by_id, found, order)
    wanted = list(all_at_once(workspace.tree, opened, found, order))
    assert len(rows) == len(wanted)
    # In any order, since what is asked for first is made first.
    places = data.draw(st.permutations(range(len(wanted))))
    seen = {place: rows[place] for place in places}
    assert [(seen[place].node.id, seen[place].depth, seen[place].is_open) for place in range(len(wanted))] == wanted
    for place, row in seen.items():
        above = max((each for each in range(place) if wanted[each][1] < row.depth), default=-1)
        assert row.above == above
    shown_at = {row.node.id: place for place, row in seen.items()}
    assert all(rows.place_of(node) == shown_at.get(node.id) for node in nodes)


def test_a_row_is_no_reason_to_make_its_neighbors(project: Project) -> None:
    workspace = Workspace.open(project({f"only/{a}/{b}.txt": "" for a in "xyz" for b in "pq"}))
    tree = workspace.tree
    rows = Outline(tree, frozenset(tree.folder_ids), workspace.by_id, Totals())
    assert tree.below == len(rows) == 10
    assert rows[-1].node.id == "only/z/q.txt"
    made = {each.id for each in gc.get_objects() if isinstance(each, Node)}
    assert {"only/x/", "only/z/p.txt"} <= made
    assert made.isdisjoint({"only/x/p.txt", "only/y/q.txt"})


def test_places_outside_are_no_rows(known: tuple[Workspace, Totals]) -> None:
    workspace, found = known
    rows = Outline(workspace.tree, frozenset(), workspace.by_id, found)
    assert [row.node.id for row in rows] == [node.id for node in workspace.tree.children]
    assert rows[-1].node is workspace.tree.children[-1]
    with pytest.raises(IndexError):
        rows[len(rows)]
