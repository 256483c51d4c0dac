import io
import re
import subprocess
import sys
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.light import find_metadata, is_closed
from ctxtui.core.text.metadata.frontmatter import Frontmatter, read_frontmatter
from ctxtui.core.text.metadata.head import head_of, read_head
from tests.cases import cases
from tests.core.texts import any_markdown, nasty


def _read(text: str) -> Frontmatter:
    found = read_frontmatter(text, "a.md")
    assert found is not None
    return found


def _body(text: str) -> str:
    return text[_read(text).body :]


def _codes(text: str) -> list[str]:
    return [notice.code for notice in _read(text).notices]


def _all(text: str) -> tuple[object, str, list[str]]:
    """The values, the body and the codes of notices."""
    return _read(text).values, _body(text), _codes(text)


@cases(
    "text",
    [
        *("", "# A\n", "text\n---\na: 1\n---\n", " ---\na: 1\n---\n", "----\na: 1\n---\n", "--- x\na: 1\n---\n"),
        *("---\n\n# Title\n\n---\nB", "---\n\n# A title\n\ntext\n"),
    ],
)
def test_a_text_without_opening_line_or_below_a_rule_has_none(text: str) -> None:
    assert read_frontmatter(text, "a.md") is None


@cases(
    ("raw", "values"),
    [
        ("id: a\ntags: [x, y]\n", {"id": "a", "tags": ["x", "y"]}),
        ("", {}),
        ("\n", {}),
        ("# only a comment\n", {}),
        ("id: a\n# a comment\n", {"id": "a"}),
        ("id: a\n\n# tools: x\n", {"id": "a"}),
        ("id: a\n\n# tools\ntools: x\n", {"id": "a", "tools": "x"}),
        ("# first\n\nid: a\n", {"id": "a"}),
        ("title: a --- b\nrule: |\n  ---\n  x\nafter: 1\n", {"title": "a --- b", "rule": "---\nx\n", "after": 1}),
        ('globs: "**/*.py"\nnote: a * b\n', {"globs": "**/*.py", "note": "a * b"}),
        # Keys are texts as written.
        ("2: a\non: b\n1.10: c\n~: {no: d}\n", {"2": "a", "on": "b", "1.10": "c", "~": {"no": "d"}}),
        # Dates and times stay the text that was written.
        ("day: 2026-01-02\nat: 2026-01-02T03:04:05Z\n", {"day": "2026-01-02", "at": "2026-01-02T03:04:05Z"}),
        ("clock: 12:30\nbig: 1e3\n", {"clock": "12:30", "big": "1e3"}),
        ("day: !!timestamp 2026-01-02\nraw: !!binary aGk=\n", {"day": "2026-01-02", "raw": "aGk="}),
        ("tags: !!set {a, b}\n", {"tags": {"a": None, "b": None}}),
    ],
)
@cases("close", ["---", "...", "--- \t"])
def test_values_lie_between_the_lines(raw: str, values: dict[str, object], close: str) -> None:
    for text, body in ((f"---\n{raw}{close}\n\n  \n# A\n", "# A\n"), (f"---\n{raw}{close}", "")):
        for end in ("\n", "\r\n", "\r"):
            found = _read(text.replace("\n", end))
            assert (found.values, found.notices) == (values, ())
            assert _body(text.replace("\n", end)) == body.replace("\n", end)


def test_a_line_that_only_begins_with_dashes_does_not_close() -> None:
    assert _all("---\na: 1\n# ----\n---x: 3\nb: 2\n---\nB") == ({"a": 1, "---x": 3, "b": 2}, "B", [])


@cases("heading", ["## Overview: the parts", "## tags", "## tags: plain words", "## Something: [x]"])
def test_other_headings_after_the_closing_line_stay_content(heading: str) -> None:
    assert _all(f"---\nid: a\n---\n{heading}\n") == ({"id": "a"}, f"{heading}\n", [])


def test_repeated_keys_are_reported_with_their_line_and_the_last_one_counts() -> None:
    found = _read("---\na: 1\nb: 2\na: 3\n---\n")
    assert found.values == {"a": 3, "b": 2}
    assert [(notice.code, notice.line) for notice in found.notices] == [("frontmatter-repeated", 4)]


def test_broken_yaml_gives_what_single_lines_tell() -> None:
    text = "---\nid: a\ntags: [x, y]\nlist:\n  - one\n  - two\nbad: [unclosed\nafter: 'yes'\n---\nB"
    values = {"id": "a", "tags": ["x", "y"], "list": ["one", "two"], "after": "yes"}
    assert _read(text).values.items() >= values.items()
    assert (_body(text), _codes(text)) == ("B", ["frontmatter-yaml"])
    assert _read("---\nid: a\n\tb: c\n---\n").notices[0].line == 3
    assert _all("---\nglobs: *.py\nid: a\n---\n") == ({"globs": "*.py", "id": "a"}, "", ["frontmatter-yaml"])


@cases(
    "body",
    [
        *("# A\n", "## Now\n\n- [ ] one\n\n---\n\n## Later\n", "| a | b |\n|---|---|\n\n---\n"),
        "Prose that nobody may lose.\n\n---\n\nmore\n",
        *("```\ncode\n```\n---\n", "- [ ] a task\n---\n", "- an item\n\n---\n", "# Title\n\n---\n\ntext\n"),
        "<example>\nx\n</example>\nmodel: opus\n---\n",
    ],
)
@cases("head", ["id: a\n", "id: a\ntags:\n  - x\n", "id: a\nbad: [x\n", "id: a\ntext: |\n  b\n\n  c\n"])
@cases("end", ["\n", "\r\n", "\r"])
def test_without_closing_line_metadata_ends_where_text_begins(head: str, body: str, end: str) -> None:
    text = f"---\n{head}\n{body}".replace("\n", end)
    assert _body(text) == body.replace("\n", end)
    assert _read(text).values["id"] == "a"
    assert "frontmatter-unclosed" in _codes(text)
    assert _read(text).notices[0].line == 1 + head.count("\n")


@pytest.mark.parametrize("key", ["Note", "NB", "In short"])
def test_prose_below_a_rule_is_no_metadata_just_because_it_has_a_colon(key: str) -> None:
    text = f"---\n{key}: read this first.\n\nThen this.\n"
    found = read_frontmatter(text, "a.md")
    assert found is None or (found.body == 0 and not found.values)


@cases(
    ("text", "code"),
    [(text, "frontmatter-unclosed") for text in ("---\nid: a\n", "---\nid: a\ntags: [x]", "---\nid: a\n\nother: b\n")]
    + [(f"---\n{text}\n---\nB", "frontmatter-yaml") for text in ("Prose", "[1, 2]", "- a\n- b")],
)
def test_a_file_of_nothing_but_unclosed_metadata_and_what_is_none_are_text(text: str, code: str) -> None:
    assert _all(text) == ({}, text, [code])


def test_long_frontmatter_is_read_to_its_closing_line() -> None:
    values = {f"key{number}": "x" * 80 for number in range(9_000)}
    lines = "".join(f"{key}: {value}\n" for key, value in values.items())
    assert _all(f"---\n{lines}---\nB") == (values, "B", [])
    # One that is too long to parse says so.
    text = "---\nid: a\nlong: " + "x" * 1_100_000 + "\n---\nB"
    assert (_body(text), _read(text).values["id"]) == ("B", "a")
    assert "1,100,0" in _read(text).notices[0].message


@cases("number", ["08", "09", "007", "034711885772", "0", "-0", "1234567890123456789"])
def test_numbers_that_yaml_reads_differently_stay_what_was_written(number: str) -> None:
    order = 0 if number in ("0", "-0") else number
    assert _all(f"---\norder: {number}\nid: a\n---\n") == ({"order": order, "id": "a"}, "", [])


@cases(
    "line",
    [
        "tags: [!!int 0x" + "f" * 4_000 + "]",
        *("n: !!int " + "9" * 5_000, "n: !!float 1" + "0" * 400, "n: !!float .nan", "n: !!float .inf"),
        "n: !!int 1" + ":00" * 20,
    ],
)
def test_numbers_beyond_all_bounds_are_a_problem_with_a_line(line: str) -> None:
    text = f"---\nid: a\n{line}\n---\nB"
    found = _read(text)
    assert found.values["id"] == "a"
    assert [(notice.code, notice.line) for notice in found.notices] == [("frontmatter-yaml", 3)]
    assert all(len(str(value)) <= len(text) for value in found.values.values())


def test_keys_mangled_around_the_closing_line_are_recovered_and_no_content() -> None:
    values = {"id": "a", "tags": ["x", "y"]}
    text = "---\nid: a\n---\n\n## tags: [x, y]\n\n## crossDomainTriggers: [z]\n\n# Real\n"
    assert _all(text) == (values | {"crossDomainTriggers": ["z"]}, "# Real\n", ["frontmatter-mangled"] * 2)
    text = "---\nid: a\n\n## tags: [x, y]\n---\n# Real\n"
    assert _all(text) == (values, "# Real\n", ["frontmatter-mangled"])
    # An intact one is not replaced.
    assert _read("---\ntags: [a]\n---\n## tags: [b]\n").values == {"tags": ["a"]}


@pytest.mark.parametrize(
    "bomb",
    [
        "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]",
        *("a: &a\n  b: *a", "a: " + "[" * 5000, "a: " + "{a: " * 5000, "- " * 5000 + "a", "? " * 30000 + "a"),
        "-  " * 30000 + "a",
        "\n".join(" " * depth + "a:" for depth in range(300)),
    ],
    ids=["aliases", "recursion", "brackets", "braces", "dashes", "questions", "wide-dashes", "indents"],
)
def test_yaml_bombs_are_refused_with_a_notice(bomb: str) -> None:
    """In a process of its own: a bomb that is not refused may end the interpreter."""
    code = (
        "import sys; from ctxtui.core.text.metadata.frontmatter import read_frontmatter\n"
        "found = read_frontmatter(sys.stdin.read(), 'a.md')\n"
        "print(*(notice.code for notice in found.notices), found.values.get('id'))"
    )
    text = f"---\nid: a\n{bomb}\n---\nB"
    said = subprocess.check_output([sys.executable, "-c", code], input=text, text=True, timeout=60)
    assert said.split() == ["frontmatter-yaml", "a"]


@pytest.mark.parametrize(
    "garbage",
    [
        *("\x07\x1b[0m%&@`" * 30_000, "key: [\n" * 30_000, "key:\n" * 40_000, "# " * 100_000, " " * 200_000),
        "'" * 200_000,
    ],
    ids=["control", "unclosed", "empty-keys", "hashes", "spaces", "quotes"],
)
@pytest.mark.parametrize("closed", [True, False])
def test_much_garbage_is_read_as_something(garbage: str, closed: bool) -> None:
    text = f"---\n{garbage[:200_000]}\n" + ("---\nB" if closed else "")
    found = read_frontmatter(text, "a.md")
    assert found is None or 0 <= found.body <= len(text)


@cases("value", [*("!!bool zz", "!!int ''", "!!float ''", "!!int zz", "!!set x", "!!python/object:os.system x")])
def test_a_tag_that_its_value_does_not_meet_is_broken_yaml(value: str) -> None:
    text = f"---\nid: a\nbad: {value}\n---\nB"
    assert (_read(text).values["id"], _body(text), _codes(text)) == ("a", "B", ["frontmatter-yaml"])


_yaml = st.text(st.sampled_from("ab:-[]{}#&*!|>'\"%@`?, \n\t\r0123é\u2028=<~."), max_size=60)
_tags = st.sampled_from("timestamp bool int float null binary set omap pairs str seq map merge".split())
_tagged = st.builds("k: !!{} {}".format, _tags, _yaml)


@given(raw=st.one_of(_yaml, _tagged, nasty), after=any_markdown)
@example(raw="k: !!timestamp nope", after="")
def test_no_text_raises_and_the_body_is_a_tail(raw: str, after: str) -> None:
    for text in (f"---\n{raw}\n---\n{after}", f"---\n{raw}", after, raw):
        found = read_frontmatter(text, "a.md")
        if found is not None:
            assert 0 <= found.body <= len(text)
            assert all(isinstance(key, str) for key in found.values)
            assert all(notice.path == "a.md" and (notice.line or 1) >= 1 for notice in found.notices)


_NO_TEXTS = "y n yes no on off true false null".split()
_keys = st.from_regex(r"[a-z]{1,8}", fullmatch=True).filter(lambda key: key not in _NO_TEXTS)


@given(st.dictionaries(_keys, st.integers(0, 10**12), max_size=5), any_markdown)
def test_simple_lines_are_read_whatever_follows(values: dict[str, int], after: str) -> None:
    text = "---\n" + "".join(f"{key}: {value}\n" for key, value in values.items()) + "---\n# B\n" + after
    assert (dict(_read(text).values), _body(text)) == (values, "# B\n" + after)


@pytest.mark.parametrize("path", ["a.py", "notes.txt", "data.yaml"])
def test_only_markdown_has_frontmatter(path: str) -> None:
    document = Document(path, "---\nid: a\n---\n", Stamp(1, 1, 1))
    assert document.frontmatter is None
    assert document.body == document.text


@cases(
    ("data", "most"),
    [
        (b"----\n" + b"text\n" * 100_000, 4096),
        (b"--- text\n" + b"text\n" * 100_000, 4096),
        (b"\xef\xbb\xbf---\nkey: v\n---\n" + b"text\n" * 100_000, 4096),
        (b"---\r" + b"key: v\r" * 1_000 + b"---\r" + b"text\r" * 100_000, 8192),
        (b"---\n" + b"key: v\n" * 10_000 + b"...\n" + b"text\n" * 100_000, 131_072),
        (b"---\nkey: v\n", 4096),
    ],
)
def test_a_head_is_read_as_far_as_its_metadata_go(data: bytes, most: int) -> None:
    found, is_whole = read_head(io.BytesIO(data).read)
    assert (len(found) <= most, is_whole, data.startswith(found)) == (True, len(data) < 4096, True)
    whole, head = (read_frontmatter(each.decode().removeprefix("\ufeff"), "a.md") for each in (data, found))
    assert whole == head


_heads = st.builds(
    "{}{}{}\n{}{}".format,
    st.sampled_from(["", "\ufeff", "-", "\n"]),
    st.sampled_from(["---\n", "---\r", "--- \r\n", "--\n"]),
    st.integers(0, 1_250).map("k: v".__mul__),
    st.lists(
        st.sampled_from(["---\n", "...\r\n", *"\n\0\r", " \t\r", "\x0b\n", "## a: [b]\n", " ###### Zz", "text\n"]),
        max_size=8,
    ).map("".join),
    st.integers(0, 9_000).map("x".__mul__),
)


@given(_heads.map(str.encode))
@settings(max_examples=200)
def test_a_head_ends_where_no_line_behind_the_metadata_may_belong_to_them(data: bytes) -> None:
    found = read_head(io.BytesIO(data).read)
    assert head_of(data) == found
    assert data.startswith(found[0])
    if not found[1]:
        assert len(found[0]) == 4096 or _may_go_on(found[0][: len(found[0]) // 2])
        assert len(found[0]) == len(data) or not _may_go_on(found[0])


def _may_go_on(data: bytes) -> bool:
    text = data.decode("latin-1")
    block = find_metadata(text, 3 if data.startswith(b"\xef\xbb\xbf") else 0)
    if block is None or "\0" in text:
        return False
    whole = [line for line in data[block.after :].splitlines(keepends=True) if line.endswith((b"\n", b"\r"))]
    told = [line for line in whole if line.strip()]
    return not is_closed(text, block) or all(re.match(rb"[ \t]*#{1,6}[ \t]+[A-Za-z]", line) for line in told)


@cases("blank", ["\n", "\r\n", " \n"])
def test_blank_lines_below_frontmatter_take_no_memory_of_their_own(blank: str) -> None:
    text = f"---\nid: a\n---\n{blank * 40_000}## tags: [a]\n{blank * 40_000}body\n"
    data = text.encode()
    # What the first reader imports does not count.
    _read(text[:100] + text[-100:])
    tracemalloc.start()
    try:
        head, _ = head_of(data)
        found = _read(text)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(head), found.values) == (len(data), {"id": "a", "tags": ["a"]})
    assert text[found.body :] == "body\n"
    assert most < 8 * len(data)
