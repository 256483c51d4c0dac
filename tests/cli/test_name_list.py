"""Lists of names from other programs, piped into `build --pick -`."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.cli.payloads.build import read_list
from tests.audit.repositories import Repo
from tests.cli.streams import Refused
from tests.conftest import Asked, Project

FILES = dict.fromkeys(["a.md", "é.md", "b c.md", 'q"t.md', "sub/s.md", "sub/[id]/p.md", "sub/i/p.md"], "# Old\n")
Build = Callable[..., list[str]]


def git(root: Path, *words: str) -> bytes:
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True).stdout


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A repository of files with odd names."""
    repo = Repo(tmp_path / "r")
    repo.commit(FILES)
    return repo.root


@pytest.fixture
def built(cli: Asked) -> Build:
    """The sources of what is built of a list."""

    def run(listed: str | bytes, *words: str, **more: Path) -> list[str]:
        lines = cli("build", "--pick", "-", *words, stdin=listed, **more).out.splitlines()
        return [
            line.removeprefix("<!-- source: ").removesuffix(" -->") for line in lines if line.startswith("<!-- s")
        ]

    return run


def changed(root: Path, *words: str) -> bytes:
    return git(root, "diff", "--name-only", *words, "HEAD")


LISTS: Mapping[str, tuple[Callable[[Path], bytes], tuple[str, ...]]] = {
    "diff": (changed, ()),
    "diff -z": (lambda root: changed(root, "-z"), ("-0",)),
    "status": (lambda root: git(root, "status", "--porcelain", "-b"), ()),
    "status -z": (lambda root: git(root, "status", "--porcelain", "-z"), ("-0",)),
    "Windows": (lambda root: changed(root).replace(b"\n", b"\r\n"), ()),
    "PowerShell": (lambda root: changed(root).decode().encode("utf-16"), ()),
    "BOM": (lambda root: b"\xef\xbb\xbf" + changed(root), ()),
}


def test_names_that_git_prints_are_found_from_any_folder(built: Build, cli: Asked, sample: Path) -> None:
    for name in ("a.md", "é.md", 'q"t.md', "sub/s.md"):
        (sample / name).write_text("# New\n")
    git(sample, "mv", "b c.md", "sub/b -> c.md")
    (sample / "sub/[id]/p.md").unlink()
    for kind, (lists, words) in LISTS.items():
        listed = lists(sample)
        for below in (sample, sample / "sub"):
            found = built(listed, "-C", str(sample), *words, cwd=below)
            assert sorted(found) == sorted(["a.md", "é.md", 'q"t.md', "sub/s.md", "sub/b -> c.md"]), kind
            told = cli("build", "--pick", "-", "-C", str(sample), *words, stdin=listed, cwd=below).err
            assert "sub/[id]/p.md" in told, kind
        # The project is the folder below: names begin at the top of the repository.
        assert sorted(built(listed, *words, cwd=sample / "sub")) == ["b -> c.md", "s.md"], kind


def test_names_that_find_prints_stand_for_themselves(built: Build, sample: Path) -> None:
    listed = subprocess.check_output(["find", ".", "-name", "s*"], cwd=sample)
    assert set(listed.split()) >= {b"./sub", b"./sub/s.md"}
    assert built(listed) == ["sub/s.md"]
    listed = subprocess.check_output(["find", ".", "-print0"], cwd=sample)
    assert sorted(built(listed, "-0")) == sorted(FILES)
    assert built(b"sub\\s.md\r\nsub\\i\\p.md\r\n") == ["sub/s.md", "sub/i/p.md"]


def test_words_in_a_list_still_choose(built: Build, refused: Refused, cli: Asked) -> None:
    assert built("sub/**\n!**/s.md\n") == ["sub/[id]/p.md", "sub/i/p.md"]
    assert built("a.md\nsub/i\n", "--pick", "!a.md") == ["sub/i/p.md"]
    # A list of which nothing is left is an error.
    err = refused("build", "--pick", "-", stdin="gone.md\nsub/[x]/p.md\n", status=3)
    assert "no document has a name of the list: gone.md, sub/[x]/p.md" in err
    left = cli("build", "--pick", "-", "--log", "HEAD", stdin="gone.md\n").err
    assert "1 name of the list left out" in left


# Names in quotes git would quote once more.
NAMES = st.text("ab \"\\\té'->!", min_size=1, max_size=8).filter(
    lambda name: name.strip() and not (name.startswith('"') and name.endswith('"'))
)


@given(st.lists(NAMES, min_size=1, max_size=4, unique=True))
def test_every_name_is_among_the_readings_of_its_line(names: list[str]) -> None:
    for with_nul in (True, False):
        end = "\0" if with_nul else "\n"
        wanted = names if with_nul else [name.removesuffix("\r") for name in names]
        wanted = [name for name in wanted if name.strip()]
        assert [entry[0] for entry in read_list(end.join([*names, ""]), with_nul)] == wanted
        untracked = read_list(end.join(f"?? {name}" for name in wanted), with_nul)
        assert all(name in entry for name, entry in zip(wanted, untracked, strict=True))


def test_quoted_names_are_read_as_git_writes_them(project: Project) -> None:
    names = ['a"b', "c\\d", "e\tf", "ü", "g\nh", "\x01", "日本"]
    root = project(dict.fromkeys(names, "x"))
    git(root, "init", "-q")
    git(root, "add", ".")
    assert {name for entry in read_list(git(root, "ls-files").decode(), False) for name in entry} >= set(names)
