"""Notebook outputs as Markdown: terminal text as shown, with pictures and huge texts only named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ctxtui.core.base.wording import byte_size
from ctxtui.core.text.notebook import fenced, notebook_cells

# Longer texts are only named: they are unreadable and can be reproduced.
_LONGEST: Final = 50_000
_CONTROLS: Final = re.compile(
    r"\x1b(?:\[[0-9;:?<=>]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)?|.)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_MEDIA: Final = re.compile(r"(?:image|audio|video)/[\w.+-]{1,60}|application/pdf")
# The preferred forms of a result, best first.
_READABLE: Final = ("text/plain", "text/markdown", "text/latex", "text/html")
# Keys of the older format.
_OLDER: Final = {
    "text": "text/plain",
    "html": "text/html",
    "latex": "text/latex",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
}


def notebook_outputs(raw: str) -> str:
    """The outputs of each cell after a line with the cell's number, empty if there are none."""
    found = ((number, "".join(_shown(cell))) for number, cell in enumerate(notebook_cells(raw), 1))
    return "\n".join(f"<!-- outputs of cell {number} -->\n{text}" for number, text in found if text)


def _shown(cell: Mapping[str, Any]) -> Iterator[str]:
    """The outputs of a cell. Adjacent texts share a fence, as prints produce many."""
    outputs = cell.get("outputs")
    texts: list[str] = []
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        text, named = _read(output)
        texts.append(text)
        if named:
            yield _fenced(texts)
            texts = []
            yield from (f"{each}\n" for each in named)
    yield _fenced(texts)


def _fenced(texts: list[str]) -> str:
    text = "".join(each if not each or each.endswith("\n") else f"{each}\n" for each in texts)
    if len(text) > _LONGEST:
        return _named("text", len(text.encode("utf-8", "replace"))) + "\n"
    return fenced(text, "") if text.strip() else ""


def _read(output: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The text of an output, and lines that name the media in it."""
    kind = output.get("output_type")
    if kind in ("error", "pyerr"):
        trace = output.get("traceback")
        lines = [line for line in trace if isinstance(line, str)] if isinstance(trace, list) else []
        return _plain("\n".join(lines) or f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"), []
    if kind == "stream":
        return _plain(_joined(output.get("text"))), []
    given = output.get("data")
    data = given if isinstance(given, dict) else {new: output[old] for old, new in _OLDER.items() if old in output}
    text = next((_joined(data[form]) for form in _READABLE if form in data), "")
    named = [_named(form, _size(form, data[form])) for form in sorted(data) if _MEDIA.fullmatch(form)]
    return _plain(text), named


def _named(form: str, size: int) -> str:
    return f"({form}, {byte_size(size)}, not shown)"


def _size(form: str, value: object) -> int:
    """The bytes of an output that is not shown: base64, or XML for drawings."""
    text = "".join(_joined(value).split())
    return len(_joined(value).encode("utf-8", "replace")) if form.endswith("xml") else len(text) * 3 // 4


def _joined(value: object) -> str:
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))


def _plain(text: str) -> str:
    """A text without colors, with only the last state of overwritten lines."""
    lines = _CONTROLS.sub("", text.replace("\r\n", "\n")).split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
