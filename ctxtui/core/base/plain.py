"""Untrusted text made safe to show: no character that controls a terminal gets through."""

from __future__ import annotations

import re

# C0 without newline and tab, DEL and C1, bidirectional embeddings, overrides and isolates, zero-width
# marks that hide or join, line and paragraph separators, tag characters and the byte-order mark.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def plain(text: str) -> str:
    """The text with pictures of control characters, U+FFFD for other unsafe ones, and newlines as line breaks."""
    if not _UNSAFE.search(text):
        return text
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSAFE.sub(lambda match: _PICTURES.get(ord(match[0]), "\ufffd"), lines)


def plain_json(text: str) -> str:
    """A JSON text of the same value, with the characters that `plain` replaces escaped as `\\uXXXX`."""
    return _UNSAFE.sub(_escaped, text)


def short_line(text: str, most: int) -> str:
    """`plain_line` of at most `most` characters. A longer line ends in `…`."""
    line = plain_line(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def plain_line(text: str) -> str:
    """`plain` text on one line: line breaks and tabs become spaces. A line break at the end goes."""
    return plain(" ".join(text.splitlines()) if "\n" in text or "\r" in text else text).replace("\t", " ")
