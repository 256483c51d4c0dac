"""Many files opened in turn, with the folder of the last one held open: the same as each by itself, and as carefully."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.open_at import CAN_OPEN_AT
from ctxtui.core.disk.root import Root

_NAMES = ["a", "b", "link", "out", "circle", "x.md", "y.md", "..", ".", ""]
_DEEP = "/".join(["d"] * 60)


def _tree(top: Path) -> Path:
    root = top / "root"
    for folder in ("a/a", "a/b", "b", _DEEP):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for file in ("x.md", "a/x.md", "a/a/y.md", "a/b/x.md", "b/x.md", f"{_DEEP}/x.md"):
        (root / file).write_text(file)
    (top / "outside").mkdir()
    (top / "outside" / "x.md").write_text("theirs")
    for name, target in {"link": "a", "a/link": "../b", "out": "../outside", "circle": "circle"}.items():
        (root / name).symlink_to(target)
    return root


def _read(root: Root, path: str) -> str:
    try:
        return root.read(path).data.decode()
    except ContextError as error:
        return f"{error.category}: {error.message}"


@given(st.lists(st.one_of(st.lists(st.sampled_from(_NAMES), max_size=4).map("/".join), st.just(f"{_DEEP}/x.md"))))
def test_files_read_in_turn_are_those_read_alone(tmp_path_factory: pytest.TempPathFactory, paths: list[str]) -> None:
    root = Root(_tree(tmp_path_factory.mktemp("t")))
    with root.in_turn() as near, root.below("a").in_turn() as nearer:
        assert [_read(near, path) for path in paths] == [_read(root, path) for path in paths]
        assert [_read(nearer, path) for path in paths] == [_read(root.below("a"), path) for path in paths]


def test_a_folder_that_was_replaced_is_entered_again(tmp_path: Path) -> None:
    place = _tree(tmp_path)
    with Root(place).in_turn() as near:
        assert _read(near, "a/b/x.md") == "a/b/x.md"
        shutil.rmtree(place / "a")
        assert _read(near, "a/b/x.md").startswith("unavailable: a/b/x.md cannot be read")
        (place / "a" / "b").mkdir(parents=True)
        (place / "a" / "b" / "x.md").write_text("new")
        assert _read(near, "a/b/x.md") == "new"


def test_a_link_in_the_place_of_a_held_folder_leads_nowhere(tmp_path: Path) -> None:
    place = _tree(tmp_path)
    with Root(place).in_turn() as near:
        assert _read(near, "a/a/y.md") == "a/a/y.md"
        shutil.rmtree(place / "a")
        (place / "a").symlink_to("../outside")
        assert "leads out of the project" in _read(near, "a/x.md")
        assert "leads out of the project" in _read(near, "a/a/y.md")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors cannot be listed")
def test_nothing_is_held_open_afterwards(tmp_path: Path) -> None:
    root = Root(_tree(tmp_path))
    before = os.listdir("/proc/self/fd")
    with root.in_turn() as near:
        for path in ("a/b/x.md", "a/b/none", "b/x.md", f"{_DEEP}/x.md", "out/x.md"):
            _read(near, path)
        if CAN_OPEN_AT:
            assert len(os.listdir("/proc/self/fd")) > len(before)
    assert _read(near, "a/b/x.md") == "a/b/x.md"
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_few_folders_are_opened_for_files_that_lie_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Root(_tree(tmp_path))
    for number in range(50):
        (root.path / "a" / "b" / f"{number}.md").touch()
    opened: list[object] = []
    plain = os.open
    monkeypatch.setattr(os, "open", lambda path, *rest, **more: (opened.append(path), plain(path, *rest, **more))[1])
    with root.in_turn() as near:
        for number in range(50):
            near.read(f"a/b/{number}.md")
    assert len(opened) == 50 + (3 if CAN_OPEN_AT else 0)


def test_a_folder_that_is_moved_while_it_is_held_stays_that_of_the_project(tmp_path: Path) -> None:
    place = _tree(tmp_path)
    with Root(place).in_turn() as near:
        assert _read(near, "a/b/x.md") == "a/b/x.md"
        (place / "a").rename(place / "moved")
        (place / "a").symlink_to("../outside")
        assert _read(near, "a/x.md") == "a/x.md"
        assert _read(near, "moved/x.md") == "a/x.md"
        assert "leads out of the project" in _read(near, "a/x.md")
