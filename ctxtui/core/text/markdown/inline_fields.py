"""Inline labels in Markdown prose: `#tags`, `**Key**: value` fields, and ISO dates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ctxtui.core.text.markdown.code_spans import replace_code
from ctxtui.core.text.markdown.list_items import ItemLine
from ctxtui.core.text.markdown.scan import heading_name

# A tag begins with a letter: `#12` is an issue, `](#x)` a link, and `/#x` and `C#` are not tags either.
_TAG = re.compile(r"(?<![^\s`,;(\[])(?<!\]\()#([^\W\d_][\w-]*(?::[\w./+@:-]*\w)?)(?![\w#])")
_ONLY_TAGS = re.compile(r"\s*#[^\s,]+(?:[\s,]+#[^\s,]+)*\s*")
DATE = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
_WORD = re.compile(r"\S+")
_TAG_WORD = re.compile(r"[(\[`,;]*#[^\W\d_][\w./+@:-]*[`)\],;]*")
# The colon is inside or outside the bold (`**Key:** value`, `**Key**: value`).
_FIELD = re.compile(
    r"(\*\*|__)(?P<key>[^*\s](?:[^*\n]{0,200}?[^*\s:])?)(?:[ \t]*:[ \t]*\1(?!\*)|\1[ \t]*:(?!:))[ \t]*"
)
_SEPARATED = re.compile(r"(?:[|;·•]|[ \t]{2})[ \t]*$")
_SEPARATORS = "|;·•—–-"
# Separators are searched only this close to a field, so that a long line costs no more than a short one.
_NEAR = 16


def find_tags(text: str) -> tuple[str, ...]:
    """The distinct tags of a text in order, without `#`. A code span counts if it contains only tags."""
    if "#" not in text:
        return ()
    prose = replace_code(text, lambda _, inside: f" {inside} " if _ONLY_TAGS.fullmatch(inside) else "`")
    return tuple(dict.fromkeys(match[1] for match in _TAG.finditer(prose)))


def without_last_tags(text: str) -> str:
    """The text without tags at its end. Tags within a sentence stay."""
    end = len(text)
    for word in reversed(list(_WORD.finditer(text)) if "#" in text else ()):
        if not _TAG_WORD.fullmatch(word[0]):
            break
        end = word.start()
    return text[:end].rstrip() if end < len(text) else text


def before_fields(text: str) -> str:
    """The part of a title before its first field. A title that begins with a field is kept whole."""
    starts = [match.start() for match, _ in _field_matches(text, True)]
    return _without_separator(text[: starts[0]]) if starts and starts[0] else text


def begins_with_field(text: str) -> bool:
    return _FIELD.match(text) is not None


def find_fields(lines: Iterable[ItemLine], has_title: bool = False) -> Mapping[str, str]:
    """The values of the fields in some lines, by key.

    A value continues over the lines of its paragraph. An empty value takes the next list or paragraph. Values of a
    repeated key are joined, one per line. With `has_title`, no field in the first line needs a separator before it.
    """
    found: dict[str, str] = {}
    for key, value in _field_pairs(lines, has_title):
        found[key] = f"{found[key]}\n{value}" if found.get(key) else value
    return found


def _field_pairs(lines: Iterable[ItemLine], has_title: bool) -> Iterator[tuple[str, str]]:
    """The key and value of each field, in order. Keys are without markup and may repeat."""
    key, value, is_list, after_blank = "", "", False, False
    for number, line in enumerate(lines):
        matches = list(_field_matches(line.text, has_title and not number))
        if matches:
            if key:
                yield key, value
            *earlier, (last, end) = matches
            for match, stop in earlier:
                yield heading_name(match["key"]), _without_separator(line.text[match.end() : stop])
            key, value, is_list = heading_name(last["key"]), _without_separator(line.text[last.end() : end]), False
        elif key and _continues(line, value, is_list, after_blank):
            is_list = is_list or (not value and line.kind == "bullet")
            text = f"- {line.text}" if line.kind == "bullet" else line.text.strip()
            value = text if not value else f"{value}\n{text}" if line.kind == "bullet" else f"{value} {text}"
        elif key and line.kind != "blank":
            yield key, value
            key = ""
        after_blank = line.kind == "blank"
    if key:
        yield key, value


def _continues(line: ItemLine, value: str, is_list: bool, after_blank: bool) -> bool:
    if line.kind == "bullet":
        return is_list or not value
    is_tags = "#" in line.text and all(_TAG_WORD.fullmatch(word) for word in line.text.split())
    return line.kind == "text" and not (value and (after_blank or is_tags))


def _field_matches(text: str, is_title: bool) -> Iterator[tuple[re.Match[str], int]]:
    """The fields of a line, each with the end of its value. A field begins the line or follows a separator.

    In a title any white space separates.
    """
    if "**" not in text and "__" not in text:
        return
    found: list[re.Match[str]] = []
    first = len(text) - len(text.lstrip())
    for match in _FIELD.finditer(text):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        if match.start() == first or (is_title and before[-1].isspace()) or (found and _SEPARATED.search(before)):
            found.append(match)
    ends = [following.start() for following in found[1:]] + [len(text)]
    yield from zip(found, ends[: len(found)], strict=True)


def _without_separator(text: str) -> str:
    stripped = text.strip()
    return stripped[:-1].rstrip() if stripped.endswith(tuple(_SEPARATORS)) else stripped
