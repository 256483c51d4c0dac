"""Folders: one row for each in the tree, and every door agrees on what a pick of it picks."""

from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui import Session, Workspace
from ctxtui.core import get_counter
from ctxtui.session.figures import Total, picked_tokens, totals
from ctxtui.session.pick_words import pick_words
from ctxtui.workspace.counting import count_all
from ctxtui.workspace.tree import Node
from tests.conftest import Project

ODD = "a.md AGENTS.md .context TASKS.md docs yarn.lock cassettes __snapshots__ x.min.js d# d%23 50% ~ files [id] !no"
NAMES = st.sampled_from([*ODD.split(), "large data", "\u00e9", "e\u0301"])
PATHS = st.sets(st.lists(NAMES, min_size=1, max_size=4).map("/".join), min_size=1, max_size=9)
ACTS = st.lists(st.tuples(st.sampled_from(["pick", "drop", "toggle", "pin"]), st.integers(0, 30)), max_size=5)


def opened(project: Project, paths: set[str]) -> Workspace:
    # No path may be a folder of another.
    kept = {path for path in paths if not any(other.startswith(f"{path}/") for other in paths)}
    return Workspace.open(project({path: f"text of {path}\n" for path in sorted(kept)}), on_notice=lambda _: None)


def folders(workspace: Workspace) -> list[Node]:
    return [node for node in workspace.tree.walk() if node.kind == "folder"]


@given(PATHS)
@example({"docs/AGENTS.md", "docs/a.md", "docs/yarn.lock", "docs/files/TASKS.md", ".context/TASKS.md"})
def test_every_folder_has_one_row_with_all_that_is_in_it(project: Project, paths: set[str]) -> None:
    workspace = opened(project, paths)
    nodes = list(workspace.tree.walk())
    around = {"/".join(each.path.split("/")[:depth]) for each in workspace.references for depth in range(1, 5)}
    around -= {each.path for each in workspace.references}
    assert sorted(node.id for node in folders(workspace)) == sorted(["", *(f"{each}/" for each in around)])
    documents = [node.reference for node in nodes if node.reference]
    assert sorted(documents, key=lambda each: each.path) == sorted(workspace.references, key=lambda each: each.path)
    assert all(workspace.find(node.id) is node for node in nodes)
    for node in nodes:
        names = [child.reference.path if child.reference else child.id[:-1] for child in node.children]
        assert names == sorted(names)
        assert all(name.rpartition("/")[0] == node.id[:-1] for name in names) or node.kind == "document"


@given(PATHS, st.booleans())
def test_the_totals_of_a_folder_are_the_sums_of_its_rows(project: Project, paths: set[str], with_large: bool) -> None:
    workspace, counter = opened(project, paths), get_counter()
    count_all(workspace, counter, with_large=with_large)
    found = totals(workspace, counter)
    for node in folders(workspace):
        assert found[node.id] == Total(*map(sum, zip(*(found[child.id] for child in node.children), strict=True)))
    assert found[""].files == len(workspace.references)


@given(PATHS, ACTS)
@example({"docs/AGENTS.md", "docs/a.md", "docs/yarn.lock", "cassettes/yarn.lock", "x.min.js"}, [("pick", 0)])
@example({"z/AGENTS.md", "b.md", "z/c.md", "yarn.lock"}, [("pick", 3), ("toggle", 0)])
@example({"a.md", "cassettes/x.min.js", "cassettes/yarn.lock"}, [("pick", 3)])
@example({"\u00e9/a.md", "e\u0301"}, [("pick", 0)])
@example({"e\u0301/a.md", "\u00e9"}, [("pick", 0)])
def test_a_pick_of_a_folder_means_the_same_at_every_door(
    project: Project, paths: set[str], acts: list[tuple[str, int]]
) -> None:
    workspace = opened(project, paths)
    nodes, session = list(workspace.tree.walk()), workspace.session()
    for act, place in acts:
        session = getattr(session, act)(nodes[place % len(nodes)].id)
        agrees(session)
    for node in folders(workspace):
        picked = workspace.session().pick(node.id)
        agrees(picked)
        usual = [each.id for each in node.documents() if not each.large] or [each.id for each in node.documents()]
        assert sorted(each.id for each in picked.picks) == sorted(usual)
        by_word, _ = pick_words(workspace.session(), [f"./{node.id}"], lambda _: None, workspace.root)
        assert picked.picks == by_word.picks == workspace.session().mark_rows([node.id], True).picks
        every = workspace.session().pick_in_order([each.id for each in workspace.references])
        assert every.drop(node.id).state(node.id) == picked.toggle(node.id).state(node.id) == "none"


def agrees(session: Session) -> None:
    """The state of each folder is that of its mark."""
    sums = totals(session.workspace, get_counter())
    found = picked_tokens(session, {pick.id: sums[pick.id].tokens for pick in session.picks})
    for node in folders(session.workspace)[1:]:
        touched = found.get(node.id)
        mark = "none" if touched is None else "all" if touched.is_all(sums[node.id]) else "part"
        assert session.state(node.id) == mark, (node.id, session.picks)
