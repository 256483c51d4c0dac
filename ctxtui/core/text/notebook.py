"""Jupyter notebooks as text: cells in order, code in fences, outputs apart."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ctxtui.core.base.wording import byte_size

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
CELL: Final = re.compile(r"<!-- cell (\d+)(?:, outputs left out)? -->")
"""The line before each cell."""

_LANGUAGE: Final = re.compile(r"[A-Za-z0-9_+#-]{1,20}")
# The marks of blocks that reach to the end of a text, unless their own end comes before.
_OPENS: Final = re.compile(r"```|~~~|<(?:pre|script|style|textarea|!|\?)", re.IGNORECASE)
_FENCE_SIGNS: Final = (re.compile("`{3,}"), re.compile("~{3,}"))
_ENDS: Final = ("</pre>", "</script>", "</style>", "</textarea>", ">", "-->", "]]>", "?>")
# A paragraph as it comes after a cell.
_FOLLOWING: Final = "following"
_TICKS: Final = re.compile(r"(?:^|(?<=\r)) {0,3}(`{3,}+)", re.MULTILINE)
_DEEPEST: Final = 6


def is_notebook(path: str) -> bool:
    return path.lower().endswith(".ipynb")


def notebook_text(raw: str) -> str:
    """The cells of a notebook as Markdown. A damaged notebook becomes its own text in a fence."""
    data = _read(raw)
    cells = _cells(data)
    if cells is None:
        return fenced(raw, "json")
    language = _language(data)
    return "\n".join(
        _cell_markdown(number, cell, language) for number, cell in enumerate(cells, 1) if _source(cell).strip()
    )


def notebook_cells(raw: str) -> list[dict[str, Any]]:
    """The cells of a notebook as stored, none if it is damaged."""
    return _cells(_read(raw)) or []


def _read(raw: str) -> Any:
    """The data of a notebook without large numbers, None if it is damaged."""
    try:
        return json.loads(raw, parse_int=_number, parse_float=_number, parse_constant=_number)
    except (ValueError, RecursionError):
        return None


def is_damaged(text: str) -> bool:
    """Whether the text of a notebook is the raw file, because its cells could not be read."""
    return text.startswith("`")


def _number(written: str) -> int:
    """The value of a number with one digit, 0 for longer numbers, which notebooks do not need."""
    return int(written) if len(written) == 1 else 0


def _cells(data: Any) -> list[dict[str, Any]] | None:
    """The cells, also from the sheets of the older format. None if any sheet lacks a list of cells."""
    if not isinstance(data, dict):
        return None
    sheets = data.get("worksheets") if "cells" not in data else [data]
    if not isinstance(sheets, list) or not all(isinstance(each, dict) for each in sheets):
        return None
    lists = [each.get("cells") for each in sheets]
    if not lists or not all(isinstance(each, list) for each in lists):
        return None
    return [cell for each in lists for cell in each if isinstance(cell, dict)]


def _language(data: dict[str, Any]) -> str:
    """The language of the code cells, as a fence name. Python by default."""
    for name, key in (("language_info", "name"), ("kernelspec", "language")):
        metadata = data.get("metadata")
        found = metadata.get(name) if isinstance(metadata, dict) else None
        language = found.get(key) if isinstance(found, dict) else None
        if isinstance(language, str) and _LANGUAGE.fullmatch(language):
            return language
    return "python"


def _source(cell: dict[str, Any]) -> str:
    return _joined(cell.get("source", cell.get("input")))


def _cell_markdown(number: int, cell: dict[str, Any], language: str) -> str:
    """A cell after a line with its number: Markdown as it is, code and raw text in a fence."""
    source, kind = _source(cell), cell.get("cell_type")
    left = ", outputs left out" if kind == "code" and cell.get("outputs") else ""
    if kind in ("markdown", "heading"):
        written = cell.get("level")
        level = written if isinstance(written, int) and 1 <= written <= _DEEPEST else 1
        signs = f"{'#' * level} " if kind == "heading" else ""
        body = _closed(signs + (source if source.endswith("\n") else f"{source}\n"))
    else:
        body = fenced(source, language if kind == "code" else "")
    return f"<!-- cell {number}{left} -->\n{body}"


def _closed(body: str) -> str:
    """The Markdown of a cell, with an end for what it leaves open: each cell is a document of its own.

    A cell of more than 4 Mi characters stays as it is.
    """
    if not _OPENS.search(body):
        return body
    from pyromark import Options, html  # noqa: PLC0415 - few cells have these marks

    from ctxtui.core.text.markdown.light import MAX_CHARACTERS, as_the_parser_reads  # noqa: PLC0415 - as above

    if len(body) > MAX_CHARACTERS:
        return body
    # The parser refuses lone surrogates.
    read = as_the_parser_reads(body).encode("utf-8", "replace").decode()
    # A longer fence ends a shorter one, and each end is looked for in the whole cell.
    fences = (max(signs.findall(body), key=len, default="") for signs in _FENCE_SIGNS)
    ends = ("", *(f"{end}\n" for end in (*filter(None, fences), *_ENDS)))
    paragraph = f"<p>{_FOLLOWING}</p>\n"

    def is_end(end: str) -> bool:
        return html(f"{read}{end}\n{_FOLLOWING}\n", options=Options.ENABLE_TABLES).endswith(paragraph)

    return body + next(filter(is_end, ends), "")


def fenced(source: str, language: str) -> str:
    """A text in a fence longer than any fence inside it. The closing fence is on a line of its own."""
    fence = "`" * max(3, 1 + max((len(each) for each in _TICKS.findall(source)), default=0))
    end = "" if source.endswith("\n") else "\n"
    return f"{fence}{language}\n{source}{end}{fence}\n"


def notebook_outputs(raw: str) -> str:
    """The outputs of each cell after a line with the cell's number, empty if there are none."""
    found = ((number, "".join(_cell_outputs(cell))) for number, cell in enumerate(notebook_cells(raw), 1))
    return "\n".join(f"<!-- outputs of cell {number} -->\n{text}" for number, text in found if text)


def _cell_outputs(cell: Mapping[str, Any]) -> Iterator[str]:
    """The outputs of a cell. Adjacent texts share a fence, as prints produce many."""
    outputs = cell.get("outputs")
    texts: list[str] = []
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        text, named = _read_output(output)
        texts.append(text)
        if named:
            yield _fenced_output(texts)
            texts = []
            yield from (f"{each}\n" for each in named)
    yield _fenced_output(texts)


def _fenced_output(texts: list[str]) -> str:
    text = "".join(each if not each or each.endswith("\n") else f"{each}\n" for each in texts)
    if len(text) > _LONGEST:
        return _not_shown("text", len(text.encode("utf-8", "replace"))) + "\n"
    return fenced(text, "") if text.strip() else ""


def _read_output(output: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The text of an output, and lines that name the media in it."""
    kind = output.get("output_type")
    if kind in ("error", "pyerr"):
        trace = output.get("traceback")
        lines = [line for line in trace if isinstance(line, str)] if isinstance(trace, list) else []
        return _shown_text("\n".join(lines) or f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"), []
    if kind == "stream":
        return _shown_text(_joined(output.get("text"))), []
    forms = output.get("data")
    data = forms if isinstance(forms, dict) else {new: output[old] for old, new in _OLDER.items() if old in output}
    text = next((_joined(data[form]) for form in _READABLE if form in data), "")
    named = [_not_shown(form, _size(form, data[form])) for form in sorted(data) if _MEDIA.fullmatch(form)]
    return _shown_text(text), named


def _not_shown(form: str, size: int) -> str:
    return f"({form}, {byte_size(size)}, not shown)"


def _size(form: str, value: object) -> int:
    """The size in bytes of an output that is not shown: of its text if `form` is XML, else of its decoded base64."""
    text = _joined(value)
    return len(text.encode("utf-8", "replace")) if form.endswith("xml") else len("".join(text.split())) * 3 // 4


def _joined(value: object) -> str:
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))


def _shown_text(text: str) -> str:
    """A text without codes for colors. Of a line that was overwritten, the last state stays."""
    lines = _CONTROLS.sub("", text.replace("\r\n", "\n")).split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
