"""Bytes to text: the encodings of context files, and the detection of binary files."""

from __future__ import annotations

import codecs
import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise

from ctxtui.core.base.errors import Binary
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.notebook import is_notebook, notebook_text

_LINE_END = re.compile(r"\r\n|\r|\n")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SNIFFED = 8192
_NEVER_TEXT = frozenset(
    "png jpg jpeg gif bmp ico webp avif tif tiff heic psd pdf zip gz tgz bz2 br xz zst 7z rar jar war whl egg"
    " tar iso dmg deb rpm apk exe dll so dylib a o obj class pyc pyo wasm bin dat db sqlite sqlite3 woff"
    " woff2 ttf otf eot mp3 mp4 m4a m4v mov avi mkv webm ogg wav flac docx xlsx pptx odt ods odp parquet"
    " npy npz pkl pickle h5 onnx pt pth safetensors gguf tiktoken keystore p12".split()
)


def binary_ending(path: str) -> str:
    """The ending, in lower case and without its dot, of a format that is never text, empty for other files."""
    ending = path.rpartition(".")[2].lower()
    return ending if ending in _NEVER_TEXT and ending != path.lower() else ""


def decode(data: bytes, path: str) -> tuple[str, Notice | None]:
    """The text of a file without its byte-order mark, line ends kept, and a notice if the bytes were damaged.

    Invalid sequences are replaced (loader specification 5). A notebook becomes the text of its cells. Raises
    Binary if the first 8 KiB have a zero byte and no byte-order mark.
    """
    text, damage = decode_as_written(data, path)
    return (notebook_text(text) if is_notebook(path) else text), damage


def decode_as_written(data: bytes, path: str) -> tuple[str, Notice | None]:
    """`decode` without the conversion of notebooks."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], name, path)
    if data.find(b"\0", 0, _SNIFFED) >= 0:
        raise Binary(path)
    return _decode_as(data, "utf-8", path)


def is_marked(data: bytes) -> bool:
    """Whether bytes begin with a byte-order mark."""
    return data.startswith(tuple(mark for mark, _ in _BOMS))


def decode_as_utf8(data: bytes, path: str) -> str:
    """The text as read by a program that takes data with any byte-order mark for UTF-8 and keeps the mark.

    UTF-16 becomes noise. Without a mark the text is that of `decode`, also its errors and cells of notebooks.
    """
    return data.decode("utf-8", "replace") if is_marked(data) else decode(data, path)[0]


def _decode_as(data: bytes, encoding: str, path: str) -> tuple[str, Notice | None]:
    try:
        return data.decode(encoding), None
    except UnicodeDecodeError as error:
        line = line_ends(data[: error.start].decode(encoding, "replace")) + 1
        return data.decode(encoding, "replace"), damage_at(path, line)


def damage_at(path: str, line: int) -> Notice:
    """The notice for a file whose text is damaged from `line` on, counted from 1."""
    return Notice("invalid-text", "invalid text; unreadable characters are shown and exported as \ufffd", path, line)


def line_starts(text: str) -> array[int]:
    """The offset of every line, split at CR LF, CR and LF only. An empty line follows a line end at the end."""
    if "\r" in text:
        return array("Q", chain((0,), (match.end() for match in _LINE_END.finditer(text))))
    # Each line has one character more than is between the line ends.
    return array("Q", accumulate((len(line) + 1 for line in text.split("\n")[:-1]), initial=0))


def line_ends(text: str) -> int:
    """The number of line ends: CR LF, CR or LF."""
    return text.count("\n") + (text.count("\r") - text.count("\r\n") if "\r" in text else 0)


@dataclass(frozen=True, slots=True)
class Lines:
    """Maps offsets of a text to lines counted from 0, and back."""

    starts: array[int]
    size: int

    @staticmethod
    def of(text: str) -> Lines:
        return Lines(line_starts(text), len(text))

    def start(self, line: int) -> int:
        """The offset of a line. One past the last line is the end of the text."""
        return self.starts[line] if line < len(self.starts) else self.size

    def split(self, text: str) -> list[str]:
        """The lines with their ends, without the empty line after the last end. `text` is the text of these lines."""
        starts = self.starts if self.starts[-1] < len(text) else self.starts[:-1]
        return [text[start:end] for start, end in pairwise([*starts, len(text)])]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """The start and end of lines `first` to `last`, counted from 1, both included."""
        return self.start(first - 1), self.start(last)

    def text(self, text: str, first: int, last: int) -> str:
        """The text of lines `first` to `last`, counted from 1, both included. `text` is the whole text."""
        return text[slice(*self.span(first, last))]

    def at(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1


def diff(path: str, before: bytes | None, after: bytes | None) -> str:
    """The change of a file as a unified diff. None stands for a missing file. Raises Binary."""
    # Few commands show a change.
    from difflib import unified_diff  # noqa: PLC0415

    old = "/dev/null" if before is None else f"a/{path}"
    new = "/dev/null" if after is None else f"b/{path}"
    lines = unified_diff(_lines(before or b"", path), _lines(after or b"", path), old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes, path: str) -> list[str]:
    return [line for line in re.split(r"(?<=\n)", decode_as_utf8(data, path)) if line]
