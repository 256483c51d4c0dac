"""The repository that a folder belongs to."""

from pathlib import Path

from ctxtui.core.disk.git.repository import repository_root


def test_the_nearest_repository_and_the_way_down_from_it(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert repository_root(below) == (tmp_path, "a/b")
    assert repository_root(tmp_path) == (tmp_path, "")
    (tmp_path / "a" / ".git").write_text("gitdir: elsewhere")
    assert repository_root(below) == (tmp_path / "a", "b")


def test_a_link_belongs_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    (tmp_path / "repository" / "docs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "repository" / "docs")
    assert repository_root(tmp_path / "link") == (tmp_path / "repository", "docs")


def test_what_is_in_no_repository_or_no_path(tmp_path: Path) -> None:
    assert repository_root(tmp_path) is None
    assert repository_root("a\0b") is None
