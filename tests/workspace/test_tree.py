from pathlib import Path

from ctxtui import Workspace
from ctxtui.core import get_counter
from ctxtui.workspace.tree import Node
from tests.cases import cases
from tests.conftest import Project


def _below(node: Node) -> list[Node]:
    return [node, *(inner for child in node.children for inner in _below(child))]


def test_every_node_can_be_picked_and_costs_its_tokens(sample: Path) -> None:
    workspace = Workspace.open(sample)
    session = workspace.session()
    parts = [node for node in _below(workspace.tree) if node.kind == "part" and node.tokens]
    assert len(parts) > 20
    for node in parts:
        payload = session.with_output(secrets="keep").pick(node.id).layout()
        assert session.pick(node.id).state(node.id) == "all"
        # The text alone may join the header otherwise, and gets a line feed where it has none.
        assert abs(payload.text_tokens - node.tokens) <= 2, node.id


def test_folders_count_what_lies_below_them_and_documents_their_whole_file(sample: Path) -> None:
    nodes = _below(Workspace.open(sample).tree)
    assert {"folder", "document"} <= {node.kind for node in nodes}
    for node in nodes:
        if node.kind == "folder" or (node.kind == "document" and node.children):
            assert node.tokens == sum(child.tokens for child in node.children)
        if node.kind == "document":
            assert node.tokens == get_counter().count((sample / node.reference.path).read_bytes().decode())


def test_a_documents_children_are_its_frontmatter_preamble_and_top_sections(project: Project) -> None:
    workspace = Workspace.open(project({"a.md": "---\nid: a\n---\nhi\n# A\n## B\n### C\n# D\n", "b.py": "# no\n"}))
    node, plain = workspace.find("a.md"), workspace.find("b.py")
    assert [child.title for child in node.children] == ["(frontmatter)", "(preamble)", "A", "D"]
    assert [inner.id for inner in _below(node.children[2])] == ["a.md#a", "a.md#b", "a.md#c"]
    assert plain.children == ()


@cases("id_", ["gone.md", "a.md#gone", "gone.md#a", "files#a", "", "#", "files"])
def test_what_is_not_there_is_not_found(project: Project, id_: str) -> None:
    found = Workspace.open(project({"a.md": "# A\n"})).find(id_)
    assert found is None or (id_ == "" and found.kind == "folder")


def test_an_unreadable_document_has_no_children_and_no_tokens(project: Project) -> None:
    node = Workspace.open(project({"a.md": b"a\0b"})).find("a.md")
    assert (node.children, node.tokens) == ((), 0)
