"""The clipboard: copy text and report where it went."""

import base64
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.executable import executable
from ctxtui.core.base.wording import byte_size
from ctxtui.core.disk.open_at import opened_folder
from ctxtui.core.disk.own_folders import own_state, private_folder
from ctxtui.core.disk.write import replace_file

OSC52_LIMIT = 74_000  # bytes of base64; terminals cut longer sequences silently
TOOL_TIMEOUT = 5.0  # seconds
SCREEN_CHUNK = 700  # GNU screen drops text beyond 768 bytes in one DCS
MODES = ("auto", "osc52", "native", "off")


@dataclass(frozen=True, slots=True)
class _Tool:
    """A program that copies its stdin. `fits` says from the environment whether to try it. `extra` is added to it."""

    name: str
    fits: Callable[[Mapping[str, str]], bool]
    arguments: tuple[str, ...] = ()
    encoding: str = "utf-8"
    locate: Callable[[Mapping[str, str]], str] | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


def _system32_clip(env: Mapping[str, str]) -> str:
    """The absolute path of clip.exe. Windows would look for a bare name in the current folder first."""
    return str(PureWindowsPath(env.get("SystemRoot", r"C:\Windows"), "System32", "clip.exe"))


# In order of preference. clip reads UTF-16 without a mark, which it would paste as text. pbcopy takes bytes for
# MacRoman unless the locale says otherwise. WSL comes before X11 and Wayland, which WSLg cuts at 64 kB. wl-copy would
# guess a type that other programs do not paste.
_TOOLS = (
    _Tool("pbcopy", lambda _: sys.platform == "darwin", extra={"LC_ALL": "en_US.UTF-8"}),
    _Tool("clip", lambda _: sys.platform == "win32", encoding="utf-16-le", locate=_system32_clip),
    _Tool("clip.exe", lambda env: "WSL_DISTRO_NAME" in env or "WSL_INTEROP" in env, encoding="utf-16-le"),
    _Tool("wl-copy", lambda env: bool(env.get("WAYLAND_DISPLAY")), ("--type", "text/plain")),
    _Tool("xclip", lambda env: bool(env.get("DISPLAY")), ("-selection", "clipboard", "-in")),
    _Tool("xsel", lambda env: bool(env.get("DISPLAY")), ("--clipboard", "--input")),
)


_TMUX = _Tool("tmux", lambda env: bool(env.get("TMUX")), ("load-buffer", "-w", "-"))


def copy(text: str, *, project: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Copy with a system tool, else (and over SSH) through the terminal with OSC 52 and a file. Returns a report.

    `project` is the folder in which no tool is started. `CTXTUI_CLIPBOARD` is auto, osc52, native or off. Raises
    ContextError: unavailable with a remedy, or invalid_request for an unknown mode.
    """
    env = os.environ if env is None else env
    mode = _mode(env)
    remote = bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY"))
    failures: list[str] = []
    if mode == "native" or (mode == "auto" and not remote):
        for tool in (tool for tool in _TOOLS if tool.fits(env)):
            failure = _run(tool, text, env, project)
            if failure is None:
                return f"copied {_size(text)} with {tool.name}"
            failures.append(failure)
    if mode == "native":
        raise _unavailable(failures or ["no display found"])
    return _send(text, env, project, failures)


def osc52(text: str, env: Mapping[str, str]) -> str:
    """The control sequence that asks the terminal to copy, wrapped for tmux and GNU screen.

    It ends with BEL, since GNU screen would end its own wrapping at the two-byte terminator. tmux passes the sequence
    on only with `allow-passthrough on`. Inside both, tmux is assumed to be the inner program.
    """
    sequence = f"\x1b]52;c;{base64.b64encode(_encode(text)).decode('ascii')}\a"
    if env.get("TMUX"):
        return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if env.get("STY"):
        parts = (sequence[start : start + SCREEN_CHUNK] for start in range(0, len(sequence), SCREEN_CHUNK))
        return "".join(f"\x1bP{part}\x1b\\" for part in parts)
    return sequence


def _mode(env: Mapping[str, str]) -> str:
    """The user's mode, by default `auto`. Raises ContextError: unavailable if it is `off`, invalid_request."""
    mode = env.get("CTXTUI_CLIPBOARD") or "auto"
    if mode not in MODES:
        message = f"unknown clipboard mode {mode!r}"
        raise invalid(message, hint=f"CTXTUI_CLIPBOARD should be one of {', '.join(MODES)}")
    if mode == "off":
        hint = "unset CTXTUI_CLIPBOARD, or export to a file instead"
        raise ContextError("unavailable", "the clipboard is switched off", hint=hint)
    return mode


def _run(tool: _Tool, text: str, env: Mapping[str, str], project: Path | None) -> str | None:
    """Feed the tool. Returns None if it accepted the text, else the error.

    Output is discarded: xclip and wl-copy stay in the background to serve the text and would keep a pipe open. In
    their own session, they outlive the terminal.
    """
    name = tool.locate(env) if tool.locate else tool.name
    program = name if os.path.isabs(name) else executable(name, project, env.get("PATH", os.defpath))  # noqa: PTH117
    if program is None:
        return f"{tool.name} not found"
    try:
        done = subprocess.run(  # noqa: S603  a fixed argument list, no shell
            [program, *tool.arguments],
            input=_encode(text, tool.encoding),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TOOL_TIMEOUT,
            env={**env, **tool.extra},
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{tool.name} did not answer"
    except OSError as error:
        return f"{tool.name}: {error.strerror}"
    return None if done.returncode == 0 else f"{tool.name} failed with status {done.returncode}"


def _send(text: str, env: Mapping[str, str], project: Path | None, failures: list[str]) -> str:
    """Send the text through the terminal, which confirms nothing, and save it to a file. Returns a report.

    `failures` say why no tool copied it. Raises ContextError (unavailable) if neither way can take the text.
    """
    path = _save(text)
    if 4 * -(-len(_encode(text)) // 3) > OSC52_LIMIT:
        if path is None:
            raise _unavailable([*failures, f"{_size(text)} is too much for the terminal"])
        return f"not copied, {_size(text)} is too much for OSC 52; saved at {path}"
    where = f"also at {path}" if path else "could not be saved to a file"
    # tmux forwards its own buffer in every configuration. A wrapped sequence needs a setting.
    if env.get("TMUX") and _run(_TMUX, text, env, project) is None:
        return f"sent to terminal via tmux, {_size(text)}, may be ignored; {where}"
    try:
        _write_tty(osc52(text, env))
    except OSError:
        raise _unavailable([*failures, "no terminal"], path) from None
    return f"sent to terminal via OSC 52, {_size(text)}, may be ignored; {where}"


def _unavailable(reasons: list[str], path: Path | None = None) -> ContextError:
    remedy = "install xclip, xsel or wl-copy, or export to a file (ctxtui build -o FILE)"
    hint = f"the text is saved at {path}; {remedy}" if path else remedy
    return ContextError("unavailable", f"cannot copy: {', '.join(reasons)}", hint=hint)


def _save(text: str) -> Path | None:
    """Write the text to clipboard.txt in the state folder, readable only by the user. Returns its path or None."""
    target = own_state() / "clipboard.txt"
    try:
        private_folder(target.parent)
        # Replaces a link of that name instead of following it.
        with opened_folder(target.parent) as folder:
            replace_file(folder, target.name, _encode(text), 0o600)
    except OSError:
        return None
    return target


def _write_tty(sequence: str) -> None:
    with Path("/dev/tty").open("wb", buffering=0) as tty:
        rest = memoryview(sequence.encode("ascii"))
        while rest:
            rest = rest[tty.write(rest) :]


def _encode(text: str, encoding: str = "utf-8") -> bytes:
    return text.encode(encoding, "replace")


def _size(text: str) -> str:
    return byte_size(len(_encode(text)))
