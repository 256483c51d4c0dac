"""Files of old commits: links as the walk of a folder follows them, and sources told by paths."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxtui.audit.history.old_tree import Tree, sources_by_path, submodules
from ctxtui.core.disk.git.git import LINK, SUBMODULE, GitFile, open_repository
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Walker
from ctxtui.core.documents.listing import SOURCES, SourceTraits
from tests.audit.repositories import Repo
from tests.cases import cases

_NAMES = st.sampled_from(["a", "b", "c", "d.md"])
_PLACES = st.lists(_NAMES, min_size=1, max_size=3).map("/".join)
_TARGETS = st.lists(st.sampled_from(["a", "b", "c", "d.md", "..", "."]), min_size=1, max_size=4).map("/".join)


def _tree(files: list[str], links: dict[str, str]) -> dict[str, GitFile]:
    return {
        **{path: GitFile("100644", f"content of {path}") for path in files},
        **{path: GitFile(LINK, target) for path, target in links.items()},
    }


def _build(root: Path, files: list[str], links: dict[str, str]) -> bool:
    """Lay files and links out on disk, as far as they do not stand in each other's way."""
    try:
        for path in files:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text("x")
        for path, target in links.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).symlink_to(target)
    except OSError:
        return False
    return True


@given(st.lists(_PLACES, unique=True, max_size=6), st.dictionaries(_PLACES, _TARGETS, max_size=4))
@example(["a/d.md"], {"b": "a", "c": "b"})
@example(["a/b/d.md"], {"c": "a", "a/c": "b"})
@example(["d.md"], {"a": ".", "b/c": ".."})
@example(["d.md"], {"a": "a", "b": "c", "c": "b"})
@settings(max_examples=50)
def test_links_lead_where_the_walk_of_a_folder_follows_them(
    tmp_path_factory: pytest.TempPathFactory, files: list[str], links: dict[str, str]
) -> None:
    root = tmp_path_factory.mktemp("walk")
    try:
        if _build(root, files, links):
            walked = Walker(Root(root), frozenset(), lambda _: None).walk()
            past = Tree(_tree(files, links), lambda id_: id_).past
            assert sorted(past.ids) == [file.path for file in walked]
            assert {path: past.real(path) for path in past.ids} == {file.path: file.real for file in walked}
            assert dict(past.ids) == {file.path: f"content of {file.real}" for file in walked}
    finally:
        shutil.rmtree(root)


@cases("target", ["/etc/passwd", "../outside.md", "", "a/../../b", "gone.md", "self.md"])
def test_links_that_lead_nowhere_inside_are_no_files(target: str) -> None:
    assert Tree(_tree(["a/b.md"], {"self.md": target}), lambda id_: id_).past.ids.keys() == {"a/b.md"}


def test_a_bomb_of_links_is_bounded() -> None:
    links = {f"{name}/{number}": ".." for name in "abcdefgh" for number in range(8)}
    files = [f"{name}/f{number}.md" for name in "abcdefgh" for number in range(100)]
    assert Tree(_tree(files, links), lambda id_: id_).past.ids.keys() == set(files)


def test_real_links_of_a_commit(repo: Repo) -> None:
    repo.write({"AGENTS.md": "x", ".agents/skills/a/SKILL.md": "y", ".claude/x": "z"})
    (repo.root / "CLAUDE.md").symlink_to("AGENTS.md")
    (repo.root / ".claude/skills").symlink_to("../.agents/skills")
    (repo.root / "out.md").symlink_to("/etc/hostname")
    tree = open_repository(repo.root).tree(repo.commit())
    texts = {tree[path].id: os.readlink(repo.root / path) for path in ("CLAUDE.md", ".claude/skills", "out.md")}
    past = Tree(tree, texts.get).past
    assert past.linked == {"CLAUDE.md": "AGENTS.md", ".claude/skills/a/SKILL.md": ".agents/skills/a/SKILL.md"}


def test_submodules_are_left_out_and_named() -> None:
    tree = {"a.md": GitFile("100644", "1"), "lib": GitFile(SUBMODULE, "2")}
    assert Tree(tree, lambda _: None).past.ids == {"a.md": "1"}
    assert submodules(tree) == ["lib"]


def test_sources_by_path() -> None:
    known = {"docs/py/a.md": "catalog", "docs/py/b.md": "catalog", "notes/1.md": "entries", "mixed/a.md": "files"}
    known |= {"mixed/b.md": "catalog", "odd.md": "agents"}
    expected = {
        "agents": ("AGENTS.md", "odd.md", ".claude/skills/s/SKILL.md", ".claude/skills/s/run.py"),
        ".context": (".context/TASKS.md", "sub/.context/deep/x.md"),
        "catalog": ("docs/py/gone.md",),
        "entries": ("notes/2.md",),
        "files": (".context/x.txt", "docs/py/gone.py", "mixed/c.md", "README.md"),
    }
    by_path = {path: source for source, paths in expected.items() for path in paths}
    assert sources_by_path([*by_path], known) == by_path


def test_old_files_of_a_further_source_are_found_by_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOURCES, "notes", SourceTraits())
    monkeypatch.setitem(SOURCES, "boards", SourceTraits((".boards",)))
    old = {"n/2.md": "notes", ".boards/x/2.md": "boards", "linked/2.md": "files"}
    assert sources_by_path(old, {"n/1.md": "notes", "linked/1.md": "boards"}) == old
