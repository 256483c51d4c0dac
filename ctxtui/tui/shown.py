"""Format values for the screen: numbers, marks, and untrusted text made harmless."""

from __future__ import annotations

import re

from rich.cells import cell_len, chop_cells
from textual.content import Content

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain, plain_line
from ctxtui.core.base.wording import byte_size, noun, plural
from ctxtui.core.payload.types import Payload
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.session.figures import Total
from ctxtui.session.picks import PickState
from ctxtui.session.session import Session
from ctxtui.tui import palette
from ctxtui.tui.palette import source_style as source_style

MARKS: dict[PickState, str] = {"all": "●", "part": "◐", "none": "○"}
MARK_STYLES = {"●": "good", "◐": "warn", "○": "dim"}
SOURCES = {name: source.sign for name, source in palette.SOURCES.items()}
"""The sign of each source, which works without color."""
line = plain_line
# Words and spaces. The folders of a path of more than 24 characters are words.
_WORDS = re.compile(r"(?=\S{24})[^\s/]{1,80}/(?=[^\s/])|\S+|\s+")


def mark(session: Session | None, id_: str) -> str:
    """The mark that shows whether a row is picked. Unreadable rows look unpicked."""
    try:
        return MARKS[session.state(id_)] if session is not None else MARKS["none"]
    except ContextError:
        return MARKS["none"]


def content(text: str) -> Content:
    """Untrusted text as content: never markup, never an escape sequence."""
    return Content(plain(text))


def wrapped(text: str, columns: int, hanging: str = "") -> list[str]:
    """A harmless line in lines of at most `columns` columns, broken at spaces. Later lines begin with `hanging`.

    A long path is broken behind its slashes. A word that is wider than a whole line, such as a sentence of Chinese,
    is broken anywhere.
    """
    lines, indent = [""], ""
    for word in _WORDS.findall(text):
        room = columns - cell_len(lines[-1])
        if cell_len(word) <= room or (word.isspace() and lines[-1] != indent):
            # Spaces that do not fit end the line.
            lines[-1] += word
            continue
        pieces = chop_cells(word, max(1, columns - len(hanging)))
        if len(pieces) > 1 and room > 1:
            first = chop_cells(word, room)[0]
            lines[-1] += first
            pieces = chop_cells(word[len(first) :], max(1, columns - len(hanging)))
        indent = hanging
        lines += [f"{hanging}{piece}" for piece in pieces]
    return [line.rstrip() for line in lines]


def sentence(error: ContextError) -> str:
    return f"{error.message}; {error.hint}" if error.hint else error.message


def number(tokens: int, counter: TokenCounter, is_counted: bool = True) -> str:
    """Tokens as shown: `~` before they are counted, `≈` if the counter is not exact."""
    sign = "" if counter.exact else "≈"
    return f"{sign}{tokens:,}" if is_counted else f"~{short(tokens)}"


def sized(tokens: int, counter: TokenCounter) -> str:
    """Tokens with their noun: `1 token`, `≈1,200 tokens`."""
    return f"{number(tokens, counter)} {noun(tokens, 'token')}"


def is_estimate(payload: Payload, counter: TokenCounter) -> bool:
    """Whether the best known number of a payload's tokens is an estimate."""
    return not counter.exact and (payload.whole is None or payload.whole.label == "estimated")


def of_payload(payload: Payload, counter: TokenCounter) -> str:
    """The best known tokens of a payload, as the meter shows them: `≈1,200` for an estimate."""
    return f"{'≈' if is_estimate(payload, counter) else ''}{payload.best:,}"


def size_of_project(total: Total, counter: TokenCounter) -> str:
    """The tokens and files of a project, without large data that is not counted."""
    size, files = number(total.tokens, counter, total.is_counted), plural(total.files - total.large, "file")
    return f"{size} tokens in {files}"


def uncounted(size: int) -> str:
    """Bytes of large data beside tokens: `+ 523 kB not counted`."""
    return f"+ {byte_size(size)} not counted"


def short(tokens: int) -> str:
    """A rounded estimate: `188k`, `8.1M`."""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:,.1f}M"
    return f"{tokens / 1000:,.0f}k" if tokens >= 10_000 else f"{tokens:,}"


def bar(part: int, whole: int, columns: int) -> str:
    """A bar for a part of a whole, in eighths of a column. Any part above zero shows."""
    eighths = min(columns * 8, max(round(part * columns * 8 / whole), 1)) if part > 0 and whole > 0 else 0
    return ("█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8]).strip().ljust(columns)
