"""What is found, how it is ranked, and what of it is shown."""

from pathlib import Path

import pytest

from ctxtui.retrieval import Span
from tests.bench import retrieval as bench
from tests.cases import cases
from tests.conftest import Project
from tests.retrieval.retrieval_helpers import hits, only, paths, request, search, searching

GUIDE = """---
title: Guide
tags: [ducks]
---

Words before any heading about geese.

# Guide

## Setup

Install the compiler.

### Windows

Use the installer for windows.

## Running

```
# Setup in a fence
compiler --run
```
"""


def test_snippets_are_sections_and_their_source_is_the_heading_path(project: Project) -> None:
    hit = only(project({"docs/guide.md": GUIDE}), "installer")
    assert (hit.snippet.path, hit.snippet.source) == ("docs/guide.md", "Guide / Setup / Windows")
    assert hit.snippet.content == "### Windows\n\nUse the installer for windows."
    assert hit.snippet.id == "filesystem:docs/guide.md#L14-L16"
    assert hit.section == Span("docs/guide.md", 14, 17, "windows")
    assert hits(project({"guide.md": GUIDE}), "install compiler")[0].section == Span("guide.md", 10, 17, "setup")


@cases(
    ("prompt", "source", "slug"),
    [
        ("geese", "guide.md", "(preamble)"),
        ("ducks", "guide.md", "(frontmatter)"),
        # Headings in fences are no headings.
        ("fence", "Guide / Running", "running"),
    ],
)
def test_what_stands_before_the_headings_is_found_under_the_path(
    project: Project, prompt: str, source: str, slug: str
) -> None:
    hit = only(project({"guide.md": GUIDE}), prompt)
    assert (hit.snippet.source, hit.section.slug) == (source, slug)


def test_metadata_never_comes_before_the_text_it_describes(project: Project) -> None:
    root = project({"a.md": "---\ntags: [swan, swan, swan]\n---\n\n# B\n\nLong text that says swan once.\n"})
    assert [hit.snippet.source for hit in hits(root, "swan")] == ["B", "a.md"]


def test_a_heading_weighs_more_than_a_mention_and_a_rare_word_more_than_a_common_one(project: Project) -> None:
    files = {f"common{number}.md": "# Words\n\nsome common words\n" for number in range(20)}
    files["a.md"] = "# Notes\n\nThe cache is mentioned here among the other words of the text.\n"
    files["b.md"] = "# Cache\n\nHow it is filled and what is thrown out of it when memory is short.\n"
    root = project(files)
    assert paths(root, "cache") == ["b.md", "a.md"]
    assert set(paths(root, "common words cache", 2)) == {"a.md", "b.md"}


def test_words_of_the_path_and_of_the_headings_above_count(project: Project) -> None:
    root = project({"python/logging.md": "# X\n\n## Y\n\nset it up\n", "other.md": "# X\n\n## Y\n\nset it up\n"})
    assert paths(root, "logging set up")[0] == "python/logging.md"
    hit = only(root, "logging")
    assert (hit.snippet.path, hit.snippet.source) == ("python/logging.md", "X / Y")


def test_words_that_stand_together_come_first(project: Project) -> None:
    filler = "and other words in between "
    apart, together = f"# A\n\nmemory {filler} leak {filler}\n", f"# B\n\n{filler} memory leak {filler}\n"
    root = project({"a.md": apart, "b.md": together})
    assert paths(root, "memory leak") == ["b.md", "a.md"]


@cases("written", ["getUserName", "get_user_name", "get-user-name", "GetUserName", "GET_USER_NAME"])
@cases("asked", ["getUserName", "get_user_name", "user name", "GET_USER_NAME"])
def test_identifiers_are_found_however_they_are_joined(project: Project, written: str, asked: str) -> None:
    assert paths(project({"a.py": f"x = {written}(1)\n", "b.py": "nothing\n"}), asked) == ["a.py"]


@cases(
    ("written", "asked"),
    [
        # Without their joints.
        *(("getUserName(parseHTML5Document)", word) for word in ("getusername", "GETUSERNAME", "parsehtml5document")),
        # The plural of capitals is the same word.
        *(("base_url", "URLs"), ("getURLs()", "url"), ("an ID", "which IDs"), ("parseAPIsOf", "api")),
    ],
)
def test_parts_of_identifiers_are_found(project: Project, written: str, asked: str) -> None:
    assert paths(project({"a.py": f"x = {written}\n", "b.py": "nothing\n"}), asked) == ["a.py"]


@cases(
    ("written", "asked"),
    [
        ("Naïve Größe café", "naive"),
        ("Naïve Größe café", "GROSSE"),
        ("Łódź", "lodz"),
        ("Перед выпуском проверьте ЖУРНАЛ", "журнал"),
        ("ещё раз", "еще"),
        ("ΟΔΟΣ", "οδός"),
        ("İstanbul", "istanbul"),
        ("設定ファイルは起動時に読み込まれます。", "ファイル"),
        ("設定ファイルは起動時に読み込まれます。", "起動"),
        ("設定ファイルは起動時に読み込まれます。", "設"),
        ("设置文件在启动时读取", "启动"),
        ("요청이 실패하면 재시도하고", "요청"),
        ("การตั้งค่าระบบ", "ตั้งค่า"),
        ("ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
        ("records in C# 12", "c#"),
        ("written in C++", "C++"),
        ("sha256 sums", "SHA-256"),
        ("caches are cached", "caching"),
        ("The policies", "policy"),
        ("Authenticated users", "authentication"),
    ],
)
def test_words_are_found_across_case_accents_scripts_and_endings(project: Project, written: str, asked: str) -> None:
    root = project({"a.md": f"# A\n\n{written}\n", "b.md": "# B\n\nquite different ones\n"})
    assert paths(root, asked) == ["a.md"]


@cases(
    "prompt",
    [
        *('"alpha', "alpha*", "^alpha", "NEAR(alpha)", "body: alpha", "alpha AND", "(alpha", "{heading} : alpha"),
        *("alpha NOT alpha", "alpha' OR 1=1 --", "-alpha", "alpha\0beta", "alpha\ud800", "𝔞 alpha ?"),
        # Of any length.
        "beta " * 50_000 + "alpha " + "gamma " * 50_000,
    ],
)
def test_nothing_in_a_prompt_is_syntax(project: Project, prompt: str) -> None:
    assert paths(project({"a.md": "# A\n\nalpha\n"}), prompt) == ["a.md"]


def test_common_words_of_a_question_do_not_count_where_others_do(project: Project) -> None:
    root = project({"a.md": "# A\n\nhow do you do what you do when you do\n", "b.md": "# B\n\nmigrations\n"})
    assert paths(root, "how do you do migrations") == ["b.md"]
    assert paths(root, "how do") == ["a.md"]


def test_content_is_cut_at_lines_around_what_matches_best(project: Project) -> None:
    lines = [f"line {number} is about nothing much" for number in range(150)]
    lines[100] = "the needle and the thread"
    text = "# Long\n\n" + "\n".join(lines)
    hit = only(project({"a.md": text}), "needle thread")
    shown = hit.snippet.content.splitlines()
    assert len(hit.snippet.content) <= 1_200
    assert set(shown) <= set(lines)
    start, end = (int(part) for part in hit.snippet.id.partition("#L")[2].split("-L"))
    assert start < 103 < end
    assert shown == text.splitlines()[start - 1 : end]


@cases("joint", [" ", "—", ""])
def test_one_endless_line_is_cut_around_what_matches(project: Project, joint: str) -> None:
    filler = joint.join(["filler"] * 5_000)
    hit = only(project({"a.md": f"{filler} needle {filler}"}), "needle")
    assert len(hit.snippet.content) <= 1_200
    assert "needle" in hit.snippet.content
    assert hit.snippet.id.endswith("#L1-L1")


def test_matched_words_are_told_as_they_are_written(project: Project) -> None:
    root = project({"a.md": "# Caches\n\n`userCache` caching, CACHED; Zwischen-Caché\n\n設定ファイル\n"})
    assert hits(root, "cache")[0].matched == ("Caches", "userCache", "caching", "CACHED", "Caché")
    assert only(root, "設定").matched == ("設定",)


def test_the_last_word_may_be_unfinished_while_it_is_typed(project: Project) -> None:
    root = project({"a.md": "# Deployment\n\nto production\n", "b.md": "# Other\n\ntext\n"})
    for end in range(3, len("deployment") + 1):
        found = hits(root, "production deployment"[: len("production ") + end], is_typing=True)
        assert [hit.snippet.path for hit in found] == ["a.md"]
        assert hits(root, "deployment"[:end], is_typing=True)[0].matched == ("Deployment",)
    assert paths(root, "deploym") == []


def test_files_that_are_no_markdown_are_found_by_what_they_define(project: Project) -> None:
    body = "\n\n".join(f"def helper_{number}(value):\n    return value + {number}" for number in range(300))
    root = project({"tool.py": f"{body}\n\n\nclass RetryPolicy:\n    attempts = 3\n", "b.txt": "retry\n\npolicy\n"})
    hit = hits(root, "RetryPolicy class")[0]
    assert (hit.snippet.path, hit.snippet.source, hit.section.slug) == ("tool.py", "RetryPolicy", "RetryPolicy")
    assert "class RetryPolicy" in hit.snippet.content
    assert hit.section == Span("tool.py", 902, 903, "RetryPolicy")


def test_lines_are_counted_as_they_are_in_the_file(project: Project) -> None:
    for ending in ("\n", "\r\n", "\r"):
        hit = only(project({"a.md": ending.join(["# A", "", "one", "", "# B", "", "needle", ""])}), "needle")
        assert hit.snippet.id == "filesystem:a.md#L5-L7"
        assert hit.section == Span("a.md", 5, 7, "b")


def test_an_encoding_with_a_mark_is_read_and_damage_is_told(project: Project) -> None:
    result = search(project({"a.md": "needle ü".encode("utf-16"), "b.md": b"needle \xff here"}), "needle")
    assert {hit.snippet.content for hit in result.hits} == {"needle ü", "needle \ufffd here"}
    assert [notice.path for notice in result.notices if notice.code == "invalid-text"] == ["b.md"]


def test_one_provider_serves_several_roots(project: Project) -> None:
    roots = [project({"a.md": f"# A\n\nalpha number{number}\n"}) for number in range(10)]
    with searching() as provider:
        for number, root in [*enumerate(roots)] * 2:
            (hit,) = provider.search(request(root, "alpha")).hits
            assert f"number{number}" in hit.snippet.content


def test_words_that_stand_nearly_everywhere_still_find_what_is_about_them(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxtui.retrieval.index.query._MAX_CHUNKS", 3)
    files = {f"{number:02}.md": f"# Text {number}\n\nalpha beta{number % 7 * 'x'} gamma\n" for number in range(60)}
    root = project({**files, "named.md": "# Alpha\n\nsomething else\n", "rare.md": "# Rare\n\nalpha delta\n"})
    assert paths(root, "alpha")[0] == "named.md"
    assert len(paths(root, "alpha", 50)) == 50
    assert paths(root, "delta alpha gamma")[0] == "rare.md"
    assert set(paths(root, "alpha beta gamma", 8)) <= set(files)


def test_the_judged_sections_exist_and_are_found_first(corpora: Path) -> None:
    for prompt in bench.judged():
        for path, _ in prompt.gains:
            assert (corpora / prompt.root / path).is_file()
    ours, plain, found = bench.quality()
    assert ours > 0.75
    assert ours > 2 * plain
    assert sum(score == 0 for score, _, _ in found) <= 2
