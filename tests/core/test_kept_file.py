"""A result is kept for one key; those used longest ago go first."""

import os
from pathlib import Path

import pytest

from ctxtui.core.files import kept_file
from ctxtui.core.files.kept_file import read_kept, write_kept


def test_a_result_is_read_with_its_key_only(tmp_path: Path) -> None:
    file = tmp_path / "results" / "a.json"
    assert read_kept(file, "key") is None
    write_kept(file, "key", b"one\ntwo")
    assert read_kept(file, "key") == b"one\ntwo"
    assert read_kept(file, "other") is None
    write_kept(file, "other", b"three")
    assert (read_kept(file, "key"), read_kept(file, "other")) == (None, b"three")


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file")
    write_kept(tmp_path / "results" / "a.json", "key", b"one")
    assert read_kept(tmp_path / "results" / "a.json", "key") is None


def test_what_was_used_longest_ago_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_file, "_MOST_KEPT", 3)
    for number in range(3):
        write_kept(tmp_path / f"{number}.json", "key", b"one")
        os.utime(tmp_path / f"{number}.json", (number, number))
    assert read_kept(tmp_path / "0.json", "key") == b"one"
    write_kept(tmp_path / "3.json", "key", b"one")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0.json", "2.json", "3.json"]
