"""Slices as text for a model: one heading and a few lines per item, within a budget (slices specification 8.2)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.slices.json_data import Item

CUT = "[truncated]\n"
_BACKTICKS = re.compile(r"`{3,}")
_BESIDES = ("produced_by", "created_at", "id")


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a block, the line that closes its fence, and whether it only opens something."""

    text: str
    closing: str = ""
    is_opening: bool = False


def render(items: Sequence[Item], budget: int | None, counter: TokenCounter | None) -> str:
    """Implements `ContextSlice.to_markdown`.

    Blocks begin with `#` and end with a line feed, so that their counts add up.
    """
    if budget is not None and budget < 0:
        raise ContextError("invalid_request", f"a budget of {plural(budget, 'token')}", hint="0 or more")
    blocks = [_block(item) for item in items]
    texts = ["".join(line.text for line in block) + "\n" for block in blocks]
    if texts:
        texts[-1] = texts[-1][:-1]
    if budget is None or _fits(texts, budget, counter or get_counter()):
        return "".join(texts)
    return _within(blocks, texts, budget, counter or get_counter())


def _fits(texts: list[str], budget: int, counter: TokenCounter) -> bool:
    units = 0
    for text in texts:
        units += counter.units(text)
        if counter.upper(units) > budget:
            return False
    return True


def _within(blocks: list[list[_Line]], texts: list[str], budget: int, counter: TokenCounter) -> str:
    room = counter.within(budget) - counter.units(_left_out(len(blocks)))
    if room < 0:
        return ""
    kept: list[str] = []
    for block, text in zip(blocks, texts, strict=True):
        fitting = _cut(block, text, room, counter)
        if not fitting:
            break
        kept.append(fitting)
        room -= counter.units(fitting)
    left = len(blocks) - len(kept)
    return "".join(kept) + _left_out(left) if left else "".join(kept).rstrip("\n") + "\n"


def _left_out(number: int) -> str:
    return f"[{plural(number, 'item')} left out]\n"


def _cut(block: list[_Line], whole: str, room: int, counter: TokenCounter) -> str:
    """The whole block, or its longest prefix of lines with a mark, empty if not even a heading fits."""
    if counter.units(whole) <= room:
        return whole
    low, high = 0, len(block) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if counter.units(_prefix(block, middle)) <= room:
            low = middle
        else:
            high = middle - 1
    while low and block[low - 1].is_opening:
        low -= 1
    return _prefix(block, low) if low else ""


def _prefix(block: list[_Line], lines: int) -> str:
    return "".join(line.text for line in block[:lines]) + block[lines - 1].closing + CUT + "\n"


def _block(item: Item) -> list[_Line]:
    """A heading with the type, and a bullet for each key of the payload (of the item, if it has none)."""
    payload = item.get("payload", {key: value for key, value in item.items() if key not in ("type", *_BESIDES)})
    besides = [plain_line(str(item[key])) for key in _BESIDES if item.get(key)]
    heading = f"## {plain_line(str(item.get('type') or 'item'))}{' - ' if besides else ''}{', '.join(besides)}\n"
    fields = payload if isinstance(payload, dict) else {"payload": payload}
    return [_Line(heading), *(line for key, value in fields.items() for line in _field(str(key), value))]


def _field(key: str, value: Any) -> list[_Line]:
    """Multi-line text goes into a fence, so that its lines cannot look like another item."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    lines = re.split(r"\r\n|\r|\n", text)
    if len(lines) == 1:
        return [_Line(f"- {plain_line(key)}: {text}\n")]
    if not lines[-1]:
        lines.pop()
    fence = max((len(run) for run in _BACKTICKS.findall(text)), default=2) + 1
    closing = "`" * fence + "\n"
    inside = [_Line(line + "\n", closing) for line in lines]
    opening = [_Line(f"- {plain_line(key)}:\n", is_opening=True), _Line(closing, closing, is_opening=True)]
    return [*opening, *inside, _Line(closing)]
