"""Ignore rules of a project: matched in bounded time, and refused when they cannot be."""

import time

import pytest

from ctxtui.core import ContextError
from ctxtui.core.patterns.ignore_rules import MAX_RULE, read_rules


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


@pytest.mark.parametrize("rule", ["[[:alpha:]]x", "[z-a]", "a" * (MAX_RULE + 1), "!"])
def test_what_is_no_rule_is_refused(rule: str) -> None:
    with pytest.raises(ContextError) as caught:
        read_rules(["*.log", rule])
    assert caught.value.category == "invalid_request"
