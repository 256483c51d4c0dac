"""A kept walk finds what a new one finds, after every edit; an unchanged folder is not listed."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.listing import Listing, cached_walk
from tests.caching import kept
from tests.conftest import Project

_FILES = {
    ".git/info/exclude": "*.tmp\n",
    ".gitignore": "*.log\n",
    "pay/.gitignore": "build/\n",
    **dict.fromkeys(("AGENTS.md", "pay/AGENTS.md", "pay/a.log", "pay/a.tmp", "other/more.md"), "# A\n"),
    **dict.fromkeys(("pay/build/out.md", "pay/build/.context/a.md"), "# Out\n"),
    **dict.fromkeys(("pay/docs/guide.md", "pay/docs/deep/er/more.md"), "# More\n"),
}
_PATHS = (
    *_FILES,
    *"pay/new.md pay/docs/new.md pay/link pay/docs/link other/link pay/.git other/.git".split(),
)
_TEXTS = ("*.md\n", "docs/\n!docs/\n", "build/\n*.log\n", "[\n", "")
_TARGETS = ("docs", "..", "../other", "AGENTS.md", "nowhere", "link", "../pay/docs/deep")


def _write(place: Path, number: int) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    # A link stays one, and so does the folder's version.
    place.write_text(_TEXTS[number % len(_TEXTS)])


def _replace(place: Path, number: int) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    other = place.with_name("other.part")
    other.write_text(_TEXTS[number % len(_TEXTS)])
    other.replace(place)


def _link(place: Path, number: int) -> None:
    place.unlink(missing_ok=True)
    place.symlink_to(_TARGETS[number % len(_TARGETS)])


def _make_folder(place: Path, _number: int) -> None:
    place.unlink(missing_ok=True)
    place.mkdir(parents=True)


def _move_folder(place: Path, number: int) -> None:
    """A folder is moved, and the times of the one where it was are put back."""
    before = place.parent.parent.stat()
    place.parent.rename(place.parent.with_name(f"folder{number % 2}"))
    os.utime(place.parent.parent, ns=(before.st_atime_ns, before.st_mtime_ns))


_NOW = time.time_ns
_EDITS: dict[str, Callable[[Path, int], object]] = {
    "write": _write,
    "replace": _replace,
    "link": _link,
    "make a folder": _make_folder,
    "move": lambda place, number: place.rename(place.with_name(f"moved{number % 3}.md")),
    "move the folder": _move_folder,
    "remove": lambda place, _: place.unlink(),
    "forbid": lambda place, number: place.parent.chmod((0o755, 0o700, 0o000)[number % 3]),
}


@pytest.fixture(autouse=True)
def _later(monkeypatch: pytest.MonkeyPatch) -> None:
    """People come back to a project well after its last change."""
    monkeypatch.setattr(time, "time_ns", lambda: _NOW() + 3_600 * 10**9)


Walked = tuple[list[Found], list[Notice]]


def _known(root: Path, listing: Listing) -> Walked:
    notices: list[Notice] = []
    return cached_walk(Root(root), listing, notices.append), notices


def _new(root: Path, listing: Listing) -> Walked:
    notices: list[Notice] = []
    return listing.walk(Root(root), notices.append), notices


_LISTINGS = (Listing(), Listing(with_ignored=True), Listing(hidden=frozenset()))


Edit = tuple[str, str, int, Listing]
_EDIT = st.tuples(st.sampled_from([*_EDITS]), st.sampled_from(_PATHS), st.integers(0, 20), st.sampled_from(_LISTINGS))


@given(st.lists(_EDIT, min_size=1, max_size=6), st.sampled_from(("", "pay")))
def test_after_any_edit_a_kept_walk_finds_what_a_new_one_finds(
    project: Project, edits: list[Edit], below: str
) -> None:
    top = project(_FILES)
    for listing in _LISTINGS:
        _known(top / below, listing)
    for edit, path, number, listing in edits:
        # Two changes within one tick of the clock are not what this is about.
        _tick(top)
        with suppress(OSError):
            _EDITS[edit](top / path, number)
        _tick(top)
        if (top / below).is_dir():
            assert _known(top / below, listing) == _new(top / below, listing) == _known(top / below, listing)


def _tick(top: Path) -> None:
    """Go on until what is written gets another time."""
    place = top.with_name("tick")
    place.write_text("")
    before = place.stat().st_ctime_ns
    while place.stat().st_ctime_ns == before:
        place.write_text("")


@contextmanager
def unlisted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def no_listing(*_: Any) -> Any:
        raise AssertionError("a folder is listed")

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", no_listing)
        yield


def test_an_unchanged_project_is_not_listed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The versions of its files are those of now."""
    root = project(_FILES)
    _known(root, Listing())
    (root / "AGENTS.md").write_text("# Other\n")
    expected = _new(root, Listing())
    with unlisted(monkeypatch):
        assert _known(root, Listing()) == expected


def test_a_folder_that_has_just_changed_is_listed_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", _NOW)
    root = project(_FILES)
    for number in range(20):
        (root / f"pay/new{number}.md").write_text("")
        assert _known(root, Listing()) == _new(root, Listing())
    assert not kept("walks")


def _git(root: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(root), *who, *words], check=True, capture_output=True)


def _user_file(name: str) -> Path:
    place = Path(os.environ["XDG_CONFIG_HOME"], "git", name)
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


_CHANGES_OF_GIT: dict[str, Callable[[Path], object]] = {
    "tracked": lambda root: _git(root, "add", "-f", "pay/a.log"),
    "not tracked": lambda root: _git(root, "rm", "-q", "--cached", "a.log"),
    "excluded": lambda root: (root / ".git/info/exclude").write_text("*.md\n"),
    "user's rules": lambda _root: _user_file("ignore").write_text("*.md\n"),
    "user's settings": lambda root: _user_file("config").write_text(f"[core]\nexcludesFile = {root}/rules\n"),
    "home": lambda root: Path("~/.gitconfig").expanduser().write_text(f"[include]\npath = {root}/more\n"),
    "own settings": lambda root: _git(root, "config", "core.excludesFile", "rules"),
    "repository": lambda root: (root / ".git").rename(root / ".gone"),
}


@pytest.mark.parametrize("change", _CHANGES_OF_GIT)
def test_what_git_is_told_changes_what_a_kept_walk_finds(project: Project, change: str) -> None:
    files = {".gitignore": "*.log\n", "rules": "*.md\n", "more": "[core]\nexcludesFile = rules\n"}
    root = project(files | dict.fromkeys(("a.log", "pay/a.log", "a.md", "b.tmp"), ""))
    _git(root, "init", "-q")
    (root / ".git/info/exclude").write_text("*.tmp\n")
    _git(root, "add", "-f", "a.log")
    before = _known(root, Listing())
    _tick(root)
    _CHANGES_OF_GIT[change](root)
    assert _known(root, Listing()) == _new(root, Listing()) != before


def test_other_settings_of_the_environment_are_other_rules(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({"a.md": ""})
    _git(root, "init", "-q")
    before = _known(root, Listing())
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project({"git/ignore": "*.md\n"})))
    assert _known(root, Listing()) == _new(root, Listing()) != before


def test_an_index_that_tracks_the_same_needs_no_new_walk(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({".gitignore": "*.log\n", "a.log": "", "a.md": ""})
    _git(root, "init", "-q")
    _git(root, "add", ".")
    expected = _known(root, Listing())
    _tick(root)
    (root / "a.md").touch()
    _git(root, "status")
    _git(root, "commit", "-qm", "x", "--author=a <a@b>")

    with unlisted(monkeypatch):
        assert [each.path for each in _known(root, Listing())[0]] == [each.path for each in expected[0]]
