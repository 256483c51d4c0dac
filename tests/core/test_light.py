"""The light scan beside the parser, which is right; and in any text, in little time."""

from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui.core.disk.content import Stamp
from ctxtui.core.documents.source import Beginning
from ctxtui.core.text.markdown.code_spans import replace_code
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.inline_fields import find_tags
from ctxtui.core.text.markdown.light import comments, first_title, headings, open_fence, prose, samples, targets
from ctxtui.core.text.markdown.links import find_links
from ctxtui.core.text.markdown.scan import Heading, heading_name, scan
from ctxtui.core.text.metadata.frontmatter import read_frontmatter
from tests.cases import cases

# Headings and fences at the left edge, as nearly all documents have them.
PLAIN = [
    *("# One\n", "## Two ##\n", "### 3. Three {#three}\n", "#\n", "#none\n", "# #\n", "# a#\n", "## b ##\t\n"),
    *("###### six\n", "####### seven\n", "text\n", "\n", "```\n", "```py\n", "``` a`b\n", "~~~~\n", "~~~ `x\n"),
    *("~~~\n", "a | b\n--- | ---\n", "\u2028# odd\n", "\x0c# odd\n", "\xa0\n"),
]
INTRICATE = [
    *("text\n===\n", "text\n---\n", "---\n", "===\n", "  ```\n", "- ```\n", "  # in a list\n", "- item\n"),
    *("> # quoted\n", "    # code\n", "\t# tab\n", "    ```\n", "<div>\n", "</div>\n", "<!-- c\n", "-->\n", "x\r\n"),
    *("1. ~~~\n", "> ```\n", "   ~~~\n", "[a]: b\n", "\xa0\n=\n", "# x"),
]
# Lines above and below those of signs, without what the light scan does not see: nested lists, tables and HTML.
UNDERLINED = [
    *("2.5.0 (2014-12-01)\n", "1. item\n\n", "1.5\n", "1)x\n", "-x\n", "- item\n", "* item\n", "> quoted\n", "***\n"),
    *("_ _ _\n", "a title\n", "  a title\n", "#none\n", "# one\n", "===\n", "-----\n", "--\n", "-\n\n", " = \n"),
    *("\n", "```\n", "~~~\n", "+\n\n", "1234567890. x\n"),
]
UNDERLINED_TEXTS = st.lists(st.sampled_from(UNDERLINED), max_size=14).map("".join)
PLAIN_TEXTS = st.lists(st.sampled_from(PLAIN), max_size=14).map("".join)
TEXTS_OF_ALL = st.lists(st.sampled_from([*PLAIN, *INTRICATE]), max_size=14).map("".join)
TEXTS = st.text(alphabet="`~<!->\n\r ab", max_size=80)


@cases(
    ("text", "outside"),
    [
        *(("a\n```\nb\n```\nc", ["a\n", "c"]), ("a\r\n~~~ x\r\nb\r\n~~~\r\n", ["a\r\n"])),
        *(("```\nnever closed", []), ("``` a ` b\nprose", ["``` a ` b\nprose"]), ("", [])),
    ],
)
def test_prose_is_outside_fences(text: str, outside: list[str]) -> None:
    assert [text[start:end] for start, end in prose(text)] == outside


@cases(
    ("text", "shown"),
    [
        ("a\n```md\n# T\n```sh\nls\n```\nb\n```\nc", ["```md\n# T\n```sh\nls\n```\nb\n```"]),
        ("~~~\r\n~~~sh\r\n~~~\r\nb\r\n~~~\r\nc", ["~~~\r\n~~~sh\r\n~~~\r\nb\r\n~~~"]),
        ("````md\n```sh\nls\n```\n````\nc", []),
        ("```md\n```sh\nls\n```\nb", []),
        ("```sh\n```sh\nls\n```\n```\nb", []),
        ("```md\n```sh```\n```\nb\n```\n```\n", []),
        ("```md\nx\n```\n```sh\ny\n```\n", []),
        ("```\n```sh\n```\nb\n```\n\n```\nnever closed", []),
        ("---\na: |\n  ```\n  ```sh\n  ```\n  ```\n---\n", []),
    ],
)
def test_a_sample_with_fences_ends_where_its_author_means(text: str, shown: list[str]) -> None:
    assert [text[start:end].removesuffix("\r") for start, end in samples(text)] == shown


@cases(
    ("text", "found"),
    [
        ("<!-- a -->\nb", ["<!-- a -->\n"]),
        ("a\n   <!-- b\nc -->  \r\nd", ["   <!-- b\nc -->  \r\n"]),
        *(("<!-- a --> b", ["<!-- a -->"]), ("a <!-- b -->", []), ("    <!-- a -->", []), ("<!-- a", [])),
        *(("<!--\n```\n-->\n```\n", []), ("<!-- a -->\n<!-- b -->", ["<!-- a -->\n", "<!-- b -->"])),
    ],
)
def test_comments_begin_a_line(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in comments(text)] == found


@given(TEXTS)
def test_spans_lie_inside_in_order_and_apart(text: str) -> None:
    for spans in (list(prose(text)), list(comments(text))):
        edges = [edge for span in spans for edge in span]
        assert edges == sorted(edges)
        assert all(start < end for start, end in spans)
        assert not edges or edges[-1] <= len(text)


def _seen(text: str) -> list[Heading]:
    return [Heading(heading_name(each.name), each.level, text.count("\n", 0, each.start)) for each in headings(text)]


@given(UNDERLINED_TEXTS)
@example("dev\n---\n- a\n\n2.5.0 (2014-12-01)\n-----\n- b\n")
def test_headings_that_are_underlined_are_those_of_the_parser(text: str) -> None:
    assert _seen(text) == list(scan(text).headings)


@given(PLAIN_TEXTS)
def test_headings_and_fences_at_the_left_edge_are_those_of_the_parser(text: str) -> None:
    structure = scan(text)
    assert _seen(text) == list(structure.headings)
    fences = [block for block in structure.blocks if block.kind == "fence"]
    fenced = {line for block in fences for line in range(block.start, block.end)}
    lines = {structure.lines.at(offset) for start, end in prose(text) for offset in range(start, end)}
    assert lines == {structure.lines.at(offset) for offset in range(len(text))} - fenced
    is_open = "x" not in [each.name for each in scan(f"{text}\n# x").headings]
    for block in fences:
        piece = text[structure.lines.start(block.start) : structure.lines.start(block.end)]
        assert bool(open_fence(piece)) == (block is structure.blocks[-1] and is_open)


@cases(
    ("text", "found"),
    [
        ("Title\n=====\n\nPart\n-\n", [("Title", 1, 0), ("Part", 2, 13)]),
        ("- a\n---\n# b", [("b", 1, 8)]),
        ("    ---\n    # code\n", []),
        ("#\n##   \n# # #\n", [("", 1, 0), ("", 2, 2), ("#", 1, 8)]),
    ],
)
def test_headings_have_level_text_and_place(text: str, found: list[tuple[str, int, int]]) -> None:
    assert [(each.name, each.level, each.start) for each in headings(text)] == found


@given(TEXTS_OF_ALL, st.sampled_from(["\r\n", "\r"]))
def test_the_first_title_is_the_first_heading_of_its_level_and_line_ends_change_nothing(text: str, end: str) -> None:
    assert first_title(text) == next((each for each in headings(text) if each.level == 1), None)
    text = text.replace("\r", "")
    found, other = headings(text), text.replace("\n", end)
    assert [(each.name, each.level) for each in headings(other)] == [(each.name, each.level) for each in found]
    assert all(not each.start or other[each.start - 1] in "\r\n" for each in headings(other))


LINKS = "[a](b.md)| [b]: <d e.md>\n|[a](<b c.md> 'x')| [a]: c.md\n|[a](d(1).md)|![x](e.png)|[[a](f.md)](g.md)|`[a](h.md)`|\n|```\n|]: |](|<!-- |text "


@given(st.lists(st.sampled_from(LINKS.split("|")), max_size=8).map("".join))
def test_every_link_is_among_what_looks_like_one(text: str) -> None:
    links = find_links(Document("a.md", text, Stamp(0, 0, 0)))
    assert {link.target for link in links} <= set(targets(text))


@cases(
    ("text", "title"),
    [
        ("# One\n", "One"),
        ("---\na: b\n---\n```\n# no\n```\nTwo\n===\n", "Two"),
        ("```\n# no\n``` no\n# neither\n```\n# Three #\n", "Three"),
        ("a\u2028# no\n\n## Part\n", None),
        ("text\r\r# Four\r", "Four"),
    ],
)
def test_the_title_of_a_head_is_its_first_heading_of_the_first_level(text: str, title: str | None) -> None:
    assert Beginning(text, read_frontmatter(text, "a.md")).title == title


@cases(
    ("text", "shown"),
    [
        *(("a `b` c", "a <b> c"), ("``a`b`` `c`", "<a`b> <c>"), ("``a`", "``a`"), ("`a`` `b`", "<a`` >b`")),
        *(("`a\nb` `c`", "`a\nb< >c`"), ("no code", "no code"), ("```", "```")),
    ],
)
def test_a_run_closes_with_the_next_as_long_on_its_line(text: str, shown: str) -> None:
    assert replace_code(text, lambda _, inside: f"<{inside}>") == shown


def test_the_whole_span_is_given_too_and_an_unclosed_longer_run_is_no_code() -> None:
    assert replace_code("a ``b`` c", lambda whole, _: " " * len(whole)) == "a       c"
    assert find_tags("``word `#tag`") == find_tags("``word #tag `") == ("tag",)
