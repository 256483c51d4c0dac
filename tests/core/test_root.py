import errno
import os
import re
import socket
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.catalog.library import Library
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.open_at import Folder
from ctxtui.core.disk.root import Root, read_file, write_atomic, write_named
from ctxtui.core.documents.read_cache import ReadCache
from ctxtui.core.documents.source import Project as Known
from tests.cases import cases
from tests.conftest import Project
from tests.core.texts import refused


def _category(root: Path, path: str, limit: int = 1000) -> str:
    with pytest.raises(ContextError) as caught:
        Root(root).read(path, limit)
    return caught.value.category


def _tree(top: Path) -> Path:
    """A root with a file and a folder, and something outside that must stay as it is."""
    for path, text in {"outside/a.md": "theirs", "root/real/a.md": "ours"}.items():
        (top / path).parent.mkdir(parents=True)
        (top / path).write_text(text)
    return top / "root"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return _tree(tmp_path)


@cases("path", ["../outside/a.md", "/etc/passwd", "link", "folder-link/outside/a.md", "a\0b"])
def test_nothing_outside_the_root_is_read(project: Project, path: str) -> None:
    place = _tree(project({}))
    (place / "link").symlink_to("../outside/a.md")
    (place / "folder-link").symlink_to("..")
    assert _category(place, path) == "invalid_request"


def test_a_file_and_a_link_to_it_are_read_and_none_that_is_gone_or_above_the_limit(place: Path) -> None:
    (place / "real/a.md").write_bytes(b"\xef\xbb\xbf\0x\r\n")
    (place / "b.md").symlink_to("real/a.md")
    for path in ("real/a.md", "b.md"):
        content = Root(place).read(path)
        assert content.data == b"\xef\xbb\xbf\0x\r\n"
        assert content.stamp == Stamp.of((place / "real/a.md").stat())
    (place / "big.md").write_bytes(b"x" * 1001)
    assert (_category(place, "gone.md"), _category(place, "big.md")) == ("unavailable", "invalid_request")


def test_folders_pipes_sockets_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert _category(tmp_path, "folder") in ("invalid_request", "unavailable")
    assert _category(tmp_path, "pipe") == "invalid_request"
    assert _category(Path("/dev"), "zero") == "invalid_request"
    # A socket's address is short.
    with chdir(tmp_path), socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert _category(tmp_path, "socket") in ("invalid_request", "unavailable")


def test_writing_replaces_whole_files_and_keeps_their_mode_and_links_to_them(tmp_path: Path) -> None:
    place, link = tmp_path / "new" / "a.md", tmp_path / "link.md"
    write_atomic(place, b"one")
    place.chmod(0o640)
    link.symlink_to(place)
    for target, data in ((place, b"two"), (link, b"three")):
        write_atomic(target, data)
        assert place.read_bytes() == data
        assert place.stat().st_mode & 0o777 == 0o640
        assert link.is_symlink()
        assert [each.name for each in place.parent.iterdir()] == ["a.md"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with refused("unavailable", match="file/a") as caught:
        write_atomic(tmp_path / "file" / "a.md", b"x")
    assert caught.value.hint


def _outside(place: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (place.parent / "outside").iterdir()}


def test_writing_makes_root_and_folders_and_keeps_mode_and_link(place: Path) -> None:
    Root(place / "a" / "b").write("c.md", b"x")
    assert (place / "a/b/c.md").read_bytes() == b"x"
    root = Root(place)
    root.write("new/folder/b.md", b"one")
    (place / "new/folder/b.md").chmod(0o640)
    (place / "to-file").symlink_to("new/folder/b.md")
    (place / "to-folder").symlink_to("new/folder")
    root.write("to-file", b"two")
    assert root.read("new/folder/b.md").data == b"two"
    root.write("to-folder/b.md", b"three")
    assert root.read("to-file").data == b"three"
    assert (place / "to-file").is_symlink()
    assert (place / "to-folder").is_symlink()
    assert (place / "new/folder/b.md").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in (place / "new/folder").iterdir()] == ["b.md"]


@pytest.mark.parametrize("target", ["../outside/a.md", "../outside/new.md", "../outside"])
def test_a_link_that_leads_out_is_not_written(place: Path, target: str) -> None:
    (place / "link").symlink_to(target)
    for path in ("link", "link/a.md", "link/new/b.md"):
        with pytest.raises(ContextError, match=f"{path} leads out of the project") as caught:
            Root(place).write(path, b"x")
        assert caught.value.hint
        assert _outside(place) == {"a.md": "theirs"}


def test_only_regular_files_are_written(place: Path) -> None:
    os.mkfifo(place / "pipe")
    (place / "link").symlink_to("pipe")
    for path in ("pipe", "link", "real", ".", "real/", "real/a.md/x", "a\0b", "\ud800"):
        with pytest.raises(ContextError, match=re.escape(path) if path.isprintable() else "not a valid file name"):
            Root(place).write(path, b"x")
    assert (place / "pipe").is_fifo()
    assert (place / "real/a.md").read_text() == "ours"


@given(st.lists(st.sampled_from(["real", "a.md", "..", ".", "", "in", "out", "up", "circle", "new"]), max_size=5))
def test_no_path_leads_out(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    place = _tree(tmp_path_factory.mktemp("tree"))
    for name, target in {"in": "real", "out": "../outside", "up": "..", "circle": "circle"}.items():
        (place / name).symlink_to(target)
    root, path = Root(place), "/".join(parts)
    for act in (root.names, lambda each: root.read(each).data, lambda each: root.write(each, b"x")):
        try:
            assert act(path) not in (["a.md", "root"], ["outside", "root"], b"theirs")
        except ContextError:
            continue
    assert {each.name for each in place.parent.iterdir()} == {"outside", "root"}
    assert _outside(place) == {"a.md": "theirs"}


class Swapping(Root):
    """A root of which somebody replaces what a link leads to, right after it was found to lie inside."""

    def resolve(self, path: str) -> Path:
        real = super().resolve(path)
        victim = self.path / "real"
        if not victim.is_symlink():
            victim.rename(self.path / "moved")
            victim.symlink_to("../outside")
        return real


def test_a_swap_between_look_and_use_leads_nowhere(place: Path) -> None:
    (place / "link").symlink_to("real")
    uses: list[Callable[[Root], object]] = [
        lambda root: root.read("link/a.md").data,
        lambda root: _beginning(root, "link/a.md"),
        lambda root: root.names("link"),
        lambda root: root.write("link/a.md", b"x"),
        lambda root: root.write("link/new.md", b"x"),
    ]
    for use in uses:
        with pytest.raises(ContextError):
            use(Swapping(place))
        assert _outside(place) == {"a.md": "theirs"}
        (place / "real").unlink()
        (place / "moved").rename(place / "real")


def _beginning(root: Root, path: str) -> bytes:
    with root.opened(path) as descriptor:
        return os.read(descriptor, 3)


def test_the_beginning_of_a_file_is_read_as_carefully(place: Path) -> None:
    (place / "link").symlink_to("../outside/a.md")
    (place / "inner").symlink_to("real/a.md")
    os.mkfifo(place / "pipe")
    assert _beginning(Root(place), "inner") == b"our"
    for path in ("link", "pipe", "real", "none"):
        with pytest.raises(ContextError):
            _beginning(Root(place), path)


def test_what_sources_look_at_first_is_read_as_carefully(place: Path) -> None:
    """A pipe in the place of a listed file never blocks, a link put there is not followed."""
    library = Library(place)

    def project() -> Known:
        return Known(ReadCache(Root(place)), (), lambda _: None)

    (place / "d").mkdir()
    (place / "d" / "a.md").write_text("---\ntitle: T\n---\nx\n")
    file = library.file("d", "a")
    assert file
    assert project().begins_with("d/a.md", b"title")
    (place.parent / "outside" / "a.md").write_text("---\ntitle: theirs\n---\n")
    for change in (os.mkfifo, lambda path: path.symlink_to("../../outside/a.md")):
        (place / "d" / "a.md").unlink()
        change(place / "d" / "a.md")
        assert not project().begins_with("d/a.md", b"title")
        assert project().head("d/a.md") is None
        assert library.frontmatter(file) is None


def test_names_are_listed_within_the_root(place: Path) -> None:
    root = Root(place)
    (place / "in").symlink_to("real")
    (place / "out").symlink_to("../outside")
    assert root.names("real") == root.names("in") == ["a.md"]
    assert root.names("none") == root.names("real/a.md") == []
    with pytest.raises(ContextError, match="leads out"):
        root.names("out")


def test_a_file_that_the_user_names_is_read_wherever_it_is(place: Path) -> None:
    (place / "link").symlink_to("../outside/a.md")
    os.mkfifo(place / "pipe")
    assert read_file(place / "link").data == b"theirs"
    for name, said in (("pipe", "is not a regular file"), ("none", "cannot be read"), ("real", "is a folder")):
        with pytest.raises(ContextError, match=f"^{place / name} .*{said}"):
            read_file(place / name)
    with pytest.raises(ContextError, match="not a regular file"):
        read_file(Path("/dev/zero"))


@cases("name", ["n", "cannot", "write"])
def test_an_error_about_a_named_file_names_it_once(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / name
    place.mkdir()
    with pytest.raises(ContextError, match=f"^cannot write {place}: Is a directory$"):
        write_named(place, b"x")
    denied = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "open", Mock(side_effect=denied))
        with refused("unauthorized", match=f"^{place} cannot be read: Permission denied$"):
            read_file(place)


def test_an_export_replaces_no_pipe_and_no_device(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        with pytest.raises(ContextError, match=f"{tmp_path / name} is not a regular file"):
            write_atomic(tmp_path / name, b"x")
    with pytest.raises(ContextError, match="cannot write"):
        write_atomic(tmp_path, b"x")
    assert (tmp_path / "pipe").is_fifo()


def test_a_folder_below_is_entered_from_the_root_at_each_use(place: Path) -> None:
    (place / "folder").mkdir()
    (place / "folder" / "a.md").write_text("in folder")
    (place / "folder" / "up.md").symlink_to("../real/a.md")
    (place / "way").symlink_to("folder")
    below = Root(place).below("way")
    assert below.read("a.md").data == b"in folder"
    assert below.read("up.md").data == below.read("../real/a.md").data == b"ours"
    below.write("new/b.md", b"b")
    assert (place / "folder" / "new" / "b.md").read_bytes() == b"b"
    assert sorted(below.listing()) == below.names("") == ["a.md", "new", "up.md"]
    (place / "folder").rename(place / "away")
    (place / "folder").symlink_to("../outside")
    assert not below.exists("a.md")
    uses: list[tuple[Callable[..., object], tuple[object, ...]]] = [
        *((below.read, ("a.md",)), (below.names, ("",)), (below.below, ("new",)), (below.listing, ())),
        *((below.write, ("a.md", b"x")), (below.create, ("c.md", b"x")), (_scan, (below,))),
    ]
    for use, given_ in uses:
        with pytest.raises(ContextError, match="leads out of the project"):
            use(*given_)
    assert _outside(place) == {"a.md": "theirs"}


def _scan(root: Root) -> None:
    with root.scanned(""):
        pass


def test_no_folder_below_leads_out_and_one_may_be_the_limit(place: Path) -> None:
    (place / "link").symlink_to("../outside")
    for path in ("link", "..", "real/../..", "/etc", "a\0b"):
        with pytest.raises(ContextError):
            Root(place).below(path)
    (place / "folder").mkdir()
    (place / "folder" / "up.md").symlink_to("../real/a.md")
    assert Root(place).below("folder").read("up.md").data == b"ours"
    with pytest.raises(ContextError, match="leads out"):
        Root(place).below("folder", is_limit=True).read("up.md")


_STEPS = st.sampled_from(["", "\0", *"real a.md to-file to-folder to-nothing out round gone .. .".split()])


@given(st.lists(_STEPS, max_size=4).map("/".join))
def test_something_exists_where_its_real_path_does(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    base = tmp_path_factory.getbasetemp() / "existing"
    root = base / "root"
    if not root.exists():
        (root / "real").mkdir(parents=True)
        (base / "a.md").write_text("outside")
        links = {"to-file": "real/a.md", "to-folder": "real", "to-nothing": "none", "out": "..", "round": "round"}
        (root / "real" / "a.md").write_text("inside")
        for name, target in links.items():
            (root / name).symlink_to(target)
    real = None if "\0" in path else Path(os.path.realpath(root / path))
    assert Root(root).exists(path) == (real is not None and real.is_relative_to(root) and real.exists())
