"""Rules in the syntax of `.gitignore`: which of them decides about a file, and how long that takes."""

import time

import pytest

from ctxtui.core.disk.git.rules import MAX_RULE, GitRules, git_rules, is_sound, read_rules
from tests.cases import cases


def rules(*lines: str) -> GitRules:
    return git_rules(read_rules(lines))


@cases(
    ("lines", "path", "selects", "covers"),
    [
        ((), "a.md", False, False),
        (("*.log", "!keep.log"), "keep.log", False, False),
        (("build/",), "build/a/x", True, True),
        (("build/",), "build", False, False),
        (("!a.md", "*.md", "!a.md"), "a.md", False, False),
        (("*.md", "!a.md", "*.md"), "a.md", True, True),
        (("src/", "!src/gen/"), "src/gen/a.py", False, True),
        (("!src/gen/", "src/"), "src/gen/a.py", True, True),
        (("docs/", "!*.md"), "docs/a.md", False, True),
        (("!*.md", "docs/"), "docs/a.md", True, True),
        (("*.md", "!docs/"), "docs/a.md", True, True),
    ],
)
def test_the_last_rule_decides_about_a_file(lines: tuple[str, ...], path: str, selects: bool, covers: bool) -> None:
    """Git ignores all that is in an ignored folder, globs choose within it."""
    read = rules(*lines)
    assert (read.selects(path), read.covers(path)) == (selects, covers)


@pytest.mark.parametrize("rule", ["*a" * 60 + "b", "**/*a*/" * 40 + "b", "*" * MAX_RULE, "[!a]" * (MAX_RULE // 4)])
def test_hostile_rules_take_no_time(rule: str) -> None:
    start = time.process_time()
    read = rules(rule)
    assert not read.selects("a" * 250 + "/" + "a/" * 200 + "c") or set(rule) == {"*"}
    assert time.process_time() - start < 0.5


def test_thousands_of_rules_hold_together() -> None:
    read = rules(*(f"folder-{number}/*.log" for number in range(5_000)))
    found = [number for number in (0, 4_999, 5_000) if read.selects(f"folder-{number}/a.log")]
    assert found == [0, 4_999]


@cases("rule", ["[[:none:]]x", "a" * (MAX_RULE + 1), "!", "/", "a\\"])
def test_a_rule_that_matches_nothing_is_not_sound(rule: str) -> None:
    assert not all(map(is_sound, read_rules([rule])))
