import fcntl
import os
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

PRELUDE = """
import os, shutil, sys
sys.path.insert(0, {root!r})
from ctxtui.cli.output.terminal import stdout_is_piped, terminal
from ctxtui.core.base.errors import ContextError

def fds():
    return sorted(os.listdir("/dev/fd"))

def ttys():
    return [os.isatty(fd) for fd in (0, 1, 2)]
"""

LENT = """
before, taken = fds(), sys.stdin.readline().strip()
print("data", taken)
print("narration", file=sys.stderr)
with terminal():
    size = os.get_terminal_size(1)
    print("lent", ttys(), size.columns, size.lines, shutil.get_terminal_size().columns, stdout_is_piped())
    print("lent too", file=sys.stderr)
    print("key", input())
print("back", ttys(), fds() == before, stdout_is_piped())
"""


def plain_env() -> dict[str, str]:
    """Without what would answer for the terminal, and with the buffers that must be flushed."""
    known = ("TMUX", "TMUX_PANE", "COLUMNS", "LINES", "PYTHONUNBUFFERED")
    return {key: value for key, value in os.environ.items() if key not in known}


def script(body: str) -> list[str]:
    return [sys.executable, "-c", PRELUDE.format(root=str(ROOT)) + body]


class Pty:
    """A terminal of 130 columns and 35 lines that a program may control."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        termios.tcsetwinsize(self.slave, (35, 130))
        self.shown = ""

    def own(self) -> None:
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + 15
        while text not in self.shown:
            assert select.select([self.master], [], [], max(0, deadline - time.monotonic()))[0], self.shown
            self.shown += os.read(self.master, 65_536).decode()

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())


PIPES = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)


@contextmanager
def started(pty: Pty, body: str, **streams: int) -> Iterator[subprocess.Popen[str]]:
    options: dict[str, Any] = {"preexec_fn": pty.own, "pass_fds": [pty.slave], "env": plain_env(), **PIPES, **streams}
    with subprocess.Popen(script(body), start_new_session=True, text=True, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def said(pty: Pty, body: str, shown: str) -> tuple[str, str]:
    """What a program says on its pipes, which shows something on the terminal."""
    with started(pty, body) as process:
        out, err = process.communicate(timeout=60)
        pty.wait_for(shown)
    return out, err


@pytest.fixture
def pty() -> Iterator[Pty]:
    pty = Pty()
    yield pty
    os.close(pty.master)
    os.close(pty.slave)


def test_lends_the_terminal_and_keeps_the_pipes_for_data(pty: Pty) -> None:
    with started(pty, LENT) as process:
        assert process.stdin
        process.stdin.write("piped\n")
        process.stdin.flush()
        pty.wait_for("lent too")
        pty.type("typed\n")
        out, err = process.communicate(timeout=60)
        pty.wait_for("key typed")
    assert "lent [True, True, True] 130 35 130 False" in pty.shown
    assert out == "data piped\nback [False, False, False] True True\n"
    assert err == "narration\n"


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_one_pipe_is_enough_to_lend(pty: Pty, stream: str) -> None:
    body = "before = ttys()\nwith terminal(): print(ttys())\nprint(ttys() == before, file=sys.stderr)"
    with started(pty, body, **{name: pty.slave for name in PIPES if name != stream}) as process:
        _, err = process.communicate(timeout=60)
        pty.wait_for("[True, True, True]")
        assert (err == "True\n") if stream == "stderr" else pty.wait_for("True\r\n") is None


@pytest.mark.parametrize("leave", ["raise ValueError('bang')", "sys.exit(3)", "raise KeyboardInterrupt"])
def test_gives_back_on_every_way_out(pty: Pty, leave: str) -> None:
    body = f"""
before = fds()
try:
    with terminal():
        print("unflushed on the terminal", end="")
        {leave}
except BaseException as error:
    print(type(error).__name__, ttys(), fds() == before)
"""
    out, err = said(pty, body, "unflushed on the terminal")
    assert (out.split(maxsplit=1)[1], err) == ("[False, False, False] True\n", "")


def test_can_be_lent_twice_and_inside_itself(pty: Pty) -> None:
    body = """
before = fds()
for turn in (1, 2):
    with terminal(), terminal():
        print("turn", turn)
    print("data", turn, fds() == before)
"""
    assert said(pty, body, "turn 2")[0] == "data 1 True\ndata 2 True\n"


def test_does_nothing_when_all_is_a_terminal(pty: Pty) -> None:
    body = """
before = fds()
with terminal():
    print("same" if fds() == before else "changed", stdout_is_piped())
"""
    with started(pty, body, stdin=pty.slave, stdout=pty.slave, stderr=pty.slave):
        pty.wait_for("same False")


def test_closed_descriptors_do_not_catch_the_terminal(pty: Pty) -> None:
    body = """
os.close(0), os.close(2)
with terminal():
    os.write(2, b"on the terminal")
print(ttys())
"""
    assert said(pty, body, "on the terminal")[0] == "[False, False, False]\n"


def test_without_a_terminal_names_the_headless_way() -> None:
    body = """
before = fds()
try:
    with terminal():
        print("never")
except ContextError as error:
    print(error.category, error, error.hint, fds() == before, sep="|")
"""
    done = subprocess.run(
        script(body), stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True, timeout=60
    )
    category, message, hint, same = done.stdout.strip().split("|")
    assert (category, message, same) == ("invalid_request", "no terminal", "True")
    assert "ctxtui build" in hint
    assert done.stderr == ""
