"""The quick look at headings against the parser."""

from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui.audit.text.outline import headings_of
from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import heading_name

PIECES = st.sampled_from(
    [
        "# One\n",
        "## Two ##\n",
        "### 3. Three {#three}\n",
        "#\n",
        "#no heading\n",
        " ## indented\n",
        "    # code\n",
        "\t# tab\n",
        "text\n",
        "text\n===\n",
        "text\n---\n",
        "---\n",
        "\n",
        "```\n",
        "```py\n",
        "``` a`b\n",
        "~~~~\n",
        "~~~\n",
        "- item\n",
        "- ```\n",
        "  ```\n",
        "  # in a list\n",
        "> # quoted\n",
        "<div>\n",
        "</div>\n",
        "<!-- c\n",
        "-->\n",
        "a | b\n--- | ---\n",
        "x\r\n",
        "###### six\n",
        "####### seven\n",
        "\u2028# odd\n",
    ]
)


def _document(text: str) -> Document:
    return Document("a.md", text, Stamp(0, 0, 0))


@given(st.lists(PIECES, max_size=14).map("".join), st.booleans())
@example("- item\n  ```\n# One\n```\n```\n", False)
@example("- ```\n  x\n  ```\n# One\n- ```\n  x\n  ```\n", False)
def test_headings_are_exactly_those_of_the_parser(text: str, with_frontmatter: bool) -> None:
    document = _document(f"---\ntitle: x\n---\n{text}" if with_frontmatter else text)
    quick = [(heading_name(each.name), each.level, each.start, each.end) for each in headings_of(document)]
    assert quick == [(part.name, part.level, part.start, part.end) for part in document.parts if part.level]
