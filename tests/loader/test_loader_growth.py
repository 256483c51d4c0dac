"""Seed 002, "Assembly Rules", as a budget grows: never less of a higher file, and hardly a token unused."""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core import TokenCounter, get_counter
from ctxtui.core.text.markdown.scan import scan
from ctxtui.loader.assembly import assemble
from ctxtui.loader.read import LoadedFile
from ctxtui.loader.types import DEFAULT_PRIORITY, ordered
from tests.loader.loader_helpers import loaded, projects

HEURISTIC = get_counter("heuristic")
COUNTERS = [HEURISTIC, get_counter("o200k_base")]
CODE = {"fence", "code_block", "html_block"}
# The mark, a blank line, and the words that one rather not cuts at.
MARGIN = 12

_names = ["CONSTITUTION", "TASKS", "DECISIONS", "ARCHITECTURE", "LEARNINGS", "NOTES"]
_words = st.sampled_from("budget token file section code rule 漢字 `x` (so) don't".split())
_sentence = st.builds(
    lambda words, end: " ".join(words).capitalize() + end,
    st.lists(_words, min_size=3, max_size=14),
    st.sampled_from([". ", "! ", ", ", " "]),
)
_sentences = st.lists(_sentence, min_size=1, max_size=6).map("".join)
_paragraph = st.builds(
    "{}{}".format, st.builds(str.__mul__, _sentences, st.integers(1, 20)), st.sampled_from(["\n", "\n\n"])
)
_fence = st.builds("```py\n{}```\n\n".format, st.integers(1, 120).map("a = [1, 2]\n".__mul__))
_table = st.builds("| a | b |\n|---|---|\n{}\n".format, st.integers(1, 60).map("| some | words |\n".__mul__))
_task = st.builds("{}- [{}] {}\n".format, st.sampled_from(["", " ", "  "]), st.sampled_from(" x"), _sentence)
_tasks = st.lists(_task, max_size=40).map("".join)
_dated = st.builds("## 2026-01-{:02} entry\n\n{}".format, st.integers(1, 28), _paragraph)
_comment = st.builds("<!-- {} -->\n\n".format, _sentence)
_blocks = st.one_of(_paragraph, _paragraph, _fence, _table, _tasks, _dated, _comment, st.just("# Title\n\n"))
contexts = st.dictionaries(st.sampled_from(_names), st.lists(_blocks, max_size=12).map("".join), min_size=1)


def _read(texts: dict[str, str]) -> list[LoadedFile]:
    return [loaded(texts[name], name) for name in ordered(texts, DEFAULT_PRIORITY)]


def _shown(summary: str, counter: TokenCounter) -> list[int]:
    """The units that each file has in a summary, in loading order."""
    starts = [match.start() for match in re.finditer(r"^## [^\n]+\nSource: \S+\.md\n", summary, re.MULTILINE)]
    return [counter.units(summary[start:end]) for start, end in pairwise([*starts, len(summary)])]


def _largest_piece(file: LoadedFile, counter: TokenCounter) -> int:
    """The tokens of the largest piece of a file that cannot be cut: code, a heading, a row, a word."""
    body, structure = file.body, scan(file.body)
    starts = structure.lines.start
    spans = [(block.start, block.end) for block in structure.blocks if block.kind in CODE | {"heading"}]
    pieces = [body[starts(start) : starts(end)] for start, end in spans]
    pieces += [line for line in body.splitlines() if line.lstrip().startswith("|")]
    return max((counter.count(piece) for piece in [*pieces, *body.split()]), default=0)


def _check(files: Sequence[LoadedFile], budgets: Sequence[int], counter: TokenCounter) -> None:
    floor = assemble(files, 0, counter).token_count
    everything = assemble(files, 10**9, counter).token_count
    before: list[int] = []
    for budget in sorted(budgets):
        found = assemble(files, budget, counter)
        shown = _shown(found.summary, counter)
        assert found.token_count == counter.count(found.summary) <= max(budget, floor)
        assert before <= shown, f"less of a higher file at {budget}"
        before = shown
        used, offered = found.token_count, min(budget, everything)
        for file in files:
            if offered >= floor and used < 0.95 * offered and file.file.content not in found.summary:
                assert budget - used <= _largest_piece(file, counter) + MARGIN, f"{budget - used} unused at {budget}"
            assert file.file.name != "CONSTITUTION" or file.file.content in found.summary


@settings(max_examples=12)
@given(contexts, st.integers(20, 400), st.sampled_from(COUNTERS))
def test_more_budget_never_shows_less(texts: dict[str, str], step: int, counter: TokenCounter) -> None:
    files = _read(texts)
    top = assemble(files, 10**9, counter).token_count
    _check(files, [*range(0, top + step, max(step, top // 8)), *range(top // 2, top // 2 + 4)], counter)


@settings(max_examples=30)
@given(projects, st.lists(st.integers(0, 1500), min_size=2, max_size=12), st.sampled_from(COUNTERS))
def test_any_markdown_grows_with_the_budget(paths: dict[str, str], budgets: list[int], counter: TokenCounter) -> None:
    _check(_read({Path(path).stem: text for path, text in paths.items()}), budgets, counter)


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda each: str(each.name))
@pytest.mark.parametrize("name", ["dotcontext-ctx-v030", "dotcontext-demo"])
def test_real_contexts_grow_with_the_budget(corpora: Path, name: str, counter: TokenCounter) -> None:
    folder = next((corpora / name).rglob(".context"))
    files = _read({path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.md"))})
    top = assemble(files, 10**9, counter).token_count
    _check(files, [*range(0, top, max(1, top // 12)), *range(2000, 2010), 8000, top - 1, top], counter)
