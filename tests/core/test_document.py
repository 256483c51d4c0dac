from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import ctxtui
from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import FRONTMATTER, PREAMBLE, Document, Part, unique_slugs
from ctxtui.core.text.markdown.light import MAX_CHARACTERS
from ctxtui.core.text.markdown.links import Link, find_links
from ctxtui.core.text.markdown.scan import Heading, scan
from tests.cases import cases
from tests.core.texts import any_markdown, markdown


def _document(text: str, path: str = "a.md") -> Document:
    return Document(path, text, Stamp(1, 1, 1))


def _headings(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.name) for heading in scan(text).headings]


@cases(
    "text",
    [
        *("```\n# no\n```\n", "~~~md\n# no\n~~~\n", "````\n```\n# no\n```\n````\n", "```\n# never closed\n"),
        *("<!--\n# no\n-->\n", "<!-- # no -->\n", "- # no\n", "1. # no\n\n   ## no\n", "- item\n\n  # no\n"),
        *("> # no\n", "    # code\n", "#no\n", "#!/bin/sh\n", "####### seven\n", "\\# no\n"),
        *("| # |\n|---|\n| # no |\n", "text\n\n---\n", "<div>\n# no\n</div>\n"),
        f"{'>' * 100_000} # no\n",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert _headings(text) == []


@cases(
    ("text", "found"),
    [
        *(("# A\n", [(1, "A")]), ("   ### A", [(3, "A")]), ("## A ##\n", [(2, "A")])),
        ("# C# and F#\n", [(1, "C# and F#")]),
        *(("A\n===\n", [(1, "A")]), ("A\nB\n---\n", [(2, "A B")])),
        ("# **Bold _and_** `code`\n", [(1, "Bold and code")]),
        ("# `__init__`, `*args` and `**kw`\n", [(1, "__init__, *args and **kw")]),
        ("# `` a`b `` of mcp__a__b and src/**/*.ts\n", [(1, "a`b of mcp__a__b and src/**/*.ts")]),
        ("# \\[Unreleased\\] \\* a &amp; b &nosuch;\n", [(1, "[Unreleased] * a & b &nosuch;")]),
        ("# [Guide](my\\_file.md) to `ctxtui build`\n", [(1, "Guide to ctxtui build")]),
        ('# <a name="a\\_b"></a>Use `x`\n', [(1, "Use x")]),
        ('# <a name="x"></a>A<br/>\n# <b>\n# a < b > c <x|y>\n', [(1, "A"), (1, "<b>"), (1, "a < b > c <x|y>")]),
        ("# [Link](https://x.y/z_(z)) [![b](b.png)](c)\n", [(1, "Link b")]),
        *(("# A {#anchor}\n", [(1, "A")]), ("#\n", [(1, "(untitled)")])),
        ("# snake_case_name\n", [(1, "snake_case_name")]),
        ("text\n# A\ntext\n", [(1, "A")]),
        ("<!-- c -->\n# A\n", [(1, "A")]),
        ("# A\r## B\r\n### C\n", [(1, "A"), (2, "B"), (3, "C")]),
        *(("```\r# no\r```\r# A\r", [(1, "A")]), ("~~~\n~~~\t \n# A\n- ```\n  ```\t\n\n# B\n", [(1, "A"), (1, "B")])),
        *(("#\u00a0A\n===\n", [(1, "# A")]), ("# a\0b\n", [(1, "a\ufffdb")]), ("\x0c\n===\n", [(1, "(untitled)")])),
        ("# A\u2028# B\x0c# C\n# D\n", [(1, "A # B # C"), (1, "D")]),
    ],
)
def test_headings_are_atx_and_setext(text: str, found: list[tuple[int, str]]) -> None:
    assert _headings(text) == found


NESTED = "intro\n# A\na\n## B\nb\n#### D\nd\n## C\nc\n# E\ne\n"


def test_sections_nest_by_level() -> None:
    document = _document(NESTED)
    parents = [None if part.parent is None else document.parts[part.parent].name for part in document.parts]
    assert [part.name for part in document.parts] == [PREAMBLE, "A", "B", "D", "C", "E"]
    assert parents == [None, None, "A", "B", "A", None]
    # Its own text ends at the first child, the whole one at the next equal heading.
    section = document.find("B")[0]
    assert document.own_text(section) == "## B\nb\n"
    assert document.text[section.start : section.end] == "## B\nb\n#### D\nd\n"
    assert section.line == 3


def test_frontmatter_preamble_and_sections_in_order() -> None:
    document = _document("---\nid: a\n---\nhello\n# A\n")
    assert [part.slug for part in document.parts] == [FRONTMATTER, PREAMBLE, "a"]
    for text in ("just text", ""):
        assert [(part.slug, part.end) for part in _document(text).parts] == [(PREAMBLE, len(text))]


@cases(
    ("names", "slugs"),
    [
        (["Done", "Done", "Done"], ["done", "done-1", "done-2"]),
        (["Foo", "Foo", "Foo 1"], ["foo", "foo-1", "foo-1-1"]),
        (["Foo 1", "Foo", "Foo"], ["foo-1", "foo", "foo-2"]),
        (["C#", "C"], ["c", "c-1"]),
        (["!!!", "???"], ["section", "section-1"]),
        (["In Progress (2)"], ["in-progress-2"]),
        (["Über uns", "漢字 かな"], ["über-uns", "漢字-かな"]),
        (["1️⃣ CO₂", "a_b‿c ½"], ["1️⃣-co", "a_b‿c-"]),
    ],
)
def test_slugs_are_the_anchors_of_github(names: list[str], slugs: list[str]) -> None:
    assert unique_slugs(names) == slugs


def test_blocks_have_kinds_and_lines_and_only_top_level_headings_count() -> None:
    text = "# One *a* ##\n\ntext\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n- item\n  ```py\n  code\n  ```\n\n"
    found = scan(f"{text}<!-- note -->\n\n<div>\n</div>\n\nTwo\n---\n")
    kinds = [block.kind for block in found.blocks]
    assert kinds == ["heading", "paragraph", "table", "list", "html_block", "html_block", "heading"]
    spans = [(block.start, block.end) for block in found.blocks]
    assert spans == [(0, 1), (2, 3), (3, 6), (7, 12), (12, 13), (14, 16), (17, 19)]
    assert found.headings == (Heading("One a", 1, 0), Heading("Two", 2, 17))
    assert found.code == {8, 9, 10, 12, 14, 15}
    assert found.comments == ((12, 13),)


FINDABLE = (
    "# 1. Guide\n## 2.1. Setup {#setup-here}\n### Linux\n## Usage\n### *Linux*\n# Done\n# Done\n# `__init__`\n"
    "# A/B testing\n# A\n## B\n"
)


@cases(
    ("name", "slugs"),
    [
        *((name, ["21-setup"]) for name in ("setup", "21-setup", "SETUP", "2.1. Setup")),
        *(("Guide", ["1-guide"]), ("Linux", ["linux", "linux-1"]), ("linux", ["linux"]), ("linux-1", ["linux-1"])),
        ("Usage/Linux", ["linux-1"]),
        ("guide/usage/linux", ["linux-1"]),
        *(("Setup/Linux", ["linux"]), ("Usage/Setup", []), ("Done", ["done", "done-1"])),
        *((name, ["__init__"]) for name in ("__init__", "`__INIT__`")),
        ("a/b TESTING", ["ab-testing"]),
        *(("nothing", []), ("", []), ("/", [])),
    ],
)
def test_sections_are_found_by_slug_name_numbering_and_path(name: str, slugs: list[str]) -> None:
    assert [part.slug for part in _document(FINDABLE).find(name)] == slugs


def test_tasks_are_counted_outside_code_and_comments() -> None:
    text = "- [ ] open\n* [x] done\n  + [X] done inside\n1. [ ] open\n- [-] no\n- [] empty\n[ ] no\n"
    hidden = "```\n- [ ] code\n```\n\n<!--\n- [ ] comment\n-->\n\n- [ ]\n"
    assert [task.status for task in _document(text + hidden).tasks] == "todo done done todo todo todo".split()


def test_tasks_are_counted_for_every_part_with_its_nested_ones() -> None:
    text = "---\na: 1\n---\n- [ ] before\n# A\n- [ ] a\n## B\n- [x] b\n- [ ] b\n## Blocked\n- [ ] c\n# C\n"
    document, of_a = _document(text), {"todo": 2, "done": 1, "blocked": 1}
    assert [part.name for part in document.parts] == "(frontmatter) (preamble) A B Blocked C".split()
    assert [*document.task_counts] == [{}, {"todo": 1}, of_a, {"todo": 1, "done": 1}, {"blocked": 1}, {}]


def _covers(document: Document, part: Part) -> bool:
    inside = "".join(document.own_text(each) for each in document.parts if part.start <= each.start < part.end)
    return inside == document.text[part.start : part.end]


@given(any_markdown)
def test_own_texts_partition_any_text(text: str) -> None:
    for front in ("", "---\nid: a\n---\n"):
        document = _document(front + text)
        assert "".join(document.own_text(part) for part in document.parts) == document.text
        slugs = [part.slug for part in document.parts]
        assert len(set(slugs)) == len(slugs)
        for position, part in enumerate(document.parts):
            assert part.start <= part.own_end <= part.end
            assert part.start == part.end or _covers(document, part)
            for child in part.children:
                assert document.parts[child].parent == position
                assert document.parts[child].level > part.level
            assert document.find(part.slug) == (part,)


@given(markdown)
def test_every_section_begins_with_its_heading_whatever_ends_its_lines(text: str) -> None:
    document = _document(text)
    for part in document.parts:
        if part.level:
            lines = document.own_text(part).splitlines()
            assert lines[0].lstrip().startswith("#") or any(set(line.strip()) in ({"="}, {"-"}) for line in lines[1:])
    plain = [(part.slug, part.level, part.line) for part in document.parts]
    for other in (_document(text.replace("\n", end)) for end in ("\r\n", "\r")):
        assert [(part.slug, part.level, part.line) for part in other.parts] == plain


@cases("path", "A.MD a.mdx a.mdc a.markdown .cursorrules .windsurfrules a.py".split())
def test_the_name_of_a_file_says_whether_it_is_markdown(path: str) -> None:
    assert [part.slug for part in _document("# A\n", path).parts] == [PREAMBLE if path == "a.py" else "a"]


def test_a_huge_file_is_not_outlined_and_says_so() -> None:
    document = _document("# A\n" + "x" * MAX_CHARACTERS)
    assert [part.slug for part in document.parts] == [PREAMBLE]
    assert [notice.code for notice in document.notices] == ["too-large-to-outline"]


def test_headings_around_deep_and_absurd_nesting_are_found() -> None:
    items = "".join("  " * depth + "- x\n" for depth in range(12))
    assert [part.name for part in _document(items + "\n# A\n\n## B\n").parts if part.level] == ["A", "B"]
    for sign in ("> ", "- ", "1. ", "<div>", "[", "*", "`"):
        document = _document(f"# A\n\n{sign * 3000}x\n")
        assert document.parts[0].name == "A", sign
        assert "".join(document.own_text(part) for part in document.parts) == document.text, sign


DATED = (
    "---\ndate: 2026-01-01\n---\nold 2020-02-02\n# Decisions\n\n## 2026-03-04 Use Postgres\n\ntext\n"
    "## Use Redis\n\n**Status**: accepted | **Date**: 2026-05-06\n\n### Why\n\nSince 2019-01-01.\n"
    "## Use nothing\n\n- **Decided on**: 2026-07-08, in Graz\n"
)


@cases(
    ("text", "dates"),
    [
        (DATED, ["", "", "", "2026-03-04", "2026-05-06", "", "2026-07-08"]),
        # One in code or deeper is not the section's.
        ("## A\n```\n**Date**: 2026-01-01\n```\n### B\n**Date**: 2026-02-02\n", ["", "2026-02-02"]),
        ("## 12026-01-011\n", [""]),
    ],
)
def test_a_date_stands_in_the_heading_or_in_a_field(text: str, dates: list[str]) -> None:
    assert _document(text, "DECISIONS.md").section_dates == dates


def _links(text: str, path: str = "docs/a.md") -> list[Link]:
    return list(find_links(_document(text, path)))


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_links_are_seen_from_their_file_and_have_its_lines(end: str) -> None:
    text = '---\nid: 1\n---\n\n[b](b.md) ![c](../c.png "title")\n[d](/d%20e.md#some-part)\n[up](../../x.md)\n[here](#part)\n'
    found = _links(f"{text}[ref]: ./sub/f.md\n".replace("\n", end))
    assert [(link.path, link.anchor, link.line) for link in found] == [
        *(("docs/b.md", "", 5), ("c.png", "", 5), ("d e.md", "some-part", 6), ("", "", 7)),
        *(("docs/a.md", "part", 8), ("docs/sub/f.md", "", 9)),
    ]
    assert found[0].text == "b"
    # A name that begins with dots is inside.
    found = _links("[b](/..b.md) [c](../..c/d.md) [up](../../..b.md) [above](../..)")
    assert [link.path for link in found] == ["..b.md", "..c/d.md", "", ""]


@cases(
    ("text", "links"),
    [
        ("see [the long\ntext](b.md)\n", [("the long text", "b.md", 2)]),
        ("[![image](i.png)](b.md)", [("![image](i.png)", "b.md", 1), ("image", "i.png", 1)]),
        ('[`code` [1]](b.md "of (two)")', [("`code` [1]", "b.md", 1)]),
        ("[ [b](b.md) and c](c.md)", [("b", "b.md", 1)]),
        ("[b](\n  b.md\n) and [c](c_(1).md)", [("b", "b.md", 1), ("c", "c_(1).md", 3)]),
        ("[b]:\n  b.md\n[c]: c.md 'title'\n", [("b", "b.md", 1), ("c", "c.md", 3)]),
        ("[no\n\ntext](b.md)\n[no\n- text](b.md)\n", []),
        ("[Note]: these are words\n[Note]:\n- item\n", []),
        # Footnotes, addresses, code and comments.
        ('See[^1].\n\n[^1]: Mermaid. "Charting." https://example.org/\n[^note]: notes.md\n', []),
        ("[a](https://example.org/a.md) [b](mailto:x@y.z) [c](//host/x)\n", []),
        ("`[d](d.md)`\n```\n[e](e.md)\n```\n<!--\n[f](f.md)\n-->\n", []),
    ],
)
def test_links_to_files_go_over_line_ends_and_hold_images_and_brackets(text: str, links: list[object]) -> None:
    assert [(link.text, link.target, link.line) for link in _links(text)] == links


@given(st.text(alphabet="[]()#<> \n`ab./\\:", max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    lines = text.count("\n") + 1
    assert all(1 <= link.line <= lines for link in _links(text))


@pytest.mark.parametrize("text", ["[a](<b c(1).md> 'x')", "![a]( <b c(1).md>)", " [a]: <b c(1).md>"])
def test_a_target_in_angle_brackets_may_have_spaces_and_parentheses(text: str) -> None:
    assert [(link.target, link.path) for link in _links(text)] == [("b c(1).md", "docs/b c(1).md")]


def test_a_list_ends_before_definitions_of_links_and_indented_text() -> None:
    spans = [(block.kind, block.start, block.end) for block in scan("- a\n\n[x]: /u\n\n12. b\n\n   **c**\n").blocks]
    assert spans == [("list", 0, 2), ("list", 4, 6), ("paragraph", 6, 7)]
    spans = [(block.kind, block.start, block.end) for block in scan("- é\n\n  [x]: /u\n\n\n# b\n").blocks]
    assert spans == [("list", 0, 5), ("heading", 5, 6)]


def _as_markdown_it_reads(text: str) -> tuple[list[tuple[int, int]], set[int]]:
    """The lines of the top-level blocks, and the lines of code and HTML."""
    tokens = [token for token in MarkdownIt("commonmark").enable("table").parse(text) if token.map]
    own = [token for token in tokens if token.type in ("fence", "code_block", "html_block")]
    return (
        [(token.map[0], token.map[1]) for token in tokens if token.map and not token.level and token.nesting >= 0],
        {line for token in own if token.map for line in range(*token.map)},
    )


def test_two_readers_of_commonmark_agree_on_real_files(sample: Path) -> None:
    manual = Path(ctxtui.__file__).parent / "docs"
    for path in (*sample.rglob("*.md"), *manual.glob("*.md")):
        body = _document(path.read_text("utf-8"), path.name).body
        found = scan(body)
        spans = [(block.start, block.end) for block in found.blocks]
        assert (spans, set(found.code)) == _as_markdown_it_reads(body), path
