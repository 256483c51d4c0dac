"""Git is started on a project's own repository alone, by the user's own git, and never outlives who started it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.executable import executable
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.git.changes import read_work_tree
from ctxtui.core.disk.git.git import open_repository
from ctxtui.core.disk.git.repository import repository_root
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Walker
from ctxtui.core.documents.git_diff import Between, read_diff
from ctxtui.session.delivery import clipboard
from tests.audit.repositories import Repo
from tests.conftest import Project
from tests.core.test_git_diff import committed, trap
from tests.core.texts import refused


@pytest.fixture
def private(tmp_path: Path) -> Repo:
    """Another repository of the user, with something that the project must not learn."""
    repo = Repo(tmp_path / "private")
    repo.commit({"secret.md": "mine\n", ".gitignore": "*.tmp\n"}, "Mine")
    return repo


Lead = Callable[[Path, Path], object]


def _worktree(project: Path, private: Path) -> None:
    """A working tree of the private repository that lies in the project, as far as the project can make one."""
    own = project / "fake/worktrees/x"
    own.mkdir(parents=True)
    (own / "commondir").write_text(f"{private}/.git\n")
    (own / "gitdir").write_text(f"{project}/.git\n")
    (own / "HEAD").write_text("ref: refs/heads/main\n")
    (project / ".git").write_text(f"gitdir: {own}\n")


def _objects(project: Path, private: Path) -> None:
    pack = Repo(project).root / ".git/objects/pack"
    pack.rmdir()
    pack.symlink_to(private / ".git/objects/pack")


def _linked_file(project: Path, private: Path) -> None:
    (project / "way").write_text(f"gitdir: {private}/.git\n")
    (project / ".git").symlink_to("way")


_ELSEWHERE: dict[str, Lead] = {
    "file": lambda project, private: (project / ".git").write_text(f"gitdir: {private}/.git\n"),
    "relative": lambda project, _: (project / ".git").write_text("gitdir: ../private/.git"),
    "link": lambda project, private: (project / ".git").symlink_to(private / ".git"),
    "linked file": _linked_file,
    "commondir": lambda project, private: Repo(project).write({".git/commondir": f"{private}/.git\n"}),
    "worktree": _worktree,
    "alternates": lambda project, private: Repo(project).write(
        {".git/objects/info/alternates": f"# x\n{private}/.git/objects\n"}
    ),
    "objects": _objects,
    "refs": lambda project, private: (Repo(project).root / ".git/refs/heads/x").symlink_to(private / ".git/HEAD"),
}


@pytest.mark.parametrize("lead", _ELSEWHERE)
def test_another_repository_is_never_read(project: Project, private: Repo, lead: str) -> None:
    root = project({"a.md": "x", "b.tmp": "x"}).rename(private.root.parent / "project")
    _ELSEWHERE[lead](root, private.root)
    for act in (open_repository, read_work_tree, lambda place: read_diff(place, Between(span="HEAD~0..HEAD"))):
        with refused(match="another repository|out of the repository") as caught:
            act(root)
        assert caught.value.hint


def test_what_another_repository_ignores_is_not_known_and_told(project: Project, private: Repo) -> None:
    root = project({"a.md": "x", "b.tmp": "x", ".gitignore": "a.md\n"})
    _ELSEWHERE["file"](root, private.root)
    notices: list[Notice] = []
    found = Walker(Root(root), frozenset(), notices.append).walk()
    assert [each.path for each in found if not each.ignored] == ["b.tmp"]
    assert [each.code for each in notices] == ["git-elsewhere"]


def test_working_trees_and_submodules_of_the_user_are_read(private: Repo, tmp_path: Path) -> None:
    private.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert open_repository(tmp_path / "linked").resolve("HEAD")
    outer = committed(tmp_path, {"a.md": "x"})
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(private.root), "sub")
    assert open_repository(outer.root / "sub").resolve("HEAD")


def test_a_git_folder_kept_elsewhere_is_read_once_it_names_the_folder(tmp_path: Path) -> None:
    root = tmp_path / "project"
    subprocess.run(["git", "init", "-q", f"--separate-git-dir={tmp_path}/kept", str(root)], check=True)
    with pytest.raises(ContextError, match="does not name") as caught:
        open_repository(root)
    subprocess.run(caught.value.hint.partition("elsewhere: ")[2].split(), cwd=root, check=True)
    assert open_repository(root).root == root


def test_a_stray_git_folder_does_not_lead_to_the_repository_around_it(private: Repo) -> None:
    root = private.root / "inner"
    (root / ".git").mkdir(parents=True)
    with pytest.raises(ContextError, match="is not in a git repository"):
        open_repository(root)


_WAITING = (
    *("index", "HEAD", "config", "packed-refs", "info/exclude", "info/attributes", "refs/heads/x", "objects/ab/c"),
    *("objects/pack/pack-1.idx", "logs/HEAD", "commondir", "../.gitignore", "../.gitattributes", "../.mailmap"),
)


@pytest.mark.parametrize("name", _WAITING)
def test_git_is_not_started_where_it_would_wait(tmp_path: Path, name: str) -> None:
    repo = committed(tmp_path, {"a.md": "x"})
    place = repo.root / ".git" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with pytest.raises(ContextError, match="is a pipe or a device") as caught:
        read_work_tree(repo.root)
    assert caught.value.hint
    Walker(Root(repo.root), frozenset(), lambda _notice: None).walk()


def test_settings_that_lead_to_a_pipe_are_told(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    os.mkfifo(tmp_path / "pipe")
    for name in ("include.path", "core.excludesFile"):
        repo.git("config", name, str(tmp_path / "pipe"))
        with pytest.raises(ContextError, match="is a pipe or a device"):
            open_repository(repo.root)
        (repo.root / ".git/config").write_text("[core]\n\tbare = false\n\texcludesFile = /dev/null\n")
    assert open_repository(repo.root)


@pytest.mark.parametrize("before", ["", ".", "bin", "{root}", "{root}/bin", "{link}"])
def test_no_program_of_a_project_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str) -> None:
    repo, mark, link = committed(tmp_path, {"a.md": "x"}), tmp_path / "mark", tmp_path / "link"
    link.symlink_to(repo.root / "bin")
    for folder in (repo.root, repo.root / "bin"):
        folder.mkdir(exist_ok=True)
        for name in ("git", "xclip", "wl-copy", "ssh", "vim"):
            trap(folder / name, mark, "true")
    monkeypatch.chdir(repo.root)
    path = f"{before.format(root=repo.root, link=link)}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    assert open_repository(repo.root).resolve("HEAD")
    env = {"PATH": path, "DISPLAY": ":none", "WAYLAND_DISPLAY": "none"}
    monkeypatch.setattr(clipboard, "_write_tty", lambda _: None)
    clipboard.copy("x", env=env, project=repo.root)
    found = executable("vim", repo.root)
    assert found is None or not Path(found).is_relative_to(repo.root)
    assert not mark.exists()


def _runs(word: str) -> list[str]:
    said = subprocess.run(["ps", "-wweo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in said.splitlines() if word in line]


def test_a_killed_program_leaves_no_git_behind(tmp_path: Path) -> None:
    repo = committed(tmp_path, {"deep/a.md": "x"})
    # Below the project's own folder only git finds it.
    os.mkfifo(repo.root / "deep/.gitattributes")
    repo.write({"deep/a.md": "y"})
    code = (
        "import sys; from pathlib import Path; from ctxtui.core.documents.git_diff import Between, read_diff\n"
        "read_diff(Path(sys.argv[1]), Between())"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(repo.root)]) as process:
        try:
            while not any(" diff " in line for line in _runs(str(repo.root))):
                assert process.poll() is None, "git does not wait for the pipe"
        finally:
            process.kill()
    # A guard ends git. On a busy machine it may get its turn late.
    until = time.monotonic() + 300
    while _runs(str(repo.root)):
        assert time.monotonic() < until, "git is still there"


def test_the_nearest_repository_and_the_way_down_from_it(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert repository_root(below) == (tmp_path, "a/b")
    assert repository_root(tmp_path) == (tmp_path, "")
    (tmp_path / "a" / ".git").write_text("gitdir: elsewhere")
    assert repository_root(below) == (tmp_path / "a", "b")
    # A link belongs where it leads.
    (tmp_path / "link").symlink_to("a/b")
    assert repository_root(tmp_path / "link") == (tmp_path / "a", "b")
    (tmp_path / ".git").rmdir()
    assert repository_root(tmp_path) is repository_root("a\0b") is None
