"""Diffs and logs of real repositories: every kind of change by its file, the same text whatever is configured."""

import os
from collections.abc import Mapping
from pathlib import Path
from shutil import rmtree
from types import MappingProxyType

import pytest

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.disk.git.changes import read_work_tree
from ctxtui.core.documents.git_diff import Between, read_diff, untracked, whole_versions
from ctxtui.core.documents.git_history import read_changes, read_log, read_written_lines
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.conftest import Project
from tests.core.test_notebooks import code, notebook

TEXT = "".join(f"line {number}\n" for number in range(30))
EDITED = """diff --git a/edited.md b/edited.md
--- a/edited.md
+++ b/edited.md
@@ -1,4 +1,4 @@
-edited
+edited!
 line 0
 line 1
 line 2
"""


def committed(folder: Path, files: Mapping[str, str | bytes | None], message: str = "change") -> Repo:
    """A repository with one commit."""
    repo = Repo(folder / "r")
    repo.commit(files, message)
    return repo


def conflicting(folder: Path, files: Mapping[str, str | bytes | None] = MappingProxyType({})) -> Repo:
    """A repository in the middle of a merge."""
    repo = committed(folder, {"a.md": "1\n", **files})
    repo.git("checkout", "-q", "-b", "other")
    repo.commit({"a.md": "2\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"a.md": "3\n"})
    with pytest.raises(AssertionError):
        repo.git("merge", "other")
    return repo


def configure(repo: Repo, settings: Mapping[str, str]) -> None:
    for key, value in settings.items():
        repo.git("config", key, value)


def trap(place: Path, sprung: Path, then: str = "cat") -> str:
    """A program that tells that it was started."""
    place.write_text(f"#!/bin/sh\ntouch {sprung}\n{then}\n")
    place.chmod(0o755)
    return str(place)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A branch with a commit of its own, staged and unstaged changes of every kind."""
    repo = Repo(tmp_path / "r")
    names = ("same", "edited", "staged", "moved", "gone", "cut", "link")
    repo.commit({f"{name}.md": f"{name}\n{TEXT}" for name in names} | {"x.png": b"\0\1\2"})
    repo.git("checkout", "-q", "-b", "work")
    repo.commit({"same.md": f"same\n{TEXT}more\n", "new.md": "new\n"}, "Add new")
    repo.write({"staged.md": f"staged!\n{TEXT}", "added.md": "added\n"})
    repo.git("add", "staged.md", "added.md")
    repo.git("mv", "moved.md", "there.md")
    repo.write(
        {"edited.md": f"edited!\n{TEXT}", "cut.md": None, "loose.md": "?\n", "x.png": b"\0\1\3", "link.md": None}
    )
    (repo.root / "link.md").symlink_to("same.md")
    return repo


def test_every_kind_of_change_has_its_mark_its_lines_and_its_text(repo: Repo) -> None:
    found = {each.path: each for each in read_diff(repo.root, Between())}
    expected = {"added.md": ("A", 1, 0), "cut.md": ("D", 0, 31), "edited.md": ("M", 1, 1), "link.md": ("M", 1, 31)}
    others = {"staged.md": ("M", 1, 1), "there.md": ("R", 0, 0), "x.png": ("M", None, None)}
    assert {path: (each.mark, each.added, each.removed) for path, each in found.items()} == expected | others
    assert found["edited.md"].text == EDITED
    assert found["there.md"].text.endswith("rename from moved.md\nrename to there.md\n")
    # What becomes a link is deleted and added: both belong to one file, and the next file has its own text.
    assert found["link.md"].text.count("diff --git a/link.md b/link.md\n") == 2
    assert found["staged.md"].text.startswith("diff --git a/staged.md b/staged.md\n")
    assert untracked(repo.root) == ("loose.md",)


@pytest.mark.parametrize(("word", "base"), [("", None), ("main", "main"), ("staged", None)])
def test_the_files_are_those_that_the_app_marks_as_changed(repo: Repo, word: str, base: str | None) -> None:
    tree = read_work_tree(repo.root, base)
    changes = tree.since if base else tree.staged if word == "staged" else tree.working
    known = {path: mark for path, mark in changes.by_path.items() if mark != "?"}
    assert {each.path: each.mark for each in read_diff(repo.root, Between.named(word))} == known


def test_ranges_compare_commits_and_three_dots_begin_where_the_histories_part(repo: Repo) -> None:
    other = repo.root.parent / "other"
    repo.git("worktree", "add", "-q", str(other), "main")
    Repo(other).commit({"theirs.md": "x\n"})
    of_work = {"same.md": "M", "new.md": "A"}
    for span, expected in {"main..work": of_work | {"theirs.md": "D"}, "main...": of_work}.items():
        assert {each.path: each.mark for each in read_diff(repo.root, Between.named(span))} == expected
    assert "theirs.md" not in {each.path for each in read_diff(repo.root, Between.named("main"))}


def test_lines_are_those_of_the_new_text(tmp_path: Path) -> None:
    repo, lines = committed(tmp_path, {"a.md": TEXT}), TEXT.splitlines(keepends=True)
    repo.write({"a.md": "".join(["first\n", *lines[:5], *lines[7:20], "x\n", "y\n", *lines[21:]])})
    (found,) = read_diff(repo.root, Between(), context=0)
    assert found.lines == ((1, 1), (6, 6), (20, 21))
    # The diff of a notebook is that of its JSON.
    repo.commit({"a.ipynb": notebook(code("x = 1"))})
    repo.write({"a.ipynb": notebook(code("x = 2"))})
    (found,) = read_diff(repo.root, Between(), context=0)
    assert found.text.startswith("diff --git a/a.ipynb b/a.ipynb\n")
    assert '-   "source": "x = 1",\n+   "source": "x = 2",\n' in found.text
    assert "```" not in found.text


@cases("name", ['a "b".md', "tab\there.md", "new\ndiff --git a b.md", "ä→.md", "-x.md", ":(top)x.md"])
def test_names_that_git_would_quote(tmp_path: Path, name: str) -> None:
    repo = committed(tmp_path, {name: "a\n", "z.md": "z\n"})
    repo.write({name: "b\n", "z.md": "diff --git a/x b/x\n@@ -1 +9 @@\n"})
    found = read_diff(repo.root, Between())
    assert {each.path: each.lines for each in found} == {name: ((1, 1),), "z.md": ((1, 2),)}
    assert [each.path for each in read_diff(repo.root, Between(), [name])] == [name]
    assert all(each.text.endswith("@@ -1 +1 @@\n-a\n+b\n") for each in found if each.path == name)


def test_a_project_below_the_repository_sees_its_own_files_by_its_own_paths(tmp_path: Path) -> None:
    repo = committed(tmp_path, {"sub/a.md": "a\n", "b.md": "b\n"}, "Both")
    repo.commit({"b.md": "bb\n"}, "Outside")
    repo.write({"sub/a.md": "aa\n", "b.md": "bbb\n", "sub/loose.md": "?\n", "loose.md": "?\n"})
    (found,) = read_diff(repo.root / "sub", Between())
    assert found.path == "a.md"
    assert found.text.startswith("diff --git a/a.md b/a.md\n")
    assert untracked(repo.root / "sub") == ("loose.md",)
    assert [each.subject for each in read_log(repo.root / "sub", "HEAD", 9)[0]] == ["Both"]


def test_a_conflict_is_named_and_a_change_of_no_text_is_none(tmp_path: Path) -> None:
    repo = conflicting(tmp_path, {"b.md": "1\n"})
    os.utime(repo.root / "b.md", (1, 1))
    repo.write({"c.md": "c\n"})
    repo.git("add", "c.md")
    found = read_diff(repo.root, Between())
    assert [each.path for each in found if each.path != "a.md"] == ["c.md"]
    assert found[-1].text.endswith("+c\n")


def test_the_newest_messages_come_first_and_are_bounded(repo: Repo) -> None:
    repo.git("commit", "-qm", "Subject\n\nBody of two\nlines.")
    commits, has_more = read_log(repo.root, "main..HEAD", 5)
    assert [(each.subject, each.body) for each in commits] == [("Subject", "Body of two\nlines."), ("Add new", "")]
    assert (commits[0].day, len(commits[0].id), has_more) == ("2023-11-15", 12, False)
    assert repo.git("rev-parse", "HEAD").startswith(commits[0].id)
    assert [len(each) for each in read_log(repo.root, "HEAD", 2)[:1]] == [2]
    assert read_log(repo.root, "HEAD", 2)[1]
    assert read_log(repo.root, "HEAD", 9, ["new.md"])[0] == commits[1:]


@cases(
    ("word", "kind"),
    [("nope", NotFound), ("nope..HEAD", NotFound), *((word, ContextError) for word in ("a..b..c", "..", "-x"))],
)
def test_what_is_no_ref_is_refused(repo: Repo, word: str, kind: type[ContextError]) -> None:
    with pytest.raises(kind):
        read_diff(repo.root, Between.named(word))
    with pytest.raises(kind):
        read_log(repo.root, word, 5)


def test_a_repository_without_commits_and_a_folder_without_repository(tmp_path: Path) -> None:
    with pytest.raises(ContextError, match="not in a git repository") as caught:
        read_diff(tmp_path, Between())
    assert caught.value.hint
    Repo(tmp_path / "r")
    with pytest.raises(ContextError, match="no commits yet"):
        read_log(tmp_path / "r", "HEAD", 5)


CONFIGURED = """
diff.noprefix=true diff.mnemonicPrefix=true diff.context=9 diff.interHunkContext=9 diff.algorithm=patience
diff.renames=false diff.renameLimit=1 diff.suppressBlankEmpty=true diff.autoRefreshIndex=false diff.colorMoved=plain
diff.relative=false diff.indentHeuristic=false color.ui=always core.abbrev=40 core.quotePath=true log.follow=true
log.date=relative log.decorate=full log.mailmap=true i18n.logOutputEncoding=UTF-16
"""


def test_the_same_states_give_the_same_bytes_whatever_is_configured(repo: Repo) -> None:
    repo.write({".mailmap": "Eve <eve@example.org> <ada@example.org>\n", "ä.md": "a\n\nb\n"})
    repo.git("add", "ä.md")
    before = read_diff(repo.root, Between.named("main")), read_log(repo.root, "HEAD", 9)
    configure(repo, dict(each.split("=") for each in CONFIGURED.split()))
    repo.git("notes", "add", "-m", "a note")
    assert (read_diff(repo.root, Between.named("main")), read_log(repo.root, "HEAD", 9)) == before


def test_a_hostile_repository_runs_nothing_and_reads_nothing_outside(tmp_path: Path) -> None:
    repo, sprung = Repo(tmp_path / "r"), tmp_path / "sprung"
    program = trap(tmp_path / "trap", sprung)
    inner = committed(repo.root, {"x.md": "x\n"})
    repo.commit({"a.md": "x\n", "b.md": "lost\n", ".gitattributes": "*.md diff=evil filter=evil\n"})
    programs = "core.fsmonitor core.pager core.sshCommand core.askPass core.editor diff.external diff.evil.textconv"
    programs += " diff.evil.command filter.evil.clean filter.evil.smudge gpg.program pager.diff pager.log"
    settings = dict.fromkeys(programs.split(), program) | {"core.hooksPath": str(tmp_path)}
    settings |= dict.fromkeys(("alias.diff", "alias.log", "credential.helper"), f"!{program}")
    settings |= {"diff.submodule": "log", "diff.ignoreSubmodules": "none", "log.showSignature": "true"}
    for each in (repo, inner):
        configure(each, settings | {"filter.evil.required": "true"})
    trap(tmp_path / "post-index-change", sprung)
    repo.write({"a.md": "dirty\n", "r/x.md": "dirty\n"})
    sprung.unlink(missing_ok=True)
    index = (repo.root / ".git/index").read_bytes()
    text = "".join(each.text for each in read_diff(repo.root, Between()))
    assert text.endswith("-x\n+dirty\n")
    assert read_diff(repo.root, Between.named("HEAD~0..HEAD")) == ()
    assert len(read_log(repo.root, "HEAD", 5)[0]) == 1
    assert untracked(repo.root) == ()
    assert not sprung.exists()
    assert (repo.root / ".git/index").read_bytes() == index
    repo.git("diff")
    assert sprung.exists(), "the trap works for those who step into it"


def test_contents_that_are_missing_are_not_fetched(tmp_path: Path) -> None:
    repo, sprung = committed(tmp_path, {"a.md": "x\n"}), tmp_path / "sprung"
    lost = repo.git("rev-parse", "HEAD:a.md")
    repo.write({"a.md": "y\n"})
    (repo.root / ".git/objects" / lost[:2] / lost[2:]).unlink()
    url = f"ext::{trap(tmp_path / 'trap', sprung, 'exit 1')}"
    configure(repo, {"core.repositoryFormatVersion": "1", "extensions.partialClone": "origin"})
    configure(repo, {"remote.origin.promisor": "true", "remote.origin.url": url})
    configure(repo, dict.fromkeys(("protocol.ext.allow", "protocol.allow"), "always"))
    with pytest.raises(ContextError):
        read_diff(repo.root, Between())
    assert not sprung.exists()
    with pytest.raises(AssertionError):
        repo.git("diff")
    assert sprung.exists(), "the trap works for those who step into it"


def test_neither_a_link_nor_another_work_tree_leads_out_of_the_project(tmp_path: Path, project: Project) -> None:
    repo, outside = committed(tmp_path, {"sub/passwords": "x\n"}), project({"passwords": "hunter2\n"})
    repo.write({"sub/passwords": None})
    (repo.root / "sub").rmdir()
    (repo.root / "sub").symlink_to(outside)
    assert "hunter2" not in "".join(each.text for each in read_diff(repo.root, Between()))
    repo.git("config", "core.worktree", str(outside))
    with pytest.raises(ContextError, match="not in the work tree"):
        read_diff(repo.root, Between())


def test_changes_have_their_messages_and_the_files_below_a_folder(tmp_path: Path) -> None:
    repo = committed(tmp_path, {"a.md": "a\n", "sub/b.md": "b\n"}, "Begin\n\nWith a body.")
    repo.commit({"sub/b.md": "c\n"}, "Go on")
    found = [(each.message, each.paths) for each in read_changes(repo.root)]
    assert found == [("Go on", ("sub/b.md",)), ("Begin\n\nWith a body.", ("a.md", "sub/b.md"))]
    assert [each.paths for each in read_changes(repo.root / "sub")] == [("b.md",), ("b.md",)]
    assert read_changes(tmp_path) == ()


@pytest.mark.parametrize(
    ("message", "is_cached"),
    [("Begin", True), ("Use " + "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E", False)],
)
def test_cached_changes_are_those_that_git_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str, is_cached: bool
) -> None:
    repo = committed(tmp_path, {"a.md": "a\n", "sub/b.md": "b\n"}, message)
    folders = (repo.root, repo.root / "sub")
    first = [read_changes(folder) for folder in folders]
    repo.commit({"a.md": "b\n"}, "Go on")
    found = [read_changes(folder) for folder in folders]
    assert found == [(*found[0][:1], *first[0]), first[1]]
    with monkeypatch.context() as patch:
        patch.setenv("CTXTUI_CACHE", "off")
        assert [read_changes(folder) for folder in folders] == found
    # Without the objects, git has no log.
    for folder in (repo.root / ".git/objects").iterdir():
        rmtree(folder)
    assert [read_changes(folder) for folder in folders] == (found if is_cached else [(), ()])


def test_the_lines_that_commits_wrote_have_no_indentation_and_are_not_short(tmp_path: Path) -> None:
    repo = committed(tmp_path, {"a.py": "def first():\n    return 1\n"})
    repo.commit({"a.py": "def first():\n    return 22\n", "b c.py": "    indented = 1\n", "d.py": "other = 1\n"})
    changes = read_changes(repo.root)
    latest, first = (each.id for each in changes)
    written = {latest: {"a.py": {"return 22"}, "b c.py": {"indented = 1"}}, first: {"a.py": {"def first():"}}}
    assert read_written_lines(repo.root, changes, ["a.py", "b c.py"]) == written
    assert read_written_lines(repo.root, changes[:1], ["b c.py"]) == {latest: {"b c.py": {"indented = 1"}}}
    assert read_written_lines(repo.root, changes, ["e.py"]) == {}
    assert read_written_lines(tmp_path, changes, ["a.py"]) == {}


def test_signs_in_messages_and_files_forge_no_commit_and_no_option(tmp_path: Path) -> None:
    lines, stolen = ["first = 'line'", "\x01second = 'line'", "third = 'line'"], tmp_path / "stolen"
    repo = committed(tmp_path, {"a.py": "\n".join([*lines, ""])}, f"Fix\x01--output={stolen} it\x02")
    repo.git("commit", "--allow-empty", "--allow-empty-message", "-m", "")
    empty, fix = read_changes(repo.root)
    assert (empty.message, empty.paths) == ("", ())
    assert (fix.message, fix.paths) == (f"Fix\x01--output={stolen} it\x02", ("a.py",))
    assert read_written_lines(repo.root, (empty, fix), ["a.py"]) == {fix.id: {"a.py": {*lines}}}
    assert not stolen.exists()


@pytest.mark.parametrize("context", [0, 1, 3])
def test_both_versions_of_a_file_come_whole_out_of_its_diff(repo: Repo, context: int) -> None:
    lines = TEXT.splitlines(keepends=True)
    old, new = "".join(lines), "".join(["first\n", *lines[:9], *lines[11:20], "new\n", *lines[20:], "last\n"])
    repo.commit({"long.md": old})
    repo.write({"long.md": new})
    (diff,) = read_diff(repo.root, Between(), ["long.md"], context)
    assert [each.text for each in whole_versions(diff.text, old)] == [old, new]
