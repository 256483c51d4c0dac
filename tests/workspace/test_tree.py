from collections.abc import Iterator
from pathlib import Path

from ctxtui import Workspace
from ctxtui.core import get_counter
from ctxtui.workspace.tree import Node
from tests.cases import cases
from tests.conftest import Project


def _all(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _all(child)


def test_every_node_is_found_by_its_id(sample: Path) -> None:
    workspace = Workspace.open(sample)
    nodes = [node for node in _all(workspace.tree) if node.id]
    assert len({node.id for node in nodes}) == len(nodes) > 60
    for node in nodes:
        found = workspace.find(node.id)
        assert found is not None
        assert (found.id, found.kind, found.title) == (node.id, node.kind, node.title)


def test_every_node_can_be_picked_and_costs_its_tokens(sample: Path) -> None:
    workspace = Workspace.open(sample)
    session = workspace.session()
    for node in _all(workspace.tree):
        if node.kind == "part" and node.tokens:
            payload = session.with_output(secrets="keep").pick(node.id).layout()
            assert session.pick(node.id).state(node.id) == "all"
            # The text alone may join the header otherwise, and gets a line feed where it has none.
            assert abs(payload.text_tokens - node.tokens) <= 2, node.id


def test_folders_count_what_lies_below_them(sample: Path) -> None:
    for node in _all(Workspace.open(sample).tree):
        if node.kind == "folder":
            assert node.tokens == sum(child.tokens for child in node.children)


def test_documents_count_their_whole_file(sample: Path) -> None:
    workspace = Workspace.open(sample)
    counter = get_counter()
    for node in workspace.tree.walk():
        if node.kind == "document":
            assert node.reference is not None
            assert node.tokens == counter.count((sample / node.reference.path).read_bytes().decode())
            assert not node.children or node.tokens == sum(child.tokens for child in node.children)


def test_a_documents_children_are_its_frontmatter_preamble_and_top_sections(project: Project) -> None:
    workspace = Workspace.open(project({"a.md": "---\nid: a\n---\nhi\n# A\n## B\n### C\n# D\n", "b.py": "# no\n"}))
    node = workspace.find("a.md")
    assert node is not None
    assert [child.title for child in node.children] == ["(frontmatter)", "(preamble)", "A", "D"]
    assert [inner.id for inner in _all(node.children[2])] == ["a.md#a", "a.md#b", "a.md#c"]
    plain = workspace.find("b.py")
    assert plain is not None
    assert plain.children == ()


@cases("id_", ["gone.md", "a.md#gone", "gone.md#a", "files#a", "", "#", "files"])
def test_what_is_not_there_is_not_found(project: Project, id_: str) -> None:
    found = Workspace.open(project({"a.md": "# A\n"})).find(id_)
    assert found is None or (id_ == "" and found.kind == "folder")


def test_an_unreadable_document_has_no_children_and_no_tokens(project: Project) -> None:
    workspace = Workspace.open(project({"a.md": b"a\0b"}))
    node = workspace.find("a.md")
    assert node is not None
    assert (node.children, node.tokens) == ((), 0)
