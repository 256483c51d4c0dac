"""The only module for the standard streams: exact bytes to pipes and files, harmless text to terminals."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import textwrap
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from threading import Thread
from typing import TYPE_CHECKING, Self, TextIO

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.plain import plain, plain_line

if TYPE_CHECKING:
    from ctxtui.core.disk.write import Data
    from ctxtui.retrieval.index.index import Reached

STANDARD = (0, 1, 2)
# Seconds to wait for the last output of a program that has ended.
_LAST_WORDS = 1.0
_ERASE = "\r\x1b[K"
_EXACT_WAYS = "a pipe or > FILE"


def fill_closed() -> None:
    """Open /dev/null for closed descriptors. Otherwise the next opened file would take their number."""
    for fd in STANDARD:
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def write_stdout(data: Data, shown: Callable[[str], str] = plain, exact: str = _EXACT_WAYS) -> None:
    """Write an artifact: every byte to a pipe or a file, to a terminal the text after `shown`.

    If the two differ, stderr says how to get the exact bytes: `exact` names the ways. A reader that closes the pipe
    (`| head`) is not an error. Raises ContextError (unavailable) if the bytes cannot be written, as on a full disk.
    """
    stream = require_stdout(exact)
    if not stream.isatty():
        _write_bytes(stream, data, exact)
        return
    text = (data if isinstance(data, bytes) else b"".join(data)).decode("utf-8", "replace").replace("\r\n", "\n")
    harmless = shown(text)
    _write_bytes(stream, harmless.encode(stream.encoding, "replace"), exact)
    if harmless != text:
        complain(f"ctxtui: terminal control characters are replaced; for the exact bytes, use {exact}")


Look = Callable[[str], tuple[int, str, str]]
"""The look of a line: the number of characters at its head, the style of the head, and the style of the rest."""

STYLES = {"": "0", "bold": "1", "dim": "2", "error": "1;31", "warning": "1;33", "note": "36", "good": "32"}


def put(text: str, has_ids: bool = False, look: Look | None = None) -> None:
    """Write lines for people to standard output, folded at a terminal. Raises as `write_stdout` does.

    Secrets are removed unless the lines are rows of ids (`has_ids`), which must stay valid as input. `look` styles
    each line at a terminal with colors, unless the user set NO_COLOR.
    """
    stream = require_stdout()
    text = plain(text if has_ids else _without_secrets(text))
    if not stream.isatty():
        _write_bytes(stream, f"{text}\n".encode())
        return
    columns = shutil.get_terminal_size().columns
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        look = None
    lines = []
    for line in text.split("\n"):
        head, first, rest = look(line) if look else (0, "", "")
        for piece in _folded(line, columns):
            lines.append(_styled(piece, head, first, rest))
            head = 0
    _write_bytes(stream, "".join(f"{line}\n" for line in lines).encode(stream.encoding, "replace"))


def _styled(piece: str, head: int, first: str, rest: str) -> str:
    parts = ((piece[:head], first), (piece[head:], rest))
    return "".join(f"\x1b[{STYLES[style]}m{text}\x1b[0m" if text and style else text for text, style in parts)


def _folded(line: str, columns: int) -> list[str]:
    """A line in pieces of at most `columns` characters. Later pieces are indented."""
    if len(line) <= columns:
        return [line]
    indent = " " * min(len(line) - len(line.lstrip()) + 2, columns // 2)
    wrapped = textwrap.wrap(line, columns, subsequent_indent=indent, replace_whitespace=False, break_on_hyphens=False)
    return wrapped or [line]


def write_redacted(text: str) -> None:
    """Write lines for people or programs, without secrets but otherwise exact, as `write_stdout` does."""
    write_stdout(_without_secrets(text).encode("utf-8", "surrogateescape"))


def _without_secrets(text: str) -> str:
    # One or two lines need no patterns.
    from ctxtui.core.text.secrets import redact  # noqa: PLC0415

    return redact(text)[0]


def complain(text: str, is_ours: bool = False) -> None:
    """Write lines for people to standard error, if it is open. Secrets are removed unless the text `is_ours`."""
    # None here when the caller closed the descriptor. `print` would then write to stdout.
    stream: TextIO | None = sys.stderr
    if stream is None:
        return
    try:
        stream.write(f"{plain(text if is_ours else _without_secrets(text))}\n")
        stream.flush()
    except OSError:
        _discard(stream)


# Fewer items end before anyone reads a report. Also the number of items between two reports.
_MANY = 200
_SOME = 16


class Progress:
    """A progress line on standard error that is overwritten and erased at the end, at a terminal and unless quiet."""

    def __init__(self, what: str, is_quiet: bool) -> None:
        self._what = plain_line(what)
        is_seen = not is_quiet and sys.stderr is not None and sys.stderr.isatty()
        self._stream: TextIO | None = sys.stderr if is_seen else None
        self._said = ""
        self._is_long: bool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._said:
            self._write(_ERASE)

    def reach(self, reached: Reached) -> None:
        """Show the progress of an index if many files were left at the start, and not for each file."""
        if self._is_long is None:
            self._is_long = reached.of - reached.files >= _MANY
        if self._is_long and reached.files % _SOME == 0:
            self.say(reached.words)

    def say(self, text: str) -> None:
        """Show a text in place of the last text."""
        if text != self._said:
            self._write(f"{_ERASE}{self._what}: {plain_line(text)}")
            self._said = text

    def _write(self, text: str) -> None:
        if self._stream is not None:
            with suppress(OSError):
                self._stream.write(text)
                self._stream.flush()


@contextmanager
def stdout_kept_clean() -> Iterator[None]:
    """Within the context, send the prints of libraries to standard error."""
    with redirect_stdout(sys.stderr):
        yield


def require_stdout(exact: str = _EXACT_WAYS) -> TextIO:
    """Standard output. If the caller closed it, raises ContextError (unavailable), whose hint names `exact`."""
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise ContextError("unavailable", "standard output is closed", hint=f"write elsewhere: {exact}")
    return stream


def stdout_failed(error: OSError, exact: str = _EXACT_WAYS) -> ContextError:
    """The error for a failed write to standard output, whose hint names `exact`. Drops buffered text."""
    _discard(sys.stdout)
    message = f"cannot write to standard output: {error.strerror}"
    return ContextError("unavailable", message, hint=f"write elsewhere: {exact}")


def read_stdin() -> str:
    """All of standard input as text, UTF-8 or UTF-16 with its mark. Raises ContextError if it cannot be read."""
    stream = require_stdin()
    try:
        data = stream.buffer.read()
        return data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"standard input is not UTF-8: byte {error.start + 1:,} cannot be read"
        raise invalid(message, hint="convert it first, as with iconv") from error
    except OSError as error:
        message = f"cannot read standard input: {error.strerror}"
        raise ContextError("unavailable", message, hint="pipe the text into the command") from error


def require_stdin() -> TextIO:
    """Standard input. Raises ContextError (invalid_request) if the caller closed it."""
    stream: TextIO | None = sys.stdin
    if stream is None:
        raise invalid("standard input is closed", hint="pipe the text into the command")
    return stream


def flush() -> None:
    """Flush the buffers before another program writes to the same descriptors."""
    streams: tuple[TextIO | None, ...] = (sys.stdout, sys.stderr)
    for stream in streams:
        if stream is not None:
            stream.flush()


def log_to_stderr() -> None:
    """Show warnings and errors that libraries log without a handler of their own."""

    class Log(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            complain(self.format(record))

    logging.lastResort = Log(logging.WARNING)


@contextmanager
def relayed_stderr() -> Iterator[TextIO]:
    """A file for a program's standard error. Its lines are relayed to ours, made harmless."""
    reader, writer = os.pipe()
    relay = Thread(target=_relay, args=(reader,), name="ctxtui-relay", daemon=True)
    relay.start()
    try:
        with open(writer, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor
            yield file
    finally:
        # A child of the program may keep its end open forever.
        relay.join(_LAST_WORDS)


def _relay(reader: int) -> None:
    with open(reader, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            complain(line.rstrip("\n"))


def _write_bytes(stream: TextIO, data: Data, exact: str = _EXACT_WAYS) -> None:
    """Write all bytes, and flush. Drops the rest if the reader closed the pipe. Raises as `write_stdout` does."""
    try:
        stream.flush()
        for chunk in (data,) if isinstance(data, bytes) else data:
            rest = memoryview(chunk)
            while rest:  # unbuffered (`python -u`), a write may be partial
                rest = rest[stream.buffer.write(rest) :]
        stream.buffer.flush()
    except BrokenPipeError:
        _discard(stream)
    except OSError as error:
        raise stdout_failed(error, exact) from None


def _discard(stream: TextIO) -> None:
    """Send a stream's buffered text to /dev/null, or the interpreter complains at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
