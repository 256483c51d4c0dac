"""One test for every parsing rule of the loader specification (4)."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ctxtui.core.text.markdown.list_items import read_items
from ctxtui.core.text.markdown.scan import scan
from ctxtui.loader import ParsedContent
from tests.cases import cases
from tests.loader.loader_helpers import item, items, loaded, markdown, parsed

_BOX = re.compile(r"(?:(?<=[\r\n])|\A)[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX])\](?=\s|$)")


def test_the_title_is_the_first_h1() -> None:
    assert parsed("intro\n\n# One\n\n# Two\n").title == "One"
    assert parsed("One\n===\n").title == "One"
    assert parsed("## Section only\n").title == ""


def test_sections_are_the_h2s() -> None:
    text = "# T\nintro\n## A\na\n### A1\nb\n\nB\n---\nc\n"
    assert [(each.title, each.content) for each in parsed(text).sections] == [("A", "a\n### A1\nb\n\n"), ("B", "c\n")]
    # An h1 ends one, and text outside of them without items is none.
    assert [each.content for each in parsed("## A\na\n# Other\nb\n").sections] == ["a\n"]
    assert parsed("# T\nintro\n- plain\n").sections == ()


def test_the_content_of_a_section_is_always_raw() -> None:
    body = "\n- [ ] `a`  \n<!-- c -->\n```\n# x\n```\n\t1. **K**: v"
    (section,) = parsed(f"## S\n{body}").sections
    assert section.content == body
    assert section.items


def test_metadata_are_the_frontmatter_as_text() -> None:
    text = "---\nowner: ann\nn: 5\nok: true\nnone:\ntags: [a, b]\nmore: {x: 1}\ndate: 2026-01-02\n---\n# T\n"
    values = {"owner": "ann", "n": "5", "ok": "true", "none": "", "tags": "a, b", "more": '{"x": 1}'}
    assert (parsed(text).title, parsed(text).metadata) == ("T", values | {"date": "2026-01-02"})
    assert parsed("# T\n").metadata == {}


def test_boxes_give_a_status() -> None:
    found = items("## S\n- [ ] a\n- [x] b\n* [X] c\n1. [ ] d\n+ [-] skipped\n- [] none\n- [ ]x none\n")
    statuses = [("a", "todo"), ("b", "done"), ("c", "done"), ("d", "todo"), ("none", "todo")]
    assert [(each.title, each.status) for each in found] == statuses


def test_check_boxes_are_items_wherever_they_stand() -> None:
    text = "# T\n- [ ] top\n\n### P\n- [ ] phase\n## S\n- plain\n  - [ ] nested\n#### Deep\n- [x] deep\n"
    found = [
        (each.title, [one.title for one in each.items]) for each in parsed(f"{text}# End\n- [ ] last\n").sections
    ]
    assert found == [("", ["top", "phase"]), ("S", ["nested", "deep"]), ("", ["last"])]


@cases(
    "text",
    [
        *("## Blocked\n- [ ] a\n", "## 🚫 Blocked tasks\n- [ ] a\n", "## Blocked / waiting\n### Q1\n- [ ] a\n"),
        *("## S\n### Phase `#blocked`\n- [ ] a\n", "## S\n- [ ] a #blocked\n", "## S\n- [ ] a\n  `#blocked:legal`\n"),
        *("## S\n- [ ] a\n  **Blocked by**: ops\n", "## S\n- [ ] a\n  - **blocked by:** ops\n"),
        "## S\n- [ ] a **Blocked by**: ops\n",
    ],
)
def test_what_waits_is_blocked(text: str) -> None:
    assert item(text).status == "blocked"


@cases(
    ("text", "status"),
    [
        *(("## Blocked\n- [x] a\n", "done"), ("## Blocked\n## Next\n- [ ] a\n", "todo")),
        *(("## Unblocked\n- [ ] a\n", "todo"), ("## Blocked users page\n- [ ] a\n", "todo")),
        *(("# Blocked\n## S\n- [ ] a\n", "todo"), ("## S\n- [ ] a\n  **Blocked by**: none\n", "todo")),
        ("## S\n- [ ] a #unblocked\n", "todo"),
    ],
)
def test_what_does_not_wait_is_not_blocked(text: str, status: str) -> None:
    assert item(text).status == status


def test_a_nested_task_keeps_its_tags_and_fields_to_itself() -> None:
    parent, child = items("## S\n- [ ] a\n  - [ ] b #blocked\n    **Owner**: ann\n  back to a #x\n")
    assert (parent.status, parent.tags, parent.fields) == ("todo", ("x",), {})
    assert (child.status, child.tags, child.fields) == ("blocked", ("blocked",), {"Owner": "ann"})


def test_an_h3_without_check_boxes_is_an_item() -> None:
    fields = "**Date**: 2026-01-01\n\n**Why:** fast\nand small #lang\n"
    found = item(f"## S\n### Use Go `#accepted`\n{fields}\n- one\n  - deep\n- two\n  more\n")
    assert (found.title, found.status) == ("Use Go", "")
    assert found.fields == {"Date": "2026-01-01", "Why": "fast and small #lang"}
    assert found.tags == ("accepted", "lang")
    assert found.children == ("one", "two more")
    # One with check boxes below is none, and h4s belong to their h3.
    assert [each.title for each in items("## S\n### P\n#### Q\n- [ ] a\n### R\ntext\n")] == ["a", "R"]
    assert item("## S\n### A\n#### B\n**K**: v\n").fields == {"K": "v"}


@cases(
    ("text", "title", "tags"),
    [
        # The first line.
        ("**Fix** the [parser](x.md) of `a`\n  more words", "**Fix** the [parser](x.md) of `a`", ()),
        # Without the tags at its end, unless there is nothing else.
        ("Fix #urgent bugs `#p:high` #in-progress", "Fix #urgent bugs", ("urgent", "p:high", "in-progress")),
        ("#later", "#later", ("later",)),
        ("", "", ()),
    ],
)
def test_the_title_of_a_task(text: str, title: str, tags: tuple[str, ...]) -> None:
    found = item(f"## S\n- [ ] {text}\n")
    assert (found.title, found.tags) == (title, tags)


@cases(
    ("text", "tags"),
    [
        *(("`#priority:high`", ("priority:high",)), ("#done:2026-02-05.", ("done:2026-02-05",))),
        *(("`#a #b`, #c", ("a", "b", "c")), ("(#a) #a #ä-1", ("a", "ä-1"))),
        ("#12 C# a#b http://x/#y [l](#z) ##w `git #v` &#39; #t#u", ()),
    ],
)
def test_tags(text: str, tags: tuple[str, ...]) -> None:
    assert item(f"## S\n- [ ] x\n  {text}\n").tags == tags


@cases(
    ("text", "fields"),
    [
        *((f"{key} V", {"Key": "V"}) for key in ("**Key**:", "**Key:**", "**Key :**", "**Key** :", "__Key__:")),
        ("- **Key**: Value", {"Key": "Value"}),
        ("**A**: 1 | **B:** 2", {"A": "1", "B": "2"}),
        ("**A**: one\n  two\n\n  three", {"A": "one two"}),
        ("**A**: we take **B**: it", {"A": "we take **B**: it"}),
        ("**A**:\n  - one\n  - two\n\n  **B**: 2", {"A": "- one\n- two", "B": "2"}),
        *(("**A**:\n\n  later", {"A": "later"}), ("**A**:", {"A": ""}), ("**A**: 1\n  **A**: 2", {"A": "1\n2"})),
        ("**A**: 1\n  #tagged `#other`\n  more", {"A": "1"}),
        ("**A**: 1\n  with #tag inside", {"A": "1 with #tag inside"}),
        *(("**Bold** text: none, **std**::vector, **: x**", {}), ("in a sentence **K**: v", {})),
    ],
)
def test_fields(text: str, fields: dict[str, str]) -> None:
    assert item(f"## S\n- [ ] x\n  {text}\n").fields == fields


def test_fields_in_the_first_line_of_a_task_leave_its_title() -> None:
    found = item("## S\n- [ ] Deploy — **Owner:** ann **Due**: now\n")
    assert (found.title, found.fields) == ("Deploy", {"Owner": "ann", "Due": "now"})
    assert item("## S\n- [ ] **Auth**: add it\n").title == "**Auth**: add it"


def test_children_are_the_direct_sub_bullets() -> None:
    text = "## S\n- [ ] a\n  - one\n    wrapped\n    - deep\n  - [x] two\n  1. three\n  - **K**: v\n  -\n- other\n"
    assert items(text)[0].children == ("one wrapped", "two", "three")
    assert item("## S\n- [ ] a\n      - six\n\t- tab\n").children == ("six", "tab")
    # Rules and tables are no bullets.
    assert items("## S\n### A\n* * *\n- - -\n| - [ ] x |\n|---|\n")[0].children == ()


@cases(
    "hidden",
    [
        *("```\n{}\n```", "~~~~md\n```\n{}\n```\n~~~~", "<!--\n{}\n-->", "<!-- {} -->", "text <!-- {} --> text"),
        *("para\n\n    {}", "<div>\n{}\n</div>", "```\nnever closed\n{}"),
    ],
)
def test_nothing_comes_from_code_or_comments(hidden: str) -> None:
    assert items("# T\n## S\n" + hidden.format("- [ ] hidden #tag **K**: v") + "\n") == []
    assert parsed(hidden.format("# Hidden") + "\n").title == ""


def test_comments_within_a_task_are_no_part_of_it_and_an_empty_file_parses_to_nothing() -> None:
    assert parsed("") == parsed(" \n\n") == ParsedContent()
    found = item("## S\n- [ ] a <!-- #no **K**: v\n  - no child -->\n  - `<!--` #yes `-->`\n")
    assert (found.title, found.tags, found.fields, found.children) == ("a", ("yes",), {}, ("`<!--` #yes `-->`",))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_any_system(end: str) -> None:
    text = "# T\n## S\n- [ ] a #x\n  **K**: v\n\n### E\n- c\n".replace("\n", end)
    assert parsed(text).title == "T"
    found = [(each.title, each.fields, each.tags) for each in parsed(text).sections[0].items]
    assert found == [("a", {"K": "v"}, ("x",)), ("E", {}, ())]


@given(st.text() | st.binary())
@settings(max_examples=2 * settings.default.max_examples)
def test_any_text_or_bytes_in_no_exception_out(data: str | bytes) -> None:
    loaded(data)


@given(markdown, st.text(alphabet="#-*`~<!>[]() \t\r\nxX:ab1.|=", max_size=40))
def test_any_broken_markdown_in_no_exception_out(text: str, broken: str) -> None:
    assert loaded(text + broken + text).file.content == text + broken + text


@given(markdown)
def test_sections_partition_the_text(text: str) -> None:
    structure = scan(text)
    start, ends = structure.lines.start, {block.start: block.end for block in structure.blocks}
    heads = [each for each in structure.headings if each.level <= 2]
    starts = [*(start(each.line) for each in heads[1:]), len(text)]
    bodies = ((each, text[start(ends[each.line]) : end]) for each, end in zip(heads, starts, strict=False))
    expected = [(each.name, body) for each, body in bodies if each.level == 2]
    assert [(each.title, each.content) for each in parsed(text).sections if each.title] == expected
    position = 0
    for section in parsed(text).sections:
        position = text.index(section.content, position) + len(section.content)


@given(markdown)
def test_every_check_box_is_an_item(text: str) -> None:
    without_comments = text.replace("<!-- c -->", "").replace("<!--", "")
    found = [each for each in items(without_comments) if each.status]
    structure = scan(without_comments)
    matches = _BOX.finditer(without_comments)
    boxes = [each[1] != " " for each in matches if structure.lines.at(each.start()) not in structure.code]
    assert len(found) == len(boxes)
    assert sum(each.status == "done" for each in found) == sum(boxes)


def test_titles_are_offered_as_written_without_their_last_tags() -> None:
    text = "## S\n### Use `foo` *now* `#tag` ##\n### C# {#c}\n- [ ] Handle `error` in foo() #p1\n"
    assert [each.title for each in items(text)] == ["Use `foo` *now*", "Handle `error` in foo()"]
    assert items("## S\n### C# {#c}\nwords\n")[0].title == "C#"
    assert "- [ ] Handle `error` in foo() #p1\n" in parsed(text).sections[0].content


_spaces = st.integers(1, 4).map(" ".__mul__)
_nested = st.builds(
    "{}{}{}".format, st.integers(0, 7).map(" ".__mul__), st.sampled_from("- * 1. 23)".split()), _spaces
)


@given(st.lists(_nested, min_size=1, max_size=8))
def test_what_nests_is_what_nests_in_commonmark(rows: list[str]) -> None:
    text = "".join(f"{row}[ ] item {number}\n" for number, row in enumerate(rows))
    parents: dict[int, int | None] = {}
    above: list[int] = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "list_item_open" and token.map:
            parents[token.map[0]] = above[-1] if above else None
            above.append(token.map[0])
        elif token.type == "list_item_close":
            above.pop()
    bullets = read_items(text, scan(text)).bullets
    lines = [bullet.line for bullet in bullets]
    assume(lines == sorted(parents))
    assert parents == {each.line: None if each.parent is None else lines[each.parent] for each in bullets}
