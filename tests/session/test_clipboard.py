import base64
import fcntl
import os
import re
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

import pytest

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.own_folders import own_state
from ctxtui.session.delivery import clipboard
from ctxtui.session.delivery.clipboard import OSC52_LIMIT, copy, osc52
from tests.cases import cases

ROOT = Path(__file__).parents[2]
LIMIT_TEXT = "x" * (OSC52_LIMIT // 4 * 3)  # the longest text that still goes through the terminal


class Place:
    """A folder of fake tools that is the whole PATH, and what the terminal and the spill file got."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.got = folder / "got"
        self.spilled = own_state() / "clipboard.txt"
        self.terminal: list[str] = []
        monkeypatch.setattr(clipboard, "_write_tty", self.terminal.append)

    def env(self, **more: str) -> dict[str, str]:
        return {"PATH": str(self.bin), "GOT": str(self.got), **more}

    def tool(self, name: str, script: str = '/bin/cat > "$GOT"') -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def copy(self, text: str, **env: str) -> str:
        return copy(text, env=self.env(**env))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


def payload(sequence: str) -> str:
    # tmux leaves the name of the selection out.
    found = re.fullmatch("\x1b]52;c?;([^\a]*)\a", sequence)
    assert found
    return base64.b64decode(found[1]).decode()


# (the environment, the tool that must be chosen, the tools that exist beside it)
PLACES = {
    "wayland": ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "wl-copy", ["xclip", "xsel"]),
    "x11": ({"DISPLAY": ":0"}, "xclip", ["xsel", "wl-copy", "pbcopy", "clip.exe"]),
    "x11 without xclip": ({"DISPLAY": ":0"}, "xsel", ["wl-copy"]),
    "wsl before its own x11": ({"WSL_DISTRO_NAME": "Debian", "DISPLAY": ":0"}, "clip.exe", ["xclip"]),
    "wayland without wl-copy": ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "xclip", ["xsel"]),
}


@pytest.mark.parametrize("where", PLACES)
def test_takes_the_tool_of_the_place(place: Place, where: str) -> None:
    env, expected, others = PLACES[where]
    place.tool(expected)
    for other in others:
        place.tool(other, "echo wrong tool > $GOT")
    assert place.copy("hello\n", **env) == f"copied 6 bytes with {expected}"
    assert place.got.read_bytes() == "hello\n".encode("utf-16-le" if expected == "clip.exe" else "utf-8")
    assert not place.terminal
    assert not place.spilled.exists()


def test_mac_uses_pbcopy_in_utf8(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    place.tool("pbcopy", '{ echo "$LC_ALL"; /bin/cat; } > "$GOT"')
    assert place.copy("naïve", LC_ALL="C") == "copied 6 bytes with pbcopy"
    assert place.got.read_text() == "en_US.UTF-8\nnaïve"


@cases("text", ["tab\t crlf\r\n nul-free ünïcode 🙂 \x1b[31m $(id) `id`", "a\udcffb", "x" * 3_400_000])
def test_arguments_and_bytes_arrive_unchanged(place: Place, text: str) -> None:
    place.tool("xclip", '{ echo "$@"; /bin/cat; } > "$GOT"')
    assert place.copy(text, DISPLAY=":0").startswith("copied 3.4 MB" if len(text) > 99 else "copied ")
    assert place.got.read_bytes() == b"-selection clipboard -in\n" + text.encode("utf-8", "replace")


def test_a_tool_that_stays_in_the_background_does_not_hang_us(place: Place) -> None:
    """xclip forks and keeps its output open for as long as it owns the selection."""
    place.tool("xclip", '/bin/cat > "$GOT"\n/bin/sleep 60 &\necho $! > "$GOT.pid"')
    started = time.monotonic()
    try:
        assert place.copy("hello", DISPLAY=":0").startswith("copied ")
        assert time.monotonic() - started < 4
    finally:
        os.kill(int(Path(f"{place.got}.pid").read_text()), signal.SIGKILL)


def test_a_tool_that_never_ends_is_given_up(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "TOOL_TIMEOUT", 0.2)
    place.tool("xclip", "exec /bin/sleep 60")
    with pytest.raises(ContextError) as caught:
        place.copy("hello", DISPLAY=":0", CTXTUI_CLIPBOARD="native")
    assert caught.value.message == "cannot copy: xclip did not answer, xsel not found"


def test_a_failing_tool_hands_over_to_the_next_and_the_last_to_the_terminal(place: Place) -> None:
    place.tool("wl-copy", "exit 1")
    place.tool("xclip")
    assert place.copy("hello", WAYLAND_DISPLAY="w", DISPLAY=":0") == "copied 5 bytes with xclip"
    # One that does not read is judged by its status.
    place.tool("xclip", "exit 3")
    assert place.copy("x" * 50_000, DISPLAY=":0").startswith("sent to terminal via OSC 52, 50 kB")
    said = f"sent to terminal via OSC 52, 31 kB, may be ignored; also at {place.spilled}"
    assert place.copy("x" * 31_000, DISPLAY=":0") == said
    assert payload(place.terminal[-1]) == place.spilled.read_text() == "x" * 31_000


@cases("env", [{}, *({"DISPLAY": "localhost:10.0", sign: "there"} for sign in ("SSH_CONNECTION", "SSH_TTY"))])
def test_over_ssh_or_without_a_display_the_terminal_is_asked(place: Place, env: dict[str, str]) -> None:
    place.tool("xclip")
    assert place.copy("hello", **env).startswith("sent to terminal")
    assert payload(place.terminal[0]) == "hello"
    assert not place.got.exists()


def test_the_environment_chooses(place: Place) -> None:
    place.tool("xclip")
    assert place.copy("hello", DISPLAY=":0", CTXTUI_CLIPBOARD="osc52").startswith("sent to terminal")
    assert place.copy("hello", DISPLAY=":0", SSH_TTY="x", CTXTUI_CLIPBOARD="native").startswith("copied ")
    assert place.copy("hello", DISPLAY=":0", CTXTUI_CLIPBOARD="").startswith("copied ")
    assert len(place.terminal) == 1


@pytest.mark.parametrize(
    ("mode", "category", "message"),
    [
        ("off", "unavailable", "the clipboard is switched off"),
        ("native", "unavailable", "cannot copy: no display found"),
        ("loud", "invalid_request", "unknown clipboard mode 'loud'"),
    ],
)
def test_modes_that_cannot_copy_say_what_to_do(place: Place, mode: str, category: str, message: str) -> None:
    with pytest.raises(ContextError) as caught:
        place.copy("secret", CTXTUI_CLIPBOARD=mode)
    assert (caught.value.category, caught.value.message) == (category, message)
    assert caught.value.hint
    assert "secret" not in caught.value.hint
    assert not place.terminal
    assert not place.spilled.exists()


def test_too_large_for_the_terminal_is_saved_instead(place: Place) -> None:
    assert place.copy(LIMIT_TEXT).startswith("sent to terminal")
    place.terminal.clear()
    assert place.copy(LIMIT_TEXT + "x") == f"not copied, 56 kB is too much for OSC 52; saved at {place.spilled}"
    assert not place.terminal
    assert place.spilled.read_text() == LIMIT_TEXT + "x"


def test_no_terminal_says_where_the_text_is(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_terminal(_: str) -> None:
        raise OSError(6, "No such device or address")

    monkeypatch.setattr(clipboard, "_write_tty", no_terminal)
    with pytest.raises(ContextError) as caught:
        place.copy("hello", DISPLAY=":0")
    assert caught.value.message == "cannot copy: xclip not found, xsel not found, no terminal"
    assert caught.value.hint is not None
    assert caught.value.hint.startswith(f"the text is saved at {place.spilled}; install xclip")


def test_an_unwritable_folder_is_admitted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", os.devnull)
    assert place.copy("hello").endswith("5 bytes, may be ignored; could not be saved to a file")
    with pytest.raises(ContextError, match="56 kB is too much"):
        place.copy(LIMIT_TEXT + "x")
    assert len(place.terminal) == 1


def test_the_file_is_private_and_replaced(place: Place, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("untouched")
    target = place.spilled
    target.parent.mkdir(parents=True)
    target.symlink_to(elsewhere)
    for text in ("first\r\n", "second ünï\n"):
        assert str(target) in place.copy(text)
        assert target.read_bytes() == text.encode()
    assert stat.S_IMODE(target.lstat().st_mode) == 0o600
    assert elsewhere.read_text() == "untouched"
    assert [path.name for path in target.parent.iterdir()] == ["clipboard.txt"]


def test_multiplexers_get_what_they_forward() -> None:
    assert osc52("hi", {}) == "\x1b]52;c;aGk=\a"
    assert osc52("hi", {"TMUX": "/tmp/x,1,0", "STY": "1.x"}) == "\x1bPtmux;\x1b\x1b]52;c;aGk=\a\x1b\\"
    # Screen takes short pieces that join to the sequence.
    pieces = osc52("x" * 5_000, {"STY": "1.x"}).removeprefix("\x1bP").removesuffix("\x1b\\").split("\x1b\\\x1bP")
    assert max(map(len, pieces)) < 768 - 4
    assert payload("".join(pieces)) == "x" * 5_000


COPY = """
from ctxtui.session.delivery.clipboard import copy
print(copy("hello ünï" * 2000))
"""


def read_pty(argv: list[str], env: dict[str, str], until: bytes) -> list[str]:
    """What a program sends to the terminal it runs in: the groups of the pattern that was waited for."""

    def own_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    master, tty = os.openpty()
    termios.tcsetwinsize(tty, (35, 130))
    with subprocess.Popen(
        argv, stdin=tty, stdout=tty, stderr=tty, env=env, cwd=ROOT, start_new_session=True, preexec_fn=own_terminal
    ) as process:
        os.close(tty)
        output, deadline = b"", time.monotonic() + 20
        try:
            while not (found := re.search(until, output)):
                assert select.select([master], [], [], max(0, deadline - time.monotonic()))[0], output
                output += os.read(master, 65_536)
        finally:
            os.close(master)
            process.terminate()
    return [group.decode() for group in found.groups()]


def without_place(**more: str) -> dict[str, str]:
    signs = ("TMUX", "STY", "DISPLAY", "WAYLAND_DISPLAY", "SSH_TTY", "SSH_CONNECTION")
    return {**{key: value for key, value in os.environ.items() if key not in signs}, **more}


def test_the_sequence_reaches_a_real_terminal() -> None:
    env = without_place(CTXTUI_CLIPBOARD="osc52")
    sent, said = read_pty([sys.executable, "-c", COPY], env, rb"(\x1b\]52;[^\a]*\a)(.*)\r\n")
    assert payload(sent) == "hello ünï" * 2000
    assert said == f"sent to terminal via OSC 52, 22 kB, may be ignored; also at {own_state()}/clipboard.txt"


@pytest.mark.skipif(not shutil.which("tmux"), reason="needs tmux")
def test_a_real_tmux_forwards_in_its_default_configuration() -> None:
    # Again and again: tmux drops what a pane says before its client is ready.
    script = f'while "{sys.executable}" -c "$COPY"; do sleep 0.1; done'
    with tempfile.TemporaryDirectory(prefix="ctxtui-") as short:  # for the socket, whose name has 100 bytes
        env = without_place(TERM="xterm-256color", COPY=COPY, CTXTUI_CLIPBOARD="osc52", TMUX_TMPDIR=short)
        try:
            (sent,) = read_pty(["tmux", "-f", os.devnull, "new-session", script], env, rb"(\x1b\]52;[^\a]*\a)")
        finally:
            subprocess.run(["tmux", "kill-server"], env=env, stderr=subprocess.DEVNULL, timeout=60)
    assert payload(sent) == "hello ünï" * 2000


@pytest.mark.skipif(not (os.environ.get("DISPLAY") and shutil.which("xclip")), reason="needs an X display and xclip")
def test_a_real_display_gives_the_text_back() -> None:
    env = {key: value for key, value in os.environ.items() if key != "WAYLAND_DISPLAY"}
    assert copy("hello ünï\n", env={**env, "CTXTUI_CLIPBOARD": "native"}) == "copied 12 bytes with xclip"
    back = subprocess.run(["xclip", "-selection", "clipboard", "-out"], capture_output=True, timeout=5)
    assert back.stdout.decode() == "hello ünï\n"
