"""Git as a reader: what it gives, what it refuses, and that no repository makes it run, write or fetch anything."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from ctxtui.audit.history.commits import read_changes, read_commits
from ctxtui.audit.history.old_tree import FileStep
from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.disk.git import git
from ctxtui.core.disk.git.git import GitFile, Repository, open_repository
from tests.audit.repositories import Repo
from tests.cases import cases


def _refused(root: Path) -> ContextError:
    with pytest.raises(ContextError) as caught:
        open_repository(root)
    return caught.value


def _script(place: Path, body: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{body}\n")
    place.chmod(place.stat().st_mode | stat.S_IXUSR)
    return place


def test_files_of_a_commit_and_their_contents(repo: Repo) -> None:
    old = repo.commit({"a.md": "one\n", "b/c d.md": "two\n", "leer.md": ""})
    repo.commit({"a.md": "changed\n"})
    opened = open_repository(repo.root)
    tree = opened.tree(old)
    assert list(tree) == ["a.md", "b/c d.md", "leer.md"]
    contents = dict(opened.contents(file.id for file in tree.values()))
    assert [contents[file.id] for file in tree.values()] == [b"one\n", b"two\n", b""]


def test_a_project_in_a_folder_of_the_repository_sees_only_that(repo: Repo) -> None:
    first = repo.commit({"out.md": "w"})
    repo.commit({"out.md": "x", "sub/in.md": "y"})
    repo.commit({"out.md": "z"}, "outside only")
    last = repo.commit({"sub/in.md": "yy", "out.md": "zz"})
    inner = open_repository(repo.root / "sub")
    assert inner.prefix == "sub/"
    assert (list(inner.tree(first)), list(inner.tree(last))) == ([], ["in.md"])
    commits = read_commits(inner, last, 10)
    assert [commit.subject for commit in commits] == ["change", "change"]
    assert [change.path for change in read_changes(inner, commits[1:])[last]] == ["in.md"]


@pytest.mark.parametrize("name", ["mian", "v1.O", "origin/mian"])
def test_an_unknown_ref_names_near_ones(repo: Repo, name: str) -> None:
    commit = repo.commit({"a": "x"})
    repo.git("tag", "v1.0")
    repo.git("update-ref", "refs/remotes/origin/main", commit)
    with pytest.raises(NotFound) as caught:
        open_repository(repo.root).resolve(name)
    assert "main" in str(caught.value.hint) or "v1.0" in str(caught.value.hint)


@cases("name", ["", "--output=x", "-n1", "a\0b", "a\nb", "\u202emain"])
def test_what_cannot_be_a_ref_never_reaches_git(repo: Repo, name: str) -> None:
    repo.commit({"a": "x"})
    with pytest.raises(ContextError) as caught:
        open_repository(repo.root).resolve(name)
    assert caught.value.category == "invalid_request"
    assert not (repo.root / "x").exists()


def test_refs_of_every_kind(repo: Repo) -> None:
    first, second = repo.commit({"a": "x"}), repo.commit({"a": "y"})
    repo.git("tag", "-a", "v1", "-m", "annotated", first)
    opened = open_repository(repo.root)
    for ref, commit in {"HEAD": second, "main": second, second[:8]: second, "v1": first, "HEAD~1": first}.items():
        assert opened.resolve(ref) == commit


def test_without_a_repository_git_or_commits(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = _refused(tmp_path)
    assert error.category == "invalid_request"
    assert "not in a git repository" in error.message
    with pytest.raises(ContextError, match="no commits yet"):
        open_repository(repo.root).resolve("HEAD")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    error = _refused(repo.root)
    assert (error.category, error.message) == ("unavailable", "git is not installed")


def test_git_that_refuses_or_never_ends(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    refuses = f"echo \"fatal: detected dubious ownership in repository at '{repo.root}'\" >&2; exit 128"
    for program, limit, category, says in (
        (refuses, ("TIMEOUT", 60), "unauthorized", "safe.directory"),
        ("exec yes", ("MAX_OUTPUT", 5 * 1024 * 1024), "invalid_request", "more than 5 MB"),
        ("exec sleep 60", ("TIMEOUT", 0.2), "timeout", ""),
    ):
        _script(tmp_path / "bin/git", program)
        monkeypatch.setattr(git, *limit)
        error = _refused(repo.root)
        assert (error.category, error.retryable) == (category, category == "timeout")
        assert says in f"{error.message} {error.hint}"


def test_a_hostile_configuration_runs_nothing(repo: Repo, tmp_path: Path) -> None:
    trap = _script(tmp_path / "trap", f"touch {tmp_path / 'sprung'}; cat")
    repo.commit({"a.md": "x\n", ".gitattributes": "*.md diff=evil filter=evil\n"})
    programs = (
        "core.fsmonitor core.pager core.editor core.sshCommand core.gitProxy core.alternateRefsCommand gpg.program"
        " pager.log pager.rev-list diff.external diff.evil.command diff.evil.textconv"
        " filter.evil.clean filter.evil.smudge filter.evil.process"
    )
    settings = dict.fromkeys(programs.split(), trap) | {
        **dict.fromkeys(("credential.helper", "alias.rev-list", "alias.ls-tree"), f"!{trap}"),
        **dict.fromkeys(("log.showSignature", "diff.relative", "core.quotePath", "log.follow"), "true"),
        "diff.renames": "copies",
        "i18n.logOutputEncoding": "UTF-16",
        "color.ui": "always",
    }
    (repo.root / "a.md").rename(repo.root / "ä.md")
    last = _signed(repo, repo.commit(subject="zweiter: ü"))
    for key, value in settings.items():
        repo.git("config", key, str(value))
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        _script(repo.root / ".git/hooks" / hook, f"touch {tmp_path / 'sprung'}")
    (repo.root / "ä.md").write_text("dirty\n")
    opened = open_repository(repo.root)
    commits = read_commits(opened, opened.resolve("HEAD"), 10)
    assert [commit.subject for commit in commits] == ["change", "zweiter: ü"]
    tree = opened.tree(last)
    assert set(tree) == {".gitattributes", "ä.md"}
    assert read_changes(opened, commits) == {last: [FileStep("ä.md", tree["ä.md"], "a.md")]}
    assert dict(opened.contents([tree["ä.md"].id])) == {tree["ä.md"].id: b"x\n"}
    assert opened.merge_base(commits[0].id, last) == commits[0].id
    assert not (tmp_path / "sprung").exists()
    repo.git("log", "-1")
    assert (tmp_path / "sprung").exists(), "the trap works for those who step into it"


def _signed(repo: Repo, commit: str) -> str:
    """The last commit once more, with a signature that git would want to have checked."""
    raw = repo.git("cat-file", "commit", commit)
    head, _, message = raw.partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
    signed = repo.git(
        "hash-object", "-t", "commit", "-w", "--stdin", data=f"{head}\n{signature}\n\n{message}\n".encode()
    )
    repo.git("update-ref", "HEAD", signed)
    return signed


def test_variables_that_point_git_elsewhere_are_not_heeded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = Repo(tmp_path / "here"), Repo(tmp_path / "there")
    mine, _ = here.commit({"a": "mine"}), there.commit({"a": "theirs"})
    monkeypatch.setenv("GIT_DIR", str(there.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(there.root))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert open_repository(here.root).resolve("HEAD") == mine


def test_a_worktree_elsewhere_in_the_configuration(repo: Repo, tmp_path: Path) -> None:
    commit = repo.commit({"a.md": "x"})
    repo.git("config", "core.worktree", str(tmp_path))
    opened = open_repository(repo.root)
    assert opened.resolve("HEAD") == commit
    assert opened.prefix == "r/"
    assert opened.tree(commit) == {}


def test_objects_that_were_left_at_a_server_are_not_fetched(tmp_path: Path) -> None:
    origin = Repo(tmp_path / "origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    commit = origin.commit({"a.md": "x\n"})
    url = f"file://{origin.root}"
    clone = tmp_path / "clone"
    subprocess.run(
        ["git", "clone", "-q", "--filter=blob:none", "--no-checkout", url, str(clone)],
        check=True,
        capture_output=True,
    )
    opened = Repository(clone)
    (file,) = opened.tree(commit).values()
    try:
        contents = dict(opened.contents([file.id]))
    except ContextError as error:
        hint = str(error.hint)
        contents = {}
    else:
        hint = "not fetched, and git is new enough to say so"
    assert contents == {}
    assert "fetch" in hint


def test_replaced_objects_are_read_as_they_were_committed(repo: Repo) -> None:
    commit = repo.commit({"a.md": "true\n"})
    other = repo.git("hash-object", "-w", "--stdin", data=b"false\n")
    opened = open_repository(repo.root)
    (file,) = opened.tree(commit).values()
    repo.git("replace", file.id, other)
    assert dict(opened.contents([file.id])) == {file.id: b"true\n"}


def test_names_that_are_no_utf_8_are_left_out(repo: Repo) -> None:
    (repo.root / os.fsdecode(b"caf\xe9.md")).write_text("x")
    first = repo.commit({"a\nb\t\"'.md": "x"})
    (repo.root / os.fsdecode(b"caf\xe9.md")).rename(repo.root / "café.md")
    last = repo.commit()
    opened = open_repository(repo.root)
    assert list(opened.tree(first)) == ["a\nb\t\"'.md"]
    assert [change.path for change in read_changes(opened, read_commits(opened, last, 9))[last]] == ["café.md"]


def test_large_contents_do_not_come_and_many_in_several_batches(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {f"{number}": f"{number}" * 100 for number in range(30)}
    commit = repo.commit({"big": "x" * 2000, **texts})
    opened = open_repository(repo.root)
    tree = opened.tree(commit)
    monkeypatch.setattr(git, "MAX_BYTES", 1000)
    monkeypatch.setattr(git, "_BATCH_BYTES", 500)
    contents = dict(opened.contents([tree["big"].id, "0" * 40, commit, *(tree[path].id for path in texts)]))
    assert contents == {tree[path].id: text.encode() for path, text in texts.items()}


def test_a_bare_clone_is_refused_and_a_shallow_one_says_so(repo: Repo, tmp_path: Path) -> None:
    for number in range(3):
        repo.commit({"a": str(number)})
    bare, shallow = tmp_path / "bare", tmp_path / "shallow"
    for options in (["--bare", str(repo.root), str(bare)], ["--depth=1", f"file://{repo.root}", str(shallow)]):
        subprocess.run(["git", "clone", "-q", *options], check=True)
    assert _refused(bare).category in ("invalid_request", "unavailable")
    assert open_repository(shallow).is_shallow()
    assert not open_repository(repo.root).is_shallow()


def test_modes_of_links_and_submodules(repo: Repo) -> None:
    pin = Repo(repo.root / "lib").commit({"a.md": "x"})
    (repo.root / "link.md").symlink_to("lib/a.md")
    tree = open_repository(repo.root).tree(repo.commit({"b.md": "y"}))
    assert tree["lib"] == GitFile(git.SUBMODULE, pin)
    assert tree["link.md"].mode == git.LINK


def test_moves_merges_and_order(repo: Repo) -> None:
    repo.commit({"a.md": "".join(f"line {number}\n" for number in range(20))}, "first")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"side.md": "x"}, "on the side")
    repo.git("checkout", "-q", "main")
    (repo.root / "a.md").rename(repo.root / "b.md")
    moved = repo.commit({"b.md": "".join(f"line {number}\n" for number in range(19)) + "edited\n"}, "moved")
    repo.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    opened = open_repository(repo.root)
    commits = read_commits(opened, opened.resolve("HEAD"), 10)
    assert [commit.subject for commit in commits] == ["first", "moved", "merged"]
    changes = read_changes(opened, commits)
    assert [(change.path, change.old_path) for change in changes[moved]] == [("b.md", "a.md")]
    assert [(change.path, change.old_path) for change in changes[commits[2].id]] == [("side.md", None)]
