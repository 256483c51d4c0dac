"""The lines around frontmatter: where its YAML begins and ends."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENING = re.compile(r"---[ \t]*(?:\r\n|\r|\n)")
_CLOSING = re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")
_CLOSING_DASHES = re.compile(r"(?<=[\r\n])---[ \t]*(?:\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class Fence:
    """The place of frontmatter: its YAML from `start` to `end`, and the offset after its closing line."""

    start: int
    end: int
    after: int


def find_fence(text: str, start: int = 0, *, dots: bool = True) -> Fence | None:
    """The lines that open and close frontmatter, however long it is; `dots` accepts `...` as well as `---`.

    None if the text does not open with `---` at `start`; without a closing line, `end` is the end of the text.
    """
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    closing = (_CLOSING if dots else _CLOSING_DASHES).search(text, opening.end())
    if closing is None:
        return Fence(opening.end(), len(text), len(text) + 1)
    return Fence(opening.end(), closing.start(), closing.end())


def is_closed(text: str, fence: Fence) -> bool:
    """Whether the closing line of frontmatter exists."""
    return fence.after <= len(text)
