import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.git.index import index_bytes
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Found, Walker
from tests.cases import cases
from tests.conftest import Project


def _walk(root: Path, with_ignored: bool = False) -> tuple[list[Found], list[Notice]]:
    notices: list[Notice] = []
    return Walker(Root(root), frozenset({".context"}), notices.append).walk(with_ignored), notices


def _told(root: Path) -> tuple[list[str], list[str]]:
    """The paths of what is found and the codes of what is told."""
    found, notices = _walk(root)
    return [each.path for each in found], [notice.code for notice in notices]


def _walker(root: Path) -> Walker:
    return Walker(Root(root), frozenset(), print)


def test_files_come_in_order_up_to_the_maximum(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(dict.fromkeys(["b.md", "a/z.md", "a.md", "a/a.md"], "x"))
    monkeypatch.setattr("ctxtui.core.disk.walk.MAX_FILES", 4)
    assert _told(root) == (sorted(["b.md", "a/z.md", "a.md", "a/a.md"]), [])
    monkeypatch.setattr("ctxtui.core.disk.walk.MAX_FILES", 3)
    found, codes = _told(root)
    assert (len(found), codes) == (3, ["too-many-files"])


def test_hidden_files_and_folders_count_as_ignored_and_context_folders_are_shown(project: Project) -> None:
    files = dict.fromkeys((".context/TASKS.md", ".other/a.md", "sub/.context/deep/a.md"), "x")
    found, _ = _walk(project(files | {".gitignore": ".context/\n"}))
    assert [each.path for each in found if "/" in each.path] == [".context/TASKS.md", "sub/.context/deep/a.md"]
    assert all(each.ignored for each in found)
    root = project({".env": "x", ".other/a.md": "x", "a.md": "x"})
    found = [[(each.path, each.ignored) for each in _walk(root, with_ignored)[0]] for with_ignored in (False, True)]
    assert found[0] == [(".env", True), ("a.md", False)]
    assert found[1] == [(".env", True), (".other/a.md", True), ("a.md", False)]


@cases("name", [".git", ".venv", "venv", "node_modules", "__pycache__", ".mypy_cache", ".ctxtui", ".idea"])
def test_environments_and_caches_are_never_entered(project: Project, name: str) -> None:
    root = project({f"{name}/a.md": "x", f"sub/{name}/a.md": "x", "a.md": "x"})
    for with_ignored in (False, True):
        assert [each.path for each in _walk(root, with_ignored)[0]] == ["a.md"]


def test_links_inside_are_followed_and_know_their_real_path(project: Project) -> None:
    root = project({"docs/a.md": "x"})
    (root / "link.md").symlink_to("docs/a.md")
    (root / "folder").symlink_to("docs")
    assert [each.path for each in _walk(root)[0]] == ["docs/a.md", "folder/a.md", "link.md"]
    assert {each.real for each in _walk(root)[0]} == {"docs/a.md"}


def test_links_outside_are_left_with_a_notice(project: Project) -> None:
    root, outside = project({"a.md": "x"}), project({"a.md": "x"})
    (root / "file.md").symlink_to(outside / "a.md")
    (root / "folder").symlink_to(f"../{outside.name}")
    found, notices = _walk(root)
    assert [each.path for each in found] == ["a.md"]
    told = sorted((notice.code, notice.path) for notice in notices)
    assert told == [("link-outside", "file.md"), ("link-outside", "folder")]


def test_links_in_circles_end(project: Project) -> None:
    root = project({"a/a.md": "x", "b/b.md": "x"})
    links = {"self": "self", "here": ".", "a/up": "..", "a/other": "../b", "b/other": "../a", "gone.md": "nowhere"}
    for name, target in links.items():
        (root / name).symlink_to(target)
    assert set(_told(root)[0]) == {"a/a.md", "b/b.md", "a/other/b.md", "b/other/a.md"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_a_notice(project: Project) -> None:
    root = project({"shut/a.md": "x", "a.md": "x"})
    (root / "shut").chmod(0)
    told = _told(root)
    (root / "shut").chmod(0o700)
    assert told == (["a.md"], ["unreadable-folder"])


def test_a_name_that_is_no_unicode_is_a_notice_and_a_pipe_no_file(project: Project) -> None:
    root = project({"a.md": "x"})
    (root / os.fsdecode(b"caf\xe9.md")).write_text("x")
    (root / os.fsdecode(b"dir\xff")).mkdir()
    os.mkfifo(root / "pipe.md")
    assert _told(root) == (["a.md"], ["unreadable-name"] * 2)
    assert all((notice.path or "").encode() for notice in _walk(root)[1])


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "outside"])
def test_an_ignore_file_that_is_no_file_never_blocks(project: Project, kind: str, tmp_path: Path) -> None:
    """In a process of its own, which can be ended when it hangs or eats all memory."""
    root = project({"a.md": "x"})
    place = root / ".gitignore"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "device":
        place.symlink_to("/dev/zero")
    else:
        (tmp_path / "rules").write_text("*.md\n")
        place.symlink_to("../rules")
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        "from ctxtui.core.disk.root import Root; from ctxtui.core.disk.walk import Walker\n"
        "found = Walker(Root(sys.argv[1]), frozenset(), lambda notice: None).walk()\n"
        "print(*(each.path for each in found if not each.ignored))"
    )
    try:
        run = subprocess.run([sys.executable, "-c", code, str(root)], capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        pytest.fail("the walk blocks")
    assert (run.returncode, run.stdout.split()) == (0, ["a.md"]), run.stderr[-300:]


@cases("line", [b"[", b"\xff", b"!", b"foo\\", b"[z-a]", b"[[:alpha:]]x", b"\x00"])
def test_an_unreadable_pattern_ignores_nothing_and_the_others_hold(project: Project, line: bytes) -> None:
    root = project({".gitignore": line + b"\n*.log\n", "a.log": "x", "a.md": "x"})
    assert [each.path for each in _walk(root)[0] if not each.ignored] == ["a.md"]


def test_what_does_not_exist_yet_would_be_ignored(project: Project) -> None:
    rules = {".gitignore": "build/\n*.log\nlogs/\n", "docs/.gitignore": "*.md\n!kept.md\n", ".git/HEAD": "x\n"}
    walker, ignored = _walker(project(rules)), "build/new.md docs/build/new.md docs/draft.md node_modules/x/README.md"
    for path in (*ignored.split(), "new.log", "logs"):
        assert walker.would_ignore(path), path
    for path in ("docs/kept.md", "src/new.md", "draft.md"):
        assert not walker.would_ignore(path), path


def test_what_is_new_beside_a_tracked_file_of_an_ignored_folder_would_be_ignored(project: Project) -> None:
    root = project({".gitignore": "build/\n", "build/old.md": "x", "docs/.cache": "x", ".git/HEAD": "x\n"})
    (root / ".git/index").write_bytes(index_bytes(["build/old.md", "docs/.cache"]))
    walker = _walker(root)
    paths = {"build/old.md": False, "build/new.md": True, "docs/new.md": False, "docs/.cache": False, ".cache": True}
    assert {path: walker.would_ignore(path) for path in paths} == paths
    assert [walker.is_tracked(path) for path in ("build/old.md", "build/new.md")] == [True, False]


_NAMES = st.sampled_from(("a", "build", "docs", "node_modules", "x.log", "kept.md", "new.md"))


@given(st.lists(st.lists(_NAMES, min_size=1, max_size=4).map("/".join), min_size=1, max_size=8))
def test_what_was_asked_before_changes_no_verdict(tmp_path_factory: pytest.TempPathFactory, paths: list[str]) -> None:
    root = tmp_path_factory.getbasetemp() / "verdicts"
    for name, text in ((".gitignore", "build/\n*.log\n/a/docs\n"), ("docs/.gitignore", "*.md\n!kept.md\n!x.log\n")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / ".git").mkdir(exist_ok=True)
    assert [*map(_walker(root).would_ignore, paths)] == [_walker(root).would_ignore(path) for path in paths]


_PARTS = st.lists(_NAMES | st.sampled_from((".git", ".context", ".gitignore", ".env")), min_size=1, max_size=4)
_CONTENTS = st.sampled_from(("", "build/\n", "*\n", "!a\n", "docs\n*.log\n"))


@given(st.lists(st.tuples(_PARTS, _CONTENTS), max_size=12))
def test_every_path_is_what_a_walk_with_ignored_files_finds(
    project: Project, files: list[tuple[list[str], str]]
) -> None:
    root = project({})
    for names, text in files:
        file = root.joinpath(*names)
        if not any(above.is_file() for above in file.parents) and not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    (root / "link").symlink_to(root)
    walked = Walker(Root(root), frozenset({".context"}), lambda _: None)
    assert walked.every_path() == [found.path for found in walked.walk(with_ignored=True)]
