"""Answers and refusals: JSON data for callers, without secrets, bounded and encodable."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.text.projection import project
from ctxtui.core.text.secrets import field_in, redact, redact_field

MAX_CHARACTERS: Final = 200_000
"""The maximum number of characters of texts, keys and numbers in the result of one answer."""

_TRUNCATED: Final = "\n[truncated]\n"
_NOTICES: Final = 20
_LINE: Final = 300
_INTEGER: Final = 2**63
# The keys of objects may exceed the bound by this much, so that an answer keeps its shape.
_KEYS: Final = 10_000


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """One answer to a call. `data` is the structured content, `text` the fallback for clients without it."""

    data: dict[str, Any]
    text: str
    is_error: bool = False


def success(result: object, notices: Collection[Notice], room: int = MAX_CHARACTERS) -> ToolAnswer:
    """The answer `{"result": …, "notices": […]}`, with at most `room` characters in the result.

    Redactions and cuts become notices.
    """
    sanitizer = _Sanitizer(room)
    data = sanitizer.sanitized(result)
    told = [*notices, *sanitizer.notices()]
    if len(told) > _NOTICES:
        more = Notice("more-notices", plural(len(told) - _NOTICES, "more notice"))
        told = [*told[:_NOTICES], more]
    document = {"result": data, "notices": [_notice_json(notice) for notice in told]}
    return ToolAnswer(document, json.dumps(document, ensure_ascii=False, separators=(",", ":")))


def refusal(error: ContextError) -> ToolAnswer:
    """The answer for an error. Its category is the first word of the text, and is in the data."""
    told = {
        "category": error.category,
        "message": _line(error.message),
        "retryable": error.retryable,
        "contract": "v1",
    }
    if error.hint:
        told["hint"] = _line(error.hint)
    hint = f" ({told['hint']})" if error.hint else ""
    return ToolAnswer({"error": told}, f"{error.category}: {told['message']}{hint}", is_error=True)


def bounded_text(text: str) -> str:
    """A text without secrets, at most as long as an answer. The last line of a cut text says so."""
    sanitizer = _Sanitizer(MAX_CHARACTERS - len(_TRUNCATED))
    kept: str = sanitizer.sanitized(text)
    return f"{kept}{_TRUNCATED}" if sanitizer.is_cut else kept


def _notice_json(notice: Notice) -> dict[str, Any]:
    data: dict[str, Any] = project(notice)
    return {key: _line(value) if isinstance(value, str) else value for key, value in data.items()}


def _line(text: str) -> str:
    return plain_line(redact(text[: 8 * _LINE])[0])[:_LINE]


class _Sanitizer:
    """Copies the JSON data of one answer without secrets, in at most about `room` characters."""

    def __init__(self, room: int) -> None:
        self._all = self._room = room
        self._secrets = 0
        self.is_cut = False

    def notices(self) -> list[Notice]:
        """Notices about secrets and cuts so far. Empty if there were none."""
        told = []
        if self._secrets:
            secrets = plural(self._secrets, "secret is", "secrets are")
            told.append(Notice("redacted-secrets", f"{secrets} redacted; tokens count the whole text"))
        if self.is_cut:
            told.append(Notice("answer-cut", f"cut at {self._all:,} characters; ask for less at a time"))
        return told

    def sanitized(self, value: Any, key: str = "") -> Any:
        """A value, its strings redacted and bounded. `key` is its field. Numbers unfit for JSON become strings."""
        if isinstance(value, str):
            return self._sanitized_text(value, key)
        if isinstance(value, dict):
            return self._object(value, key)
        if isinstance(value, list):
            return self._sanitized_list(value, key)
        if isinstance(value, float) and not math.isfinite(value):
            return self._sanitized_text(str(value))
        if isinstance(value, int) and abs(value) >= _INTEGER:
            return self._sanitized_text(hex(value)[:_LINE])
        return value

    def _object(self, values: dict[str, Any], outer: str) -> dict[str, Any]:
        """An object in the field `outer`. Beyond the bound, values are empty. Far beyond, keys are left out, too."""
        kept = {}
        for key, value in values.items():
            if self._room < -_KEYS:
                self.is_cut = True
                break
            self._room -= len(key) + 1
            kept[redact(key.encode("utf-8", "replace").decode())[0]] = self.sanitized(value, field_in(key, outer))
        return kept

    def _sanitized_list(self, values: list[Any], key: str) -> list[Any]:
        kept = []
        for value in values:
            if self._room <= 0:
                self.is_cut = True
                break
            self._room -= 1
            kept.append(self.sanitized(value, key))
        return kept

    def _sanitized_text(self, text: str, key: str = "") -> str:
        if text and self._room <= 0:
            self.is_cut = True
            return ""
        clean, found = redact_field(key, text.encode("utf-8", "replace").decode())
        self._secrets += len(found)
        if len(clean) > self._room:
            self.is_cut = True
            clean = clean[: self._room]
        self._room -= len(clean)
        return clean
