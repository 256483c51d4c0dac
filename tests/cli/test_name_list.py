"""Lists of names from other programs, piped into `build --pick -`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.cli.payloads.build import read_list
from tests import warm
from tests.conftest import Project

FILES: Mapping[str, str] = {
    "a.md": "# A\n",
    "é.md": "# E\n",
    "b c.md": "# BC\n",
    'q"t.md': "# Q\n",
    "sub/s.md": "# S\n",
    "sub/[id]/p.md": "# P\n",
    "sub/i/p.md": "# I\n",
}


def git(root: Path, *words: str) -> bytes:
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True).stdout


@pytest.fixture
def repository(project: Project) -> Path:
    root = project(FILES)
    git(root, "init", "-q")
    git(root, "config", "user.email", "a@b.c")
    git(root, "config", "user.name", "a")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    return root


def build(root: Path, listed: bytes, *words: str) -> subprocess.CompletedProcess[str]:
    return warm.run(("build", "--pick", "-", *words), listed, root, os.environ)


def sources(done: subprocess.CompletedProcess[str]) -> list[str]:
    lines = done.stdout.splitlines()
    return [line.removeprefix("<!-- source: ").removesuffix(" -->") for line in lines if line.startswith("<!-- s")]


LISTS: Mapping[str, tuple[Callable[[Path], bytes], tuple[str, ...]]] = {
    "diff": (lambda root: git(root, "diff", "--name-only", "HEAD"), ()),
    "diff -z": (lambda root: git(root, "diff", "--name-only", "-z", "HEAD"), ("-0",)),
    "status": (lambda root: git(root, "status", "--porcelain", "-b"), ()),
    "status -z": (lambda root: git(root, "status", "--porcelain", "-z"), ("-0",)),
    "Windows": (lambda root: git(root, "diff", "--name-only", "HEAD").replace(b"\n", b"\r\n"), ()),
    "PowerShell": (lambda root: git(root, "diff", "--name-only", "HEAD").decode().encode("utf-16"), ()),
    "BOM": (lambda root: b"\xef\xbb\xbf" + git(root, "diff", "--name-only", "HEAD"), ()),
}


def test_names_that_git_prints_are_found_from_any_folder(repository: Path) -> None:
    for name in ("a.md", "é.md", 'q"t.md', "sub/s.md"):
        (repository / name).write_text("# New\n")
    git(repository, "mv", "b c.md", "sub/b -> c.md")
    (repository / "sub/[id]/p.md").unlink()
    for kind, (lists, words) in LISTS.items():
        listed = lists(repository)
        for below in (".", "sub"):
            done = build(repository / below, listed, "-C", str(repository), *words)
            assert done.returncode == 0, (kind, done.stderr)
            assert sorted(sources(done)) == sorted(["a.md", "é.md", 'q"t.md', "sub/s.md", "sub/b -> c.md"]), kind
            assert "sub/[id]/p.md" in done.stderr
        # The project is the folder below: names begin at the top of the repository.
        done = build(repository / "sub", listed, *words)
        assert done.returncode == 0, (kind, done.stderr)
        assert sorted(sources(done)) == ["b -> c.md", "s.md"], kind


def test_names_that_find_prints_stand_for_themselves(repository: Path) -> None:
    listed = subprocess.run(["find", ".", "-name", "s*"], cwd=repository, capture_output=True, check=True).stdout
    assert set(listed.split()) >= {b"./sub", b"./sub/s.md"}
    assert sources(build(repository, listed)) == ["sub/s.md"]
    listed = subprocess.run(["find", ".", "-print0"], cwd=repository, capture_output=True, check=True).stdout
    assert sorted(sources(build(repository, listed, "-0"))) == sorted(FILES)
    assert sources(build(repository, b"sub\\s.md\r\nsub\\i\\p.md\r\n")) == ["sub/s.md", "sub/i/p.md"]


def test_words_in_a_list_still_choose(repository: Path) -> None:
    assert sources(build(repository, b"sub/**\n!**/s.md\n")) == ["sub/[id]/p.md", "sub/i/p.md"]
    assert sources(build(repository, b"a.md\nsub/i\n", "--pick", "!a.md")) == ["sub/i/p.md"]


def test_a_list_of_which_nothing_is_left_is_an_error(repository: Path) -> None:
    done = build(repository, b"gone.md\nsub/[x]/p.md\n")
    assert (done.returncode, done.stdout) == (3, "")
    assert "no document has a name of the list: gone.md, sub/[x]/p.md" in done.stderr
    done = build(repository, b"gone.md\n", "--log", "HEAD")
    assert done.returncode == 0
    assert "1 name of the list left out" in done.stderr


NAMES = st.text("ab \"\\\té'->!", min_size=1, max_size=8).filter(lambda name: name.strip())


@given(st.lists(NAMES, min_size=1, max_size=4, unique=True))
def test_every_name_is_among_the_readings_of_its_line(names: list[str]) -> None:
    for with_nul in (True, False):
        end = "\0" if with_nul else "\n"
        wanted = names if with_nul else [name.removesuffix("\r") for name in names]
        wanted = [name for name in wanted if name.strip()]
        entries = read_list(end.join([*names, ""]), with_nul)
        assert [entry[0] for entry in entries] == wanted
        untracked = read_list(end.join(f"?? {name}" for name in wanted), with_nul)
        assert all(name in entry for name, entry in zip(wanted, untracked, strict=True))


def test_quoted_names_are_read_as_git_writes_them(project: Project) -> None:
    names = ['a"b', "c\\d", "e\tf", "ü", "g\nh", "\x01", "日本"]
    root = project(dict.fromkeys(names, "x"))
    git(root, "init", "-q")
    git(root, "add", ".")
    listed = git(root, "ls-files").decode()
    assert {name for entry in read_list(listed, False) for name in entry} >= set(names)
