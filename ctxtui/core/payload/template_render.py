"""Template rendering in a process that is killed beyond its limits.

An engine with fuel in this process would not do: MiniJinja 3.1 bounds steps and the growth of texts, but lists that a
loop doubles forty times abort the whole program.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING, Any, Final

from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.lru import Memo
from ctxtui.core.base.plain import plain_line

if TYPE_CHECKING:
    from ctxtui.core.disk.workers.worker_process import Process

_PROGRAM: Final = Path(__file__).with_name("template_child.py")
_LOOK: Final = 0.02
# Seconds for the start of the process, which can exceed the rendering on a busy machine.
_START: Final = 60.0
# The exit code of Python if a module is missing.
_FAILED: Final = 1
_LONGEST_REASON: Final = 300
_MEGABYTE: Final = 1024 * 1024
# Some systems cannot start a process without these. Other variables may hold keys, so they are not passed.
_NEEDED: Final = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a rendering: seconds, bytes of memory (if the system can limit them), bytes of output."""

    seconds: float = 10.0
    memory: int = 512 * _MEGABYTE
    output: int = 64 * _MEGABYTE


@dataclass(frozen=True, slots=True)
class Template:
    """A template: its name in messages, and its text."""

    name: str
    text: str

    @property
    def digest(self) -> str:
        """A digest of the text, 40 characters."""
        return blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


LIMITS: Final = Limits()
# The meter, the Output tab and the export render the same text.
_rendered: Final[Memo[bytes, str]] = Memo(8 * _MEGABYTE, len)


def render(template: Template, variables: Mapping[str, Any], check: Check = go_on, limits: Limits = LIMITS) -> str:
    """The text of a template with variables that are plain data, cached in memory.

    Calls `check` repeatedly, and an exception from it ends the process. Raises ContextError: invalid_request with
    template and line for errors of the template and beyond the limits, unavailable if the process cannot start.
    """
    order = {
        "text": template.text,
        "variables": variables,
        "seconds": limits.seconds,
        "memory": limits.memory,
        "output": limits.output,
    }
    data = json.dumps(order, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return _rendered.get(digest_of(data), lambda: _text_of_answer(template, _answer(data, check, limits.seconds)))


def _text_of_answer(template: Template, answer: bytes) -> str:
    """The text in the output of the process. Raises ContextError for an error in it, and if it is incomplete."""
    head, _, text = answer.partition(b"\n")
    result = json.loads(head) if head.endswith(b"}") else {}
    if "error" in result:
        raise _template_error(template, result["error"], result["line"])
    if result.get("size") != len(text):
        # The process was killed, so its answer is missing or incomplete.
        raise _template_error(template, "it needs too much time or memory, and was stopped", None)
    return text.decode()


def _template_error(template: Template, reason: str, line: int | None) -> ContextError:
    place = plain_line(template.name) + (f":{line}" if line else "")
    shown = plain_line(reason)
    if len(shown) > _LONGEST_REASON:
        shown = f"{shown[:_LONGEST_REASON]}…"
    return invalid(f"{place}: {shown}", hint="correct the template; see ctxtui help templates")


def _answer(data: bytes, check: Check, seconds: float) -> bytes:
    """The output of the process. Empty if its time is over, and the process was killed."""
    from ctxtui.core.disk.workers import worker_process  # noqa: PLC0415 - most payloads have no template

    latest, given = time.monotonic() + _START + seconds, data
    process = _start_process()
    try:
        while time.monotonic() < latest:
            check()
            try:
                answer, _ = process.communicate(given, timeout=_LOOK)
            except TimeoutExpired:
                given = b""
                continue
            if process.returncode == _FAILED and not answer:
                message = "the process that renders templates does not start here"
                hint = "choose --format; is Jinja2 installed for this Python?"
                raise ContextError("unavailable", message, hint=hint)
            return answer
    finally:
        worker_process.finish(process)
    return b""


def _start_process() -> Process:
    from ctxtui.core.disk.workers import worker_process  # noqa: PLC0415 - as above

    # Find Jinja2 and its dependency without importing them.
    specs = [find_spec(name) for name in ("jinja2", "markupsafe")]
    places = [str(Path(spec.origin).parents[1]) for spec in specs if spec and spec.origin]
    needed = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    try:
        return worker_process.start(["-I", str(_PROGRAM), *places], folder=_PROGRAM.parent, environment=needed)
    except OSError as error:
        message = f"no process to render templates: {error}"
        raise ContextError("unavailable", message, hint="choose --format") from error
