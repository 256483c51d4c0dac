"""Globs mean what agents mean by them, and never take long."""

import time
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents.project.globs import split_globs
from ctxtui.agents.project.paths import Index
from ctxtui.core.text.globs import compile_glob, expand
from tests.cases import cases


@cases(
    ("pattern", "matching", "others"),
    [
        (".claude/rules/**/*.md", ".claude/rules/a.md .claude/rules/deep/er/a.md", ".claude/rules.md"),
        (".claude/rules/*.md", "", ".claude/rules/deep/a.md"),
        ("**/AGENTS.md", "AGENTS.md a/b/AGENTS.md", "a/XAGENTS.md"),
        ("*/**/AGENTS.md", "a/AGENTS.md", "AGENTS.md"),
        (".cursor/**", ".cursor/rules/a.mdc", ".cursor"),
        ("**", "anything/at/all", ""),
        ("*", "", "a/b"),
        ("a/**/b/**/c", "a/b/c a/x/b/x/b/y/c", ""),
        ("./docs/*.md", "docs/a.md", ""),
        ("a.md", "", "axmd"),
        ("*.{ts,tsx}", "a.tsx", "a.js"),
        ("{a,b{c,d}}/*", "bd/x", ""),
        ("[ab]?c", "bxc", ""),
        ("[!ab]", "c", "/"),
        ("?", "\ud800", "/"),
        ("[a-c].md", "b.md", ""),
        ("a[*-}]b", "", "a/b"),
        ("*a*b*c", "xaybzbc", ""),
        ("a**b", "axyb", ""),
        ("[z-a]", "[z-a]", "z"),
        ("[^-^*]?", "ab", ""),
        ("é[à-ü]", "éê", ""),
        *((itself, itself, "") for itself in ("a[b", "a{b", "\ud800", "a?" * 4_000)),
    ],
)
def test_matches(pattern: str, matching: str, others: str) -> None:
    glob = compile_glob(pattern)
    assert [path for path in f"{matching} {others}".split() if glob.matches(path)] == matching.split()


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
