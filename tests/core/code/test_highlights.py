"""Highlights of code: their kinds, and that they cover a text without overlaps."""

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.text.code.highlights import MAX_CHARACTERS, highlights
from tests.cases import cases

SAMPLES = {
    "a.py": 'class Order:  # one\n    def total(self) -> int:\n        return 12 if self.x else len("é")\n',
    "a.js": "// one\nexport function total(x) { return x ? 12 : `é` }\n",
    "a.ts": "// one\nclass Order { total(x: string): number { return 12 } }\nconst s = 'é'\n",
    "a.go": 'package a\n\n// one\ntype Order struct{}\n\nfunc total() int { return 12 }\nvar s = "é"\n',
    "a.rs": '// one\nstruct Order;\nfn total() -> i32 { 12 }\nconst S: &str = "é";\n',
    "A.java": 'class Order { // one\n  int total() { return 12; }\n  String s = "é";\n}\n',
    "a.c": '// one\nint total(void) { return 12; }\nchar *s = "e";\n',
    "a.cpp": '// one\nclass Order { int total() { return 12; } };\nauto s = "e";\n',
    "a.vue": "<p>It's</p>\n<script>\n// one\nexport function total(x) { return x ? 12 : `é` }\n</script>\n",
    "a.cs": 'class Order { // one\n  int Total() { return 12; }\n  string s = "e";\n}\n',
}


def words(path: str, text: str) -> set[tuple[str, str]]:
    lines, marks = text.encode().split(b"\n"), highlights(path, text)
    return {(each.kind, lines[at][each.start : each.end].decode()) for at, found in marks.items() for each in found}


@cases("path", SAMPLES)
def test_each_language_has_comments_numbers_strings_and_keywords(path: str) -> None:
    found = words(path, SAMPLES[path])
    kinds = {kind for kind, _ in found}
    assert {"comment", "number", "string", "keyword"} <= kinds, found
    assert any(kind == "number" and text == "12" for kind, text in found)
    assert any(kind == "comment" and "one" in text for kind, text in found)


@given(path=st.sampled_from(sorted(SAMPLES)), text=st.text(alphabet="ab\"'#/*\n{}()= é0\t", max_size=80))
def test_highlights_are_in_order_and_within_their_lines(path: str, text: str) -> None:
    for number, found in highlights(path, text).items():
        assert 0 <= number <= text.count("\n")
        ends = [0, *(each.end for each in found)]
        assert all(end <= each.start <= each.end for end, each in zip(ends, found, strict=False))


def test_other_files_and_huge_ones_have_none() -> None:
    assert highlights("a.md", "# A\n") == {}
    assert highlights("a.py", "x = 1\n" * MAX_CHARACTERS) == {}
