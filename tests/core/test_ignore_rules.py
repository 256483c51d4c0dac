"""Ignore rules of a project: matched in bounded time, and refused when they cannot be."""

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from ctxtui.core import ContextError
from ctxtui.core.disk.git.ignore_rules import MAX_RULE, read_rules
from tests.cases import cases


def test_the_last_rule_that_knows_a_path_decides() -> None:
    rules = read_rules(["*.log", "!keep.log", "build/"])
    paths = ("a.log", "keep.log", "build/x", "a.md")
    assert [rules.verdict(path) for path in paths] == [True, False, True, None]


def test_of_equal_rules_the_last_counts() -> None:
    assert read_rules(["!a.md", "*.md", "!a.md"]).verdict("a.md") is False
    assert read_rules(["*.md", "!a.md", "*.md"]).verdict("a.md") is True


def test_no_rules_know_no_path() -> None:
    assert read_rules([]).verdict("a.md") is None


@pytest.mark.parametrize("rule", ["*a" * 60 + "b", "**/*a*/" * 40 + "b", "*" * MAX_RULE])
def test_hostile_rules_take_no_time(rule: str) -> None:
    start = time.process_time()
    read_rules([rule]).verdict("a" * 250 + "/" + "a/" * 200 + "c")
    assert time.process_time() - start < 0.5


def test_thousands_of_rules_hold_together() -> None:
    rules = read_rules([f"folder-{number}/*.log" for number in range(5_000)])
    assert rules.verdict("folder-0/a.log")
    assert rules.verdict("folder-4999/a.log")
    assert rules.verdict("folder-5000/a.log") is None


@cases("rule", ["[[:alpha:]]x", "[z-a]", "a" * (MAX_RULE + 1), "!"])
def test_what_is_no_rule_is_refused(rule: str) -> None:
    with pytest.raises(ContextError) as caught:
        read_rules(["*.log", rule])
    assert caught.value.category == "invalid_request"


_NAMES = st.sampled_from(["a", "b", "ab", ".a", "a.md", "b.log", "ä", "a b", "a-b", "a+b", "[a]", "\\", "!", "#a"])
_PATHS = st.lists(_NAMES, min_size=1, max_size=4).map("/".join)
_RULES = st.lists(
    st.lists(
        st.sampled_from(
            ["a", "b", ".", "md", "*", "**", "/", "?", "!", "[ab]", "[!a]", "[a-", "\\", " ", "ä", "#", "+"]
        ),
        min_size=1,
        max_size=6,
    ).map("".join),
    max_size=6,
)


@given(_RULES, st.lists(st.tuples(_PATHS, st.sampled_from(["", "/"])).map("".join), min_size=1, max_size=8))
def test_rules_mean_what_git_means(lines: list[str], paths: list[str]) -> None:
    """As pathspec reads them, which is compared with Git itself."""
    last = list(dict.fromkeys(reversed(lines)))[::-1]
    assert _told(lambda: read_rules(lines).verdict, paths) == _told(
        lambda: (lambda spec: lambda path: spec.check_file(path).include)(
            GitIgnoreSpec.from_lines(last, backend="re2")
        ),
        paths,
    )


def _told(read: Callable[[], Callable[[str], bool | None]], paths: list[str]) -> list[bool | None] | str:
    try:
        return [*map(read(), paths)]
    except (ValueError, re.error, ContextError) as error:
        return str(error)
