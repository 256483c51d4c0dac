import os
import socket
from pathlib import Path

import pytest

from ctxtui.core.errors import ContextError
from ctxtui.core.root import Root, Stamp, write_atomic


def _category(root: Path, path: str, limit: int = 1000) -> str:
    with pytest.raises(ContextError) as caught:
        Root(root).read(path, limit)
    return caught.value.category


def test_a_file_is_read_with_its_stamp(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf\0x\r\n")
    content = Root(tmp_path).read("a.md")
    assert content.data == b"\xef\xbb\xbf\0x\r\n"
    assert content.stamp == Stamp.of((tmp_path / "a.md").stat())


@pytest.mark.parametrize("path", ["../outside.md", "/etc/passwd", "link", "folder-link/outside.md", "a\0b"])
def test_nothing_outside_the_root_is_read(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.md").write_text("secret")
    (root / "link").symlink_to("../outside.md")
    (root / "folder-link").symlink_to("..")
    assert _category(root, path) == "invalid_request"


def test_a_link_inside_the_root_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "b.md").symlink_to("a.md")
    assert Root(tmp_path).read("b.md").data == b"text"


def test_a_file_that_is_gone_is_unavailable(tmp_path: Path) -> None:
    assert _category(tmp_path, "gone.md") == "unavailable"


def test_a_file_above_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "big.md").write_bytes(b"x" * 1001)
    assert _category(tmp_path, "big.md") == "invalid_request"


def test_folders_pipes_sockets_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert _category(tmp_path, "folder") in ("invalid_request", "unavailable")
    assert _category(tmp_path, "pipe") == "invalid_request"
    assert _category(Path("/dev"), "zero") == "invalid_request"
    here = Path.cwd()
    os.chdir(tmp_path)  # a socket's address is short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")
            assert _category(tmp_path, "socket") in ("invalid_request", "unavailable")
    finally:
        os.chdir(here)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_unauthorized(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    (tmp_path / "a.md").chmod(0)
    assert _category(tmp_path, "a.md") == "unauthorized"


def test_writing_replaces_whole_files_and_keeps_their_mode(tmp_path: Path) -> None:
    place = tmp_path / "new" / "a.md"
    write_atomic(place, b"one")
    place.chmod(0o640)
    write_atomic(place, b"two")
    assert place.read_bytes() == b"two"
    assert place.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in place.parent.iterdir()] == ["a.md"]


def test_writing_through_a_link_keeps_it_one(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one")
    (tmp_path / "link.md").symlink_to("a.md")
    write_atomic(tmp_path / "link.md", b"two")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "a.md").read_bytes() == b"two"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ContextError, match="file/a") as caught:
        write_atomic(tmp_path / "file" / "a.md", b"x")
    assert caught.value.category == "unavailable"
    assert caught.value.hint
