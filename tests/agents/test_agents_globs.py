"""Globs mean what agents mean by them, and never take long."""

import time
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents.globs import split_globs
from ctxtui.agents.paths import Index
from ctxtui.core.text.globs import compile_glob, expand
from tests.cases import cases


@cases(
    ("pattern", "path", "is_match"),
    [
        (".claude/rules/**/*.md", ".claude/rules/a.md", True),
        (".claude/rules/**/*.md", ".claude/rules/deep/er/a.md", True),
        (".claude/rules/**/*.md", ".claude/rules.md", False),
        (".claude/rules/*.md", ".claude/rules/deep/a.md", False),
        ("**/AGENTS.md", "AGENTS.md", True),
        ("**/AGENTS.md", "a/b/AGENTS.md", True),
        ("**/AGENTS.md", "a/XAGENTS.md", False),
        ("*/**/AGENTS.md", "a/AGENTS.md", True),
        ("*/**/AGENTS.md", "AGENTS.md", False),
        (".cursor/**", ".cursor/rules/a.mdc", True),
        (".cursor/**", ".cursor", False),
        ("**", "anything/at/all", True),
        ("*", "a/b", False),
        ("a/**/b/**/c", "a/b/c", True),
        ("a/**/b/**/c", "a/x/b/x/b/y/c", True),
        ("./docs/*.md", "docs/a.md", True),
        ("a.md", "axmd", False),
        ("*.{ts,tsx}", "a.tsx", True),
        ("*.{ts,tsx}", "a.js", False),
        ("{a,b{c,d}}/*", "bd/x", True),
        ("[ab]?c", "bxc", True),
        ("[!ab]", "c", True),
        ("[!ab]", "/", False),
        ("?", "/", False),
        ("[a-c].md", "b.md", True),
        ("a[*-}]b", "a/b", False),
        ("a[b", "a[b", True),
        ("a{b", "a{b", True),
        ("*a*b*c", "xaybzbc", True),
        ("a**b", "axyb", True),
        ("[z-a]", "[z-a]", True),
        ("[z-a]", "z", False),
        ("[^-^*]?", "ab", True),
        ("é[à-ü]", "éê", True),
        ("?", "\ud800", True),
        ("\ud800", "\ud800", True),
        ("a?" * 4_000, "a?" * 4_000, True),
    ],
)
def test_matches(pattern: str, path: str, is_match: bool) -> None:
    assert bool(compile_glob(pattern).matches(path)) is is_match


def test_several_patterns_match_as_one() -> None:
    glob = compile_glob("*.md", "[z-a]", "src/**")
    assert [glob.matches(path) for path in ("a.md", "[z-a]", "src/a/b", "b.py")] == [True, True, True, False]


def test_braces_expand_inside_out_and_up_to_a_limit() -> None:
    assert expand("{a,b}/{c,d}") == ("a/c", "a/d", "b/c", "b/d")
    assert expand("{a,{b,c}}") == ("a", "b", "c")
    assert expand("{a}") == ("{a}",)
    assert expand("{a,b}" * 9) == ("{a,b}" * 9,)


def test_commas_within_braces_do_not_separate() -> None:
    assert split_globs("src/**/*.{ts,tsx}, lib/** ,,") == ("src/**/*.{ts,tsx}", "lib/**")
    assert split_globs("src/{a,{b,c}}/*.ts,x") == ("src/{a,{b,c}}/*.ts", "x")
    assert split_globs("src/{a,b") == ("src/{a", "b")


@pytest.mark.parametrize("pattern", ["*a" * 40 + "b", "**/*a*/" * 20 + "b", "{*a,**/a}" * 5 + "b"])
def test_hostile_patterns_take_no_time(pattern: str) -> None:
    start = time.process_time()
    assert not compile_glob(pattern).matches("a" * 250 + "/" + "a/" * 200 + "c")
    assert time.process_time() - start < 0.5


@given(st.text(alphabet="ab*?[]{}!-^\\/,.&~|", max_size=30), st.text(alphabet="ab/.-", max_size=30))
def test_any_text_is_a_pattern(pattern: str, path: str) -> None:
    compile_glob(pattern).matches(path)


@given(st.text(alphabet="ab*", max_size=12), st.text(alphabet="ab", max_size=12))
def test_stars_in_one_name_agree_with_the_standard_library(pattern: str, name: str) -> None:
    if pattern != "**":
        assert bool(compile_glob(pattern).matches(name)) == fnmatchcase(name, pattern)


_FOLDERS = st.lists(st.sampled_from(["a", "b", ".c", "skills", "a0"]), max_size=3)
_PATHS = st.lists(
    st.builds(lambda folders, name: "/".join([*folders, name]), _FOLDERS, st.sampled_from(["x.md", "SKILL.md", "y"])),
    unique=True,
    max_size=12,
)


@given(
    _PATHS,
    st.sampled_from(["*.md", "skills/*/SKILL.md", "a/**/*.md", "**/SKILL.md", ".c/**", "skills/x.md", "**", "*"]),
    _FOLDERS.filter(bool).map("/".join),
)
def test_the_order_of_paths_changes_only_that_of_what_is_found_in_a_folder(
    paths: list[str], pattern: str, folder: str
) -> None:
    matches = compile_glob(pattern).matches
    found = [path for path in sorted(paths) if path.startswith(f"{folder}/") and matches(path[len(folder) + 1 :])]
    assert list(Index(sorted(paths)).find_in(pattern, folder)) == found
    assert sorted(Index(paths).find_in(pattern, folder)) == found
