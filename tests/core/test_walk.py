import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.git.index import index_of
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Found, Walker
from tests.cases import cases
from tests.conftest import Project


def _walk(root: Path, with_ignored: bool = False) -> tuple[list[Found], list[Notice]]:
    notices: list[Notice] = []
    return Walker(Root(root), frozenset({".context"}), notices.append).walk(with_ignored), notices


def _paths(root: Path) -> list[str]:
    return [found.path for found in _walk(root)[0] if not found.ignored]


def test_files_come_in_the_order_of_their_paths(project: Project) -> None:
    root = project(dict.fromkeys(["b.md", "a/z.md", "a.md", "a/a.md"], "x"))
    assert _paths(root) == sorted(["b.md", "a/z.md", "a.md", "a/a.md"])


def test_only_files_above_the_maximum_are_left_out_and_told(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(dict.fromkeys(["a.md", "b/c.md", "b/d.md"], "x"))
    for most, told in ((3, []), (2, ["too-many-files"])):
        monkeypatch.setattr("ctxtui.core.disk.walk.MAX_FILES", most)
        found, notices = _walk(root)
        assert (len(found), [notice.code for notice in notices]) == (most, told)


def test_hidden_context_folders_are_shown_also_where_ignored(project: Project) -> None:
    root = project(
        {".context/TASKS.md": "x", ".other/a.md": "x", "sub/.context/deep/a.md": "x", ".gitignore": ".context/\n"}
    )
    found, _ = _walk(root)
    assert [each.path for each in found if "/" in each.path] == [".context/TASKS.md", "sub/.context/deep/a.md"]
    assert all(each.ignored for each in found)


def test_hidden_files_and_folders_count_as_ignored(project: Project) -> None:
    root = project({".env": "x", ".other/a.md": "x", "a.md": "x"})
    assert [(each.path, each.ignored) for each in _walk(root)[0]] == [(".env", True), ("a.md", False)]
    assert [(each.path, each.ignored) for each in _walk(root, True)[0]] == [
        (".env", True),
        (".other/a.md", True),
        ("a.md", False),
    ]


@cases("name", [".git", ".venv", "venv", "node_modules", "__pycache__", ".mypy_cache", ".ctxtui", ".idea"])
def test_environments_and_caches_are_never_entered(project: Project, name: str) -> None:
    root = project({f"{name}/a.md": "x", f"sub/{name}/a.md": "x", "a.md": "x"})
    for with_ignored in (False, True):
        assert [each.path for each in _walk(root, with_ignored)[0]] == ["a.md"]


def test_links_inside_are_followed_and_know_their_real_path(project: Project) -> None:
    root = project({"docs/a.md": "x"})
    (root / "link.md").symlink_to("docs/a.md")
    (root / "folder").symlink_to("docs")
    assert [(each.path, each.real) for each in _walk(root)[0]] == [
        ("docs/a.md", "docs/a.md"),
        ("folder/a.md", "docs/a.md"),
        ("link.md", "docs/a.md"),
    ]


def test_links_outside_are_left_with_a_notice(project: Project, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.md").write_text("x")
    root = project({"a.md": "x"})
    (root / "file.md").symlink_to(tmp_path / "outside" / "a.md")
    (root / "folder").symlink_to("../outside")
    found, notices = _walk(root)
    assert [each.path for each in found] == ["a.md"]
    assert sorted((notice.code, notice.path) for notice in notices) == [
        ("link-outside", "file.md"),
        ("link-outside", "folder"),
    ]


def test_links_in_circles_end(project: Project) -> None:
    root = project({"a/a.md": "x", "b/b.md": "x"})
    (root / "self").symlink_to("self")
    (root / "here").symlink_to(".")
    (root / "a" / "up").symlink_to("..")
    (root / "a" / "other").symlink_to("../b")
    (root / "b" / "other").symlink_to("../a")
    (root / "gone.md").symlink_to("nowhere")
    found, _ = _walk(root)
    assert {"a/a.md", "b/b.md", "a/other/b.md", "b/other/a.md"} == {each.path for each in found}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_a_notice(project: Project) -> None:
    root = project({"shut/a.md": "x", "a.md": "x"})
    (root / "shut").chmod(0)
    found, notices = _walk(root)
    (root / "shut").chmod(0o700)
    assert [each.path for each in found] == ["a.md"]
    assert [notice.code for notice in notices] == ["unreadable-folder"]


def test_a_name_that_is_no_unicode_is_a_notice(project: Project) -> None:
    root = project({"a.md": "x"})
    (root / os.fsdecode(b"caf\xe9.md")).write_text("x")
    (root / os.fsdecode(b"dir\xff")).mkdir()
    found, notices = _walk(root)
    assert [each.path for each in found] == ["a.md"]
    assert [notice.code for notice in notices] == ["unreadable-name"] * 2
    for notice in notices:
        (notice.path or "").encode()


def test_pipes_sockets_and_devices_are_no_files(project: Project) -> None:
    root = project({"a.md": "x"})
    os.mkfifo(root / "pipe.md")
    assert _paths(root) == ["a.md"]


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
    assert _paths(root) == ["a.md"]


@cases(
    ("path", "ignored"),
    [
        ("build/new.md", True),
        ("docs/build/new.md", True),
        ("docs/draft.md", True),
        ("docs/kept.md", False),
        ("node_modules/x/README.md", True),
        ("new.log", True),
        ("logs", True),
        ("src/new.md", False),
        ("draft.md", False),
    ],
)
def test_what_does_not_exist_yet_would_be_ignored(project: Project, path: str, ignored: bool) -> None:
    root = project(
        {".gitignore": "build/\n*.log\nlogs/\n", "docs/.gitignore": "*.md\n!kept.md\n", ".git/HEAD": "x\n"}
    )
    assert Walker(Root(root), frozenset(), print).would_ignore(path) is ignored


def test_what_is_new_beside_a_tracked_file_of_an_ignored_folder_would_be_ignored(project: Project) -> None:
    root = project({".gitignore": "build/\n", "build/old.md": "x", "docs/.cache": "x", ".git/HEAD": "x\n"})
    (root / ".git/index").write_bytes(index_of(["build/old.md", "docs/.cache"]))
    walker = Walker(Root(root), frozenset(), print)
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
    alone = [Walker(Root(root), frozenset(), print).would_ignore(path) for path in paths]
    assert list(map(Walker(Root(root), frozenset(), print).would_ignore, paths)) == alone


@given(
    st.lists(
        st.tuples(
            st.lists(_NAMES | st.sampled_from((".git", ".context", ".gitignore", ".env")), min_size=1, max_size=4),
            st.sampled_from(("", "build/\n", "*\n", "!a\n", "docs\n*.log\n")),
        ),
        max_size=12,
    )
)
def test_every_path_is_what_a_walk_with_ignored_files_finds(
    tmp_path_factory: pytest.TempPathFactory, files: list[tuple[list[str], str]]
) -> None:
    root = tmp_path_factory.mktemp("every")
    for names, text in files:
        file = root.joinpath(*names)
        if not any(above.is_file() for above in file.parents) and not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    (root / "link").symlink_to(root)
    walked = Walker(Root(root), frozenset({".context"}), lambda _: None)
    assert walked.every_path() == [found.path for found in walked.walk(with_ignored=True)]
