"""What holds for every prompt and every tree."""

import os
import tempfile
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.scan import has_headings
from ctxtui.retrieval import FilesystemProvider
from ctxtui.retrieval.index.chunks import chunks, light_headings
from ctxtui.retrieval.index.tokenizer import Words
from tests.retrieval.retrieval_helpers import request

_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=400)
_words = st.sampled_from(
    "alpha beta gamma_delta getUserName 設定ファイル журнал naïve C# password: hunter22 # ## - ``` ---".split()
)
_joints = st.sampled_from([" ", "\n", "\r\n", "\n\n", "\n# ", "\n## "])
_markdown = st.lists(st.tuples(_words, _joints).map("".join), max_size=60).map("".join)
_names = st.sampled_from(["a.md", "b.md", "docs/c.md", "docs/d.py", "e.txt", ".context/TASKS.md"])
_trees = st.dictionaries(_names, st.one_of(_markdown, _texts), min_size=1, max_size=6)
_prompts = st.one_of(st.text(max_size=60), st.lists(_words, max_size=6).map(" ".join), _texts)


@pytest.fixture(scope="module")
def tree() -> Iterator[Path]:
    """A folder with a neighbor that nobody may see."""
    with tempfile.TemporaryDirectory() as place:
        Path(place, "root").mkdir()
        Path(place, "outside.md").write_text("alpha beta OUTSIDE")
        Path(place, "root", "link.md").symlink_to("../outside.md")
        yield Path(place, "root")


def _write(root: Path, files: dict[str, str]) -> None:
    for place in sorted(root.rglob("*"), reverse=True):
        if place.name != "link.md":
            place.rmdir() if place.is_dir() else place.unlink()
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())


@settings(max_examples=20)
@given(_trees, st.lists(_prompts, min_size=1, max_size=3), st.integers(1, 60), st.booleans())
def test_any_prompt_is_answered_within_the_contract(
    tree: Path, files: dict[str, str], prompts: list[str], limit: int, is_typing: bool
) -> None:
    _write(tree, files)
    provider = FilesystemProvider(on_notice=lambda _: None)
    for prompt in prompts:
        asked = request(tree, prompt, limit=limit)
        result = provider.search(asked, is_typing=is_typing)
        assert len(result.hits) <= min(limit, 50)
        order = [(-hit.snippet.score, hit.snippet.path) for hit in result.hits]
        assert order == sorted(order)
        assert len({hit.snippet.id for hit in result.hits}) == len(result.hits)
        for hit in result.hits:
            snippet, section = hit.snippet, hit.section
            assert snippet.path in files
            assert 0 < snippet.score <= 1
            assert 0 < len(snippet.content) <= 1_200
            assert "hunter22" not in snippet.content.replace("# hunter22", "").replace(" hunter22", "x") or (
                "password: hunter22" not in snippet.content
            )
            lines = Lines.of(files[snippet.path].removeprefix("\ufeff"))
            start, end = (int(part) for part in snippet.id.rpartition("#L")[2].split("-L"))
            assert 1 <= start <= end <= len(lines.starts)
            assert 1 <= section.start <= section.end <= len(lines.starts)
            assert set(hit.matched) <= set(snippet.content.split()) or all(
                word in snippet.content for word in hit.matched
            )
        assert provider.search(asked, is_typing=is_typing).hits == result.hits
    provider.close()


@given(_texts, st.sampled_from(["a.md", "a.py", "a.rst"]))
def test_chunks_hold_every_line_that_is_not_blank_once(text: str, path: str) -> None:
    found = list(chunks(path, text))
    assert all(before.end <= after.start for before, after in pairwise(found))
    held = {line for chunk in found for line in range(chunk.start, chunk.end)}
    lines = Lines.of(text)
    headings = {heading.line for heading in light_headings(path, text)} if has_headings(path) else set()
    for line, start in enumerate(lines.starts):
        if text[start : lines.start(line + 1)].strip() and line not in held:
            assert line in headings or line - 1 in headings


def test_a_long_comment_before_the_only_function_of_a_file_is_cut() -> None:
    head = "// This script explains itself at length, in line comments.\n" * 40
    text = f"{head}\n// Runs it.\nfunction main() {{\n  return 1;\n}}\n\nmain();\n"
    found = list(chunks("a.js", text))
    assert (found[0].start, found[-1].end) == (0, text.count("\n"))


@given(_markdown)
def test_chunks_of_markdown_hold_the_text_of_their_lines(text: str) -> None:
    lines = Lines.of(text)
    for chunk in chunks("a.md", text):
        piece = text[lines.start(chunk.start) : lines.start(chunk.end)]
        assert chunk.text == piece.replace("\r\n", "\n").replace("\r", "\n")


@given(st.text(st.characters(categories=["L", "Nd", "P", "Z"])))
def test_search_words_are_the_same_in_any_company_and_hold_no_syntax(text: str) -> None:
    words = Words()
    found = words.of(text)
    assert words.of(f"{text} {text}").split() == found.split() * 2
    assert all(word.isalnum() or not word.isascii() for word in found.split())
    assert not set(found) & set("\"'()*^:{}")
    assert [each for _, several in words.written(text) for each in several] == found.split()


_EASTERN = st.text(st.characters(categories=["Lo"], min_codepoint=0x3000, max_codepoint=0xD7FF), max_size=20)


@given(st.lists(st.one_of(_EASTERN, st.from_regex(r"[A-Za-z0-9]{1,9}", fullmatch=True))).map("".join))
def test_search_words_are_the_same_however_characters_are_composed(text: str) -> None:
    assert Words().of(unicodedata.normalize("NFD", text)) == Words().of(unicodedata.normalize("NFC", text))


@given(st.from_regex(r"[A-Z]?[a-z]{1,12}", fullmatch=True))
def test_a_word_has_the_terms_that_it_has_beside_a_sign(word: str) -> None:
    assert Words().of(word) == Words().of(f"{word}\u00a7")


def test_the_tests_leave_the_cache_of_the_user_alone() -> None:
    assert os.environ["XDG_CACHE_HOME"].startswith(tempfile.gettempdir()) or "pytest" in os.environ["XDG_CACHE_HOME"]
