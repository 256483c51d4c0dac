"""The only module for the terminal: the app draws there while pipes stay free for data."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from stat import S_ISFIFO

from ctxtui.cli.output.streams import STANDARD, fill_closed, flush
from ctxtui.core.base.errors import invalid
from ctxtui.core.base.plain import plain


def stdout_is_piped() -> bool:
    """Whether standard output is neither a terminal nor a browser. Ask before lending it with `terminal()`."""
    return not os.isatty(1) and not in_browser()


def stdin_is_piped() -> bool:
    """Whether another program writes to standard input. Ask before lending it with `terminal()`."""
    with suppress(OSError):
        return not in_browser() and S_ISFIFO(os.fstat(0).st_mode)
    return False


def in_browser() -> bool:
    """Whether a browser shows the app, through packets on standard input and output."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


@contextmanager
def terminal() -> Iterator[None]:
    """Lend the controlling terminal to file descriptors 0 to 2, and restore them even after an error.

    Textual asks standard output for the size and standard input for keys, and both may be pipes. Read piped input
    before. Output inside goes to the terminal. Does nothing if all three are terminals, or in a browser. Raises
    ContextError (invalid_request) if there is no terminal.
    """
    if in_browser() or all(os.isatty(fd) for fd in STANDARD):
        yield
        return
    flush()
    tty = _open_tty()
    saved = [os.dup(fd) for fd in STANDARD]
    try:
        for fd in STANDARD:
            os.dup2(tty, fd)
        yield
    finally:
        # A closed terminal cannot be flushed. The descriptors are still restored.
        with suppress(OSError, ValueError):
            flush()
        for fd, old in zip(STANDARD, saved, strict=True):
            os.dup2(old, fd)
            os.close(old)
        os.close(tty)


def _open_tty() -> int:
    fill_closed()
    try:
        return os.open("/dev/tty", os.O_RDWR)
    except OSError:
        hint = "commands such as `ctxtui build` do not need one; see `ctxtui --help`"
        raise invalid("no terminal", hint=hint) from None


def agreed(question: str, option: str) -> bool:
    """Ask the user at the terminal. Anything but `y` or `yes` means no.

    Raises ContextError (invalid_request) without a terminal. Its hint names `option`, which answers yes.
    """
    try:
        fd = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        raise invalid(f"there is no terminal to ask at: {question}", hint=f"{option} answers yes") from None
    with os.fdopen(fd, "r+b", buffering=0) as tty:
        tty.write(f"{plain(question)}? [y/N] ".encode())
        answer = tty.readline()
    return answer.strip().lower() in (b"y", b"yes")


def has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True
