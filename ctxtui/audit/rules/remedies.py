"""Changes that remedies make in files: keys of frontmatter."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ctxtui.audit.types import Edit
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.light import find_metadata, is_closed

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_END = re.compile(r"\r\n|\r|\n")
_KEY = re.compile(r"[A-Za-z_][\w.-]*(?=[ \t]*:)")
_BELOW = re.compile(r"[ \t]+\S|-[ \t]")


def set_keys(document: Document, values: Mapping[str, str | tuple[str, ...]]) -> tuple[Edit, ...] | None:
    """Edits that set frontmatter keys, or None for broken frontmatter.

    Texts are written as given, lists below their key. Missing keys go last. Missing frontmatter is added.
    """
    text = document.text
    found = find_metadata(text, dots=False)
    ending = _END.search(text)
    end = ending[0] if ending else "\n"
    if found is None:
        block = "".join(_written(key, value, end) for key, value in values.items())
        return (Edit(document.path, 0, 0, f"---{end}{block}---{end}{end}", document.digest),)
    if not is_closed(text, found):
        return None
    places = _places(text, found.start, found.end)
    edits = []
    for key, value in values.items():
        start, stop = places.get(key, (found.end, found.end))
        edits.append(Edit(document.path, start, stop, _written(key, value, end), document.digest))
    new = "".join(edit.text for edit in edits if edit.start == found.end)
    kept = [edit for edit in edits if edit.start != found.end]
    return (*kept, Edit(document.path, found.end, found.end, new, document.digest)) if new else tuple(kept)


def _written(key: str, value: str | tuple[str, ...], end: str) -> str:
    if isinstance(value, str):
        return f"{key}: {value}{end}"
    return f"{key}:{end}" + "".join(f"  - {json.dumps(each, ensure_ascii=False)}{end}" for each in value)


def _places(text: str, start: int, end: int) -> dict[str, tuple[int, int]]:
    """The line ranges of top-level keys with their values. The last of repeated keys counts."""
    places: dict[str, tuple[int, int]] = {}
    key = ""
    while start < end:
        line = _LINE.match(text, start)
        assert line is not None
        if match := _KEY.match(text, start):
            key = match[0]
            places[key] = (start, line.end())
        elif key and _BELOW.match(text, start):
            places[key] = (places[key][0], line.end())
        else:
            key = ""
        start = line.end()
    return places
