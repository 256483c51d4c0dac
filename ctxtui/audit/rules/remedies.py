"""The steps of remedies. There are none if a person has to decide."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ctxtui.audit.context import Audited
from ctxtui.audit.types import Edit, Fix, Rename
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.decode import decode
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.light import find_metadata, is_closed
from ctxtui.core.text.secrets import redact

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_END = re.compile(r"\r\n|\r|\n")
_KEY = re.compile(r"[A-Za-z_][\w.-]*(?=[ \t]*:)")
# The most characters of a line to change. A line can have thousands of changes, each with the line.
_LONGEST = 10_000
# What would make a text a part of a longer name.
_BEGINS, _ENDS = r"(?<![\w/.:-])", r"(?![\w/:#?-]|\.\w)"
# A line of a list or text below a key, also behind blank lines.
_BELOW = re.compile(r"(?:[ \t]*+[\r\n]++)*+(?:[ \t]+\S|-[ \t])")


def replace_on_line(audited: Audited, path: str, line: int, old: str, new: str) -> tuple[Fix, ...]:
    """Fixes that put `new` in place of each `old` on a line, from 1, which is no part of a longer name.

    Empty for an unreadable file, and for a line that has a credential or more than 10,000 characters.
    """
    document = document_of(audited, path)
    if document is None or line < 1:
        return ()
    start, end = document.lines.span(line, line)
    before = document.text[start:end].rstrip("\r\n")
    # Reports show the line, before and after. It must not repeat a credential.
    if len(before) > _LONGEST or redact(before)[0] != before:
        return ()
    pattern = re.compile(rf"{_BEGINS if old[0].isalnum() else ''}{re.escape(old)}{_ENDS}")
    return tuple(
        Fix(
            path,
            line,
            f"write {new}",
            before,
            f"{before[: found.start()]}{new}{before[found.end() :]}",
            start + found.start(),
            start + found.end(),
            new,
            document.digest,
        )
        for found in pattern.finditer(before)
    )


def move_steps(audited: Audited, path: str, to: str, agent: str = "") -> tuple[Rename, ...]:
    """The step that moves a file, none for a link, if other agents than `agent` read it, or if `to` exists."""
    is_read = any(audited.real(path) in paths for id_, paths in audited.loaded.items() if id_ != agent)
    is_link = audited.real(path) != path
    return () if is_read or is_link or audited.exists(to) else (Rename(path, to),)


def insert_on_top(audited: Audited, path: str, text: str) -> tuple[Edit, ...]:
    """The edit that puts `text` and an empty line at the top of a file. None if unreadable or with frontmatter."""
    document = document_of(audited, path)
    if document is None or find_metadata(document.text, dots=False) is not None:
        return ()
    end = _line_ending(document.text)
    return (Edit(path, 0, 0, f"{text}{end}{end}", document.digest),)


def set_keys_at(audited: Audited, path: str, values: Mapping[str, str | tuple[str, ...]]) -> tuple[Edit, ...]:
    """The edits of `set_keys` for a file, none if it is unreadable or its frontmatter is broken."""
    document = document_of(audited, path)
    return (set_keys(document, values) or ()) if document else ()


def document_of(audited: Audited, path: str) -> Document | None:
    """The document at a path, also that of a configuration. None if it is unreadable."""
    reference = audited.workspace.by_path.get(path)
    if reference:
        return audited.document(reference)
    try:
        content = audited.workspace.reader.root.read(path)
    except ContextError:
        return None
    return Document(path, decode(content.data, path)[0], content.stamp, digest_of(content.data))


def set_keys(document: Document, values: Mapping[str, str | tuple[str, ...]]) -> tuple[Edit, ...] | None:
    """Edits that set frontmatter keys, or None if the frontmatter is not closed.

    Texts are written as given, lists below their key. Missing keys go last. Missing frontmatter is added.
    """
    text = document.text
    found = find_metadata(text, dots=False)
    end = _line_ending(text)
    if found is None:
        block = "".join(_key_lines(key, value, end) for key, value in values.items())
        return (Edit(document.path, 0, 0, f"---{end}{block}---{end}{end}", document.digest),)
    if not is_closed(text, found):
        return None
    ranges = _key_ranges(text, found.start, found.end)
    edits = []
    for key, value in values.items():
        start, stop = ranges.get(key, (found.end, found.end))
        edits.append(Edit(document.path, start, stop, _key_lines(key, value, end), document.digest))
    new = "".join(edit.text for edit in edits if edit.start == found.end)
    kept = [edit for edit in edits if edit.start != found.end]
    return (*kept, Edit(document.path, found.end, found.end, new, document.digest)) if new else tuple(kept)


def _line_ending(text: str) -> str:
    found = _END.search(text)
    return found[0] if found else "\n"


def _key_lines(key: str, value: str | tuple[str, ...], end: str) -> str:
    if isinstance(value, str):
        return f"{key}: {value}{end}"
    return f"{key}:{end}" + "".join(f"  - {json.dumps(each, ensure_ascii=False)}{end}" for each in value)


def _key_ranges(text: str, start: int, end: int) -> dict[str, tuple[int, int]]:
    """The character ranges, end excluded, of top-level keys with their values. The last of equal keys counts."""
    ranges: dict[str, tuple[int, int]] = {}
    key = ""
    while start < end:
        line = _LINE.match(text, start)
        assert line is not None
        if match := _KEY.match(text, start):
            key = match[0]
            ranges[key] = (start, line.end())
        elif key and _BELOW.match(text, start):
            ranges[key] = (ranges[key][0], line.end())
        else:
            key = ""
        start = line.end()
    return ranges
