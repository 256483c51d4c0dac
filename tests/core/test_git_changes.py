"""Changed files: what git says of the working tree, without running anything that a repository names."""

import subprocess
from pathlib import Path

import pytest

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.disk.git.changes import bases, default_base, has_repository, read_work_tree
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.core.test_git_diff import committed, configure, conflicting, trap

TEXT = "".join(f"line {number}\n" for number in range(30))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A branch with a commit of its own, staged and unstaged changes of every kind."""
    repo = Repo(tmp_path / "r")
    repo.commit({f"{name}.md": f"{name}\n{TEXT}" for name in ("same", "edited", "staged", "moved", "gone", "cut")})
    repo.git("checkout", "-q", "-b", "work")
    repo.commit({"same.md": f"same\n{TEXT}more\n", "new.md": "new\n", "brief.md": "brief\n"})
    repo.write({"staged.md": f"staged!\n{TEXT}", "added.md": "added\n"})
    repo.git("add", "staged.md", "added.md")
    repo.git("mv", "moved.md", "there.md")
    repo.git("rm", "-q", "gone.md")
    repo.write({"edited.md": f"edited!\n{TEXT}", "sub/loose file.md": "?\n", "cut.md": None, "brief.md": None})
    repo.write({".gitignore": "ignored.md\n", "ignored.md": "x\n"})
    return repo


WORKING = {".gitignore": "?", "added.md": "A", "brief.md": "D", "cut.md": "D", "edited.md": "M", "gone.md": "D"}
WORKING |= {"staged.md": "M", "sub/loose file.md": "?", "there.md": "R"}


def test_every_kind_of_change_has_its_mark(repo: Repo) -> None:
    tree = read_work_tree(repo.root, "main")
    assert tree.working.by_path == WORKING
    assert tree.staged.by_path == {"added.md": "A", "gone.md": "D", "staged.md": "M", "there.md": "R"}
    # A file that was added on the branch and deleted again is no change.
    since = {path: mark for path, mark in WORKING.items() if path != "brief.md"}
    assert tree.since.by_path == since | {"same.md": "M", "new.md": "A"}
    assert tree.since.base == "main"


def test_what_is_as_the_base_has_it_again_is_no_change_of_the_branch(tmp_path: Path) -> None:
    names = ("edited", "moved", "cut", "dropped", "kept")
    repo = committed(tmp_path, {f"{name}.md": f"{name}\n{TEXT}" for name in names})
    repo.git("checkout", "-q", "-b", "work")
    repo.git("mv", "moved.md", "there.md")
    repo.git("mv", "cut.md", "later.md")
    repo.git("rm", "-q", "dropped.md")
    repo.commit({"edited.md": "edited!\n"})
    repo.git("mv", "there.md", "moved.md")
    repo.git("rm", "-q", "--cached", "kept.md")
    repo.write({"edited.md": f"edited\n{TEXT}", "later.md": None, "dropped.md": "new\n"})
    tree = read_work_tree(repo.root, "main")
    assert tree.since.by_path == {"cut.md": "D", "dropped.md": "M", "kept.md": "M"}


def test_later_commits_of_the_base_are_not_changes_of_the_branch(repo: Repo) -> None:
    before = read_work_tree(repo.root, "main").since
    other = repo.root.parent / "other"
    repo.git("worktree", "add", "-q", str(other), "main")
    Repo(other).commit({"theirs.md": "x\n"})
    assert read_work_tree(repo.root, "main").since == before
    # A project below the repository sees its own files by its own paths.
    tree = read_work_tree(repo.root / "sub", "main")
    assert tree.working.by_path == tree.since.by_path == {"loose file.md": "?"}


@cases("name", ['a "b".md', "tab\there.md", "new\nline.md", "ä→.md", "-x.md", "R100.md", "a -> b.md"])
def test_names_that_git_would_quote(tmp_path: Path, name: str) -> None:
    repo = committed(tmp_path, {name: TEXT, "other.md": TEXT + "!"})
    repo.write({name: TEXT + "more\n"})
    assert read_work_tree(repo.root).working.by_path == {name: "M"}
    repo.git("mv", "other.md", f"to {name}")
    assert read_work_tree(repo.root).staged.by_path == {f"to {name}": "R"}


def test_a_file_removed_from_the_index_or_added_or_moved_and_deleted_again(tmp_path: Path) -> None:
    """The first one still lies there and is changed, the others change what the last commit has."""
    repo = committed(tmp_path, {"kept.md": "x\n", "a.md": TEXT})
    repo.git("rm", "-q", "--cached", "kept.md")
    repo.write({"new.md": "new\n"})
    repo.git("add", "new.md")
    repo.git("mv", "a.md", "b.md")
    repo.write({"new.md": None, "b.md": None})
    tree = read_work_tree(repo.root)
    assert tree.working.by_path == {"kept.md": "M", "a.md": "D"}
    assert tree.staged.by_path == {"kept.md": "D", "b.md": "R", "new.md": "A"}


def test_conflicts_and_no_commits_or_no_repository_at_all(tmp_path: Path) -> None:
    assert not has_repository(tmp_path)
    with pytest.raises(ContextError, match="not in a git repository"):
        read_work_tree(tmp_path)
    repo = Repo(tmp_path / "new")
    repo.write({"a.md": "x\n"})
    assert read_work_tree(repo.root).working.by_path == {"a.md": "?"}
    assert (default_base(repo.root), bases(repo.root)) == (None, ())
    tree = read_work_tree(conflicting(tmp_path).root)
    assert (tree.working.by_path, tree.staged.by_path) == ({"a.md": "U"}, {})


def _configure(repo: Repo, text: str) -> None:
    """Add what `git config` would refuse to write."""
    with (repo.root / ".git/config").open("a") as file:
        file.write(text)


def test_a_hostile_configuration_runs_nothing_and_the_index_stays_as_it_is(tmp_path: Path) -> None:
    repo, sprung = Repo(tmp_path / "r"), tmp_path / "sprung"
    program = trap(tmp_path / "trap", sprung)
    inner = committed(repo.root, {"x.md": "x\n", ".gitattributes": "* filter=evil\n"})
    inner.git("config", "filter.evil.clean", program)
    repo.git("config", "filter.a.b C.clean", "cat")
    attributes = "*.md diff=evil filter=evil\n*.txt filter=a.b C\n"
    repo.commit({"a.md": "x\n", "b.txt": "x\n", ".gitattributes": attributes})
    programs = "core.fsmonitor diff.external diff.evil.textconv filter.evil.clean filter.evil.smudge"
    configure(repo, dict.fromkeys(programs.split(), program) | {"core.hooksPath": str(tmp_path)})
    configure(repo, dict.fromkeys(("filter.evil.required", "status.relativePaths", "status.branch"), "true"))
    configure(repo, {"status.showUntrackedFiles": "no", "diff.renames": "false"})
    _configure(repo, f'[filter "Evil.2"]\n\tprocess = {program}\n')
    trap(tmp_path / "post-index-change", sprung)
    repo.write({"a.md": "dirty\n", "r/x.md": "y\n", "loose.md": "?\n"})
    sprung.unlink(missing_ok=True)
    index = (repo.root / ".git/index").read_bytes()
    tree = read_work_tree(repo.root, "main")
    assert tree.working.by_path == tree.since.by_path == {"a.md": "M", "loose.md": "?"}
    assert not sprung.exists()
    assert (repo.root / ".git/index").read_bytes() == index
    repo.git("status")
    assert sprung.exists(), "the trap works for those who step into it"


def test_a_filter_that_cannot_be_switched_off_is_refused(tmp_path: Path) -> None:
    repo, sprung = committed(tmp_path, {"a.md": "x\n", ".gitattributes": "*.md filter=a=b\n"}), tmp_path / "sprung"
    _configure(repo, f'[filter "a=b"]\n\tclean = {trap(tmp_path / "trap", sprung)}\n')
    repo.write({"a.md": "dirty\n"})
    with pytest.raises(ContextError, match="filter"):
        read_work_tree(repo.root)
    assert not sprung.exists()


def test_the_default_base_is_the_branch_that_work_starts_from(repo: Repo) -> None:
    assert default_base(repo.root) == "main"
    clone = repo.root.parent / "clone"
    subprocess.run(["git", "clone", "-q", str(repo.root), str(clone)], check=True)
    assert default_base(clone) == "origin/work"
    kinds = {"work": "branch", "origin/work": "remote branch", "origin/main": "remote branch"}
    assert {each.name: each.kind for each in bases(clone)} == kinds
    repo.git("tag", "v1")
    newest = bases(repo.root)
    assert {each.name for each in newest} == {"work", "main", "v1"}
    assert newest[-1].name == "main", "the oldest commit comes last"
    assert newest[0].day == "2023-11-15"
    with pytest.raises(NotFound, match="nope"):
        read_work_tree(repo.root, "nope")
