"""The process that renders one template, with limits on time, memory and output.

It reads one JSON document and answers with a line of JSON and the text. It imports nothing of this package, and no
project folder is on its module path.
"""

from __future__ import annotations

import _thread
import json
import signal
import sys
import threading
from contextlib import suppress
from html import escape
from types import TracebackType
from typing import Any, Final

if __name__ == "__main__":
    # The parent passes the folder of Jinja2, because an isolated Python does not see the user's packages.
    sys.path += sys.argv[1:]

from jinja2 import StrictUndefined, nodes
from jinja2.exceptions import SecurityError, TemplateSyntaxError
from jinja2.runtime import Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

_FOREIGN: Final = {
    nodes.Include: "include",
    nodes.Import: "import",
    nodes.FromImport: "from … import",
    nodes.Extends: "extends",
}
# Printable types. Others print their memory address, which differs each time.
_PRINTED: Final = (str, int, float, list, tuple, dict, type(None))
# Filters with random results, and useless globals.
_LEFT_OUT: Final = {"filters": ("random", "pprint"), "globals": ("lipsum",)}
_MOST_BITS: Final = 30_000
_LONGEST_REASON: Final = 1_000


class _Late(BaseException):
    """The time limit was reached."""


class _Refused(Exception):
    """The template did something forbidden."""


class _Environment(ImmutableSandboxedEnvironment):
    """The Jinja2 sandbox, with bounds on multiplication and powers."""

    intercepted_binops = frozenset({"*", "**"})

    def __init__(self, most: int) -> None:
        super().__init__(
            undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True, finalize=_printed, cache_size=0
        )
        self._most = most
        for kind, names in _LEFT_OUT.items():
            for name in names:
                del getattr(self, kind)[name]
        self.filters |= {"fence": _fence, "xml": lambda text: escape(str(text))}

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Refuse a product or power larger than the output limit."""
        if isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length() * abs(right) if operator == "**" else left.bit_length() + right.bit_length()
            is_large = bits > _MOST_BITS
        else:
            long, times = (left, right) if isinstance(right, int) else (right, left)
            is_large = hasattr(long, "__len__") and isinstance(times, int) and len(long) * times > self._most
        if is_large:
            raise _Refused(f"`{operator}` would make more than a template may")
        return super().call_binop(context, operator, left, right)


def _printed(value: Any) -> Any:
    if isinstance(value, Undefined):
        return str(value)
    if not isinstance(value, _PRINTED):
        raise _Refused(f"a {type(value).__name__} cannot be printed; print a text or a number")
    return "" if value is None else value


def _fence(text: object, language: str = "") -> str:
    """The text in a fence longer than any fence inside it."""
    body = str(text)
    longest = max((len(line) - len(line.lstrip("`")) for line in map(str.lstrip, body.splitlines())), default=0)
    marks = "`" * max(3, longest + 1)
    word = language if language.replace("-", "").isalnum() else ""
    return f"{marks}{word}\n{body}{'' if not body or body.endswith(chr(10)) else chr(10)}{marks}"


def _limit(memory: int, seconds: float) -> None:
    """Limit the memory of this process, in bytes. After `seconds`, end rendering while its line is still known."""

    def late(*_: object) -> None:
        raise _Late

    signal.signal(signal.SIGTERM, late)
    timer = threading.Timer(seconds, _thread.interrupt_main, [signal.SIGTERM])
    timer.daemon = True
    timer.start()
    try:
        import resource  # noqa: PLC0415 - only POSIX has it
    except ImportError:
        return
    # A power of integers blocks all threads, so the system limit ends it.
    limits = ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_CPU, int(seconds * 2) + 1))
    for what, most in limits:
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))


def _render(request: dict[str, Any]) -> list[bytes]:
    """The text in pieces of UTF-8. Raises _Refused beyond the limit of the output, and all errors of Jinja2."""
    most = request["output"]
    environment = _Environment(most)
    tree = environment.parse(request["text"])
    foreign = ((node.lineno, word) for kind, word in _FOREIGN.items() for node in tree.find_all(kind))
    for line, word in sorted(foreign):
        raise TemplateSyntaxError(f"`{word}` needs another file, and a template is one file", line)
    template = environment.from_string(tree)
    pieces: list[bytes] = []
    size = 0
    for piece in template.generate(**request["variables"]):
        data = piece.encode()
        size += len(data)
        if size > most:
            raise _Refused(f"the text is longer than {most:,} bytes")
        pieces.append(data)
    return pieces


def _line_of(trace: TracebackType | None) -> int | None:
    """The innermost line of the template in a traceback, None without one."""
    found = None
    while trace is not None:
        names = trace.tb_frame.f_globals
        if "__jinja_template__" in names:
            found = names["__jinja_template__"].get_corresponding_lineno(trace.tb_lineno)
        elif "__jinja_exception__" in names:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def _reason(error: BaseException) -> str:
    if isinstance(error, TemplateSyntaxError):
        return str(error.message)
    if isinstance(error, _Late):
        return "it takes too long"
    if isinstance(error, MemoryError):
        return "it needs too much memory"
    if isinstance(error, RecursionError | SyntaxError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeEncodeError):
        return "it makes half of a character, which is not a text"
    if isinstance(error, SecurityError):
        return f"not allowed in a template: {error}"
    if isinstance(error, OverflowError):
        return f"too large: {error}"
    return str(error) or type(error).__name__


def attempt(request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """Render a request. Returns size in bytes, or error and line, and the text in pieces. Never raises."""
    try:
        pieces = _render(request)
        return {"size": sum(map(len, pieces))}, pieces
    except BaseException as error:  # noqa: BLE001 - no matter what a template does, the answer is one line
        line = error.lineno if isinstance(error, TemplateSyntaxError) else None
        with suppress(Exception):
            line = line or _line_of(error.__traceback__)
        return {"error": _reason(error)[:_LONGEST_REASON], "line": line}, []


def main() -> None:
    # ctrl-c reaches the whole process group, but the parent ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    request = json.load(sys.stdin.buffer)
    _limit(request["memory"], request["seconds"])
    answer, pieces = attempt(request)
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.writelines(pieces)


if __name__ == "__main__":
    main()
