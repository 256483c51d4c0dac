"""Fixes: what they change, what they leave, and how they are taken back."""

import re
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.audit import Fix, apply
from ctxtui.core.disk.root import Root
from ctxtui.core.text.metadata.frontmatter import read_frontmatter
from ctxtui.core.tokens.by_name import get_counter
from tests.audit.auditing_helpers import LOREM, found
from tests.conftest import Project

INDEX = "---\ntitle: I\ntype: index\nestimatedTokens: 3\nloadingStrategy: always\n---\n# I\n"
HEAD = "title: A\ntype: pattern\nloadingStrategy: onDemand\n"
BODY = f"# A\n\n## One\n\n{LOREM}{LOREM}\n## Two\n\n{LOREM}\n"
PATH = "lib/api/a.md"


def place(project: Project, text: str | bytes) -> Path:
    return project({"lib/index.md": INDEX, "lib/api/index.md": INDEX, PATH: text})


def fixes(root: Path) -> list[Fix]:
    return [finding.fix for finding in found(root, "token-drift") if finding.fix]


def mended(root: Path) -> str:
    apply(Root(root), fixes(root))
    assert found(root, "token-drift") == []
    return (root / PATH).read_bytes().decode()


def test_a_fix_changes_the_digits_and_nothing_else(project: Project) -> None:
    text = f"---\n# ours\n{HEAD}estimatedTokens:   40   # guess\nother: 40\n---\n{BODY}"
    assert mended(place(project, text)) == text.replace("  40  ", f"  {get_counter().count(BODY)}  ")


def test_several_numbers_on_one_line_are_set_together(project: Project) -> None:
    flow = "sections: [{name: One, estimatedTokens: 7}, {estimatedTokens: 9, name: 'Two', keywords: [a]}]\n"
    root = place(project, f"---\n{HEAD}estimatedTokens: 5\n{flow}---\n{BODY}")
    assert [fix.line for fix in fixes(root)] == [5, 6, 6]
    assert re.search(r"\{name: One, estimatedTokens: \d{3}\}, \{estimatedTokens: \d{3}, name: 'Two'", mended(root))


def test_line_ends_and_a_byte_order_mark_are_kept(project: Project) -> None:
    text = f"---\n{HEAD}estimatedTokens: 5\n---\n{BODY}".replace("\n", "\r\n")
    root = place(project, b"\xef\xbb\xbf" + text.encode())
    apply(Root(root), fixes(root))
    data = (root / PATH).read_bytes()
    assert data.startswith(b"\xef\xbb\xbf---\r\n")
    assert data.count(b"\n") == data.count(b"\r\n") == text.count("\n")
    assert found(root, "token-drift") == []


def test_one_file_under_two_paths_is_written_once(project: Project) -> None:
    root = place(project, f"---\n{HEAD}estimatedTokens: 5\n---\n{BODY}")
    (root / "lib/api/link.md").symlink_to("a.md")
    (fix,) = fixes(root)
    twin = Fix(
        "lib/api/link.md", fix.line, fix.title, fix.before, fix.after, fix.start, fix.end, fix.text, fix.digest
    )
    assert len(apply(Root(root), [fix, twin])) == 1
    assert (root / "lib/api/link.md").is_symlink()


def _values(text: str) -> dict[str, Any]:
    frontmatter = read_frontmatter(text, "a.md")
    assert frontmatter is not None
    return dict(frontmatter.values)


NAMES = st.sampled_from(["One", "Two", "Gone", "1. One", "two"])
SECTION = st.fixed_dictionaries({"name": NAMES, "estimatedTokens": st.integers(0, 900)})
EXTRA = st.dictionaries(st.sampled_from(["tags", "note", "déjà", "𝄞"]), st.text("abc é𝄞:#'\"{}[],-5", max_size=12))


@settings(max_examples=13)
@given(st.integers(0, 2000), st.lists(SECTION, max_size=4), EXTRA, st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_after_fixing_the_same_is_said_but_for_the_numbers(
    project: Project, tokens: int, sections: list[dict[str, Any]], extra: dict[str, str], flow: bool, end: str
) -> None:
    values = {**extra, "title": "A", "type": "pattern", "loadingStrategy": "onDemand", "estimatedTokens": tokens}
    dumped = yaml.safe_dump({**values, "sections": sections}, default_flow_style=flow, allow_unicode=True)
    text = f"---\n{dumped}---\n{BODY}".replace("\n", end)
    root = place(project, text.encode())
    apply(Root(root), fixes(root))
    after = (root / PATH).read_bytes().decode()
    assert re.sub(r"\d+", "0", after) == re.sub(r"\d+", "0", text)
    mended_values, old = _values(after), _values(text)
    for each in (mended_values, old):
        each.pop("estimatedTokens")
        each["sections"] = [item["name"] for item in each["sections"]]
    assert mended_values == old
    assert found(root, "token-drift") == []
