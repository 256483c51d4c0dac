"""Temporary files: killed writers leave one, the next writer removes it, and nothing else."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.root import Root, write_atomic
from ctxtui.core.disk.walk import Walker
from ctxtui.core.disk.write import is_temporary
from tests.cases import cases

_WRITER = """
import os, signal, sys
from ctxtui.core.disk.root import Root
# Interrupted when the data are written and not yet in place.
os.fsync = lambda _: os.kill(os.getpid(), int(sys.argv[3]))
Root(sys.argv[1]).write(sys.argv[2], b"new")
"""


@contextmanager
def _writer(folder: Path, name: str, sign: int) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", _WRITER, str(folder), name, str(int(sign))]) as process:
        try:
            yield process
        finally:
            process.kill()


def _killed(folder: Path, name: str) -> Path:
    """What a killed writer leaves."""
    before = set(folder.iterdir())
    with _writer(folder, name, signal.SIGKILL) as process:
        assert process.wait(60) == -signal.SIGKILL
    (left,) = set(folder.iterdir()) - before
    return left


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_what_a_killed_writer_leaves_goes_with_the_next_write(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("old")
    left = _killed(tmp_path, "a.md")
    assert is_temporary(left.name)
    assert (tmp_path / "a.md").read_text() == "old"
    # It is no context file.
    notices: list[Notice] = []
    found = Walker(Root(tmp_path), frozenset(), notices.append).walk(with_ignored=True)
    assert ([each.path for each in found], notices) == (["a.md"], [])
    Root(tmp_path).write("b.md", b"x")
    assert _names(tmp_path) == {"a.md", "b.md"}
    left.write_text("left again")
    write_atomic(tmp_path / "c.md", b"x")
    assert _names(tmp_path) == {"a.md", "b.md", "c.md"}


def test_a_file_that_is_being_written_stays(tmp_path: Path) -> None:
    with _writer(tmp_path, "a.md", signal.SIGSTOP) as process:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        Root(tmp_path).write("b.md", b"x")
        assert len(_names(tmp_path)) == 2
        process.send_signal(signal.SIGCONT)
        assert process.wait(60) == 0
    assert (tmp_path / "a.md").read_bytes() == b"new"
    assert _names(tmp_path) == {"a.md", "b.md"}


def test_what_a_writer_leaves_after_a_write_from_here_goes_with_the_next_one(tmp_path: Path) -> None:
    for number in range(3):
        Root(tmp_path).write("b.md", b"%d" % number)
        before = tmp_path.stat().st_mtime_ns
        _killed(tmp_path, "a.md")
        # The clock of a file system has ticks.
        while tmp_path.stat().st_mtime_ns == before:
            (tmp_path / "tick").touch()
            (tmp_path / "tick").unlink()
        Root(tmp_path).write("b.md", b"x")
        assert _names(tmp_path) == {"b.md"}


def test_what_nobody_finished_within_an_hour_is_left_over(tmp_path: Path) -> None:
    left = _killed(tmp_path, "a.md")
    # Of another machine nothing but the age is known; nor of a process that runs.
    process, machine, _ = left.name.removeprefix(".a.md.").split("-", 2)
    elsewhere = left.rename(tmp_path / left.name.replace(machine, "0" * 8))
    running = tmp_path / left.name.replace(process, str(os.getpid()))
    running.write_text("x")
    Root(tmp_path).write("b.md", b"x")
    assert _names(tmp_path) == {elsewhere.name, running.name, "b.md"}
    for path in (elsewhere, running):
        os.utime(path, (time.time() - 3700,) * 2)
    Root(tmp_path).write("b.md", b"x")
    assert _names(tmp_path) == {"b.md"}


@cases(
    "name",
    [
        *(".a.md.x1y2z3w4", ".ctxtui-tmp", "a.ctxtui-tmp", ".a.md.ctxtui-tmp"),
        ".a.md.999999999-00000000.ctxtui-tmp",
        "a.md.999999999-00000000-0000000000000000.ctxtui-tmp",
        ".a.md.999999999-00000000-0000000000000000.ctxtui-tmp.md",
    ],
)
def test_what_others_call_alike_and_a_folder_of_such_a_name_stay(tmp_path: Path, name: str) -> None:
    folder = tmp_path / ".a.md.999999999-00000000-0000000000000000.ctxtui-tmp"
    folder.mkdir(exist_ok=True)
    (tmp_path / name).write_text("theirs")
    for path in (folder, tmp_path / name):
        os.utime(path, (0, 0))
    Root(tmp_path).write("b.md", b"x")
    assert (tmp_path / name).read_text() == "theirs"
    assert folder.is_dir()
