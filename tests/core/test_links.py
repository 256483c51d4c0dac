import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.links import Link, find_links


def _links(text: str, path: str = "docs/a.md") -> list[Link]:
    return list(find_links(Document(path, text, Stamp(0, 0, 0))))


def test_links_are_seen_from_their_file() -> None:
    text = (
        '---\nid: 1\n---\n[b](b.md) and ![c](../c.png "title")\n[d](/d%20e.md#some-part)\n'
        "[up](../../x.md)\n[here](#part)\n[ref]: ./sub/f.md\n"
    )
    found = _links(text)
    assert [(link.path, link.anchor, link.line) for link in found] == [
        ("docs/b.md", "", 4),
        ("c.png", "", 4),
        ("d e.md", "some-part", 5),
        ("", "", 6),
        ("docs/a.md", "part", 7),
        ("docs/sub/f.md", "", 8),
    ]
    assert found[0].text == "b"


def test_footnotes_are_no_links() -> None:
    assert _links('See[^1].\n\n[^1]: Mermaid. "Charting." https://example.org/\n[^note]: notes.md\n') == []


def test_addresses_and_code_are_no_links_to_files() -> None:
    text = (
        "[a](https://example.org/a.md) [b](mailto:x@y.z) [c](//host/x)\n`[d](d.md)`\n```\n[e](e.md)\n```\n"
        "<!--\n[f](f.md)\n-->\n"
    )
    assert _links(text) == []


@given(st.text(alphabet="[]()#<> \n`ab./\\:", max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    lines = text.count("\n") + 1
    assert all(1 <= link.line <= lines for link in _links(text))


@pytest.mark.parametrize("text", ["[a](<b c(1).md> 'x')", "![a]( <b c(1).md>)", " [a]: <b c(1).md>"])
def test_a_target_in_angle_brackets_may_have_spaces_and_parentheses(text: str) -> None:
    assert [(link.target, link.path) for link in _links(text)] == [("b c(1).md", "docs/b c(1).md")]
