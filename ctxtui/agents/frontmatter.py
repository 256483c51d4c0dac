"""Frontmatter as coding agents read it, leniently or strictly, and the tests of rows on it."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from ctxtui.agents.globs import split_globs
from ctxtui.core.markdown.light import find_metadata, is_closed

Meta = Mapping[str, str | tuple[str, ...]]
"""Top-level keys and their values: text as written, or a list of strings."""

_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"\s*-(?:[ \t]+(.*))?$")
_BLOCK = re.compile(r"[>|][-+0-9]*$")
_LINES = re.compile(r"\r\n|\r|\n")
_MENDABLE = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]*(\S.*)")
_SHORT = 4_000
_SPECIAL = re.compile(r"[{}\[\]*&#!|>%@`]|: ")


class Block(NamedTuple):
    """Frontmatter: the lines between its fences, and the offset in characters where the body begins."""

    text: str
    body: int


def find_block(text: str) -> Block | None:
    """The frontmatter of a text; None if it has none or does not close it. Never fails."""
    found = find_metadata(text, int(text.startswith("\ufeff")), dots=False)
    if found is None or not is_closed(text, found):
        return None
    lines = _LINES.split(text[found.start : found.end])
    return Block("\n".join(lines[:-1]), found.after)


def read_leniently(block: str) -> Meta:
    """The mapping that YAML sees; if there is none, the keys that the lines show; never fails."""
    by_lines = read_lines(block)
    meta = dict(read_yaml(block) or {})
    # A value that YAML reads as a mapping, such as `{a,b}`, is intended as text.
    meta.update((key, value) for key, value in by_lines.items() if not meta.get(key))
    return meta


def read_lines(block: str) -> Meta:
    """Keys at the left edge with values, lists and folded texts; takes unquoted globs and never fails."""
    meta: dict[str, str | tuple[str, ...]] = {}
    for key, value, below in _entries(block.split("\n")):
        items = [_plain(match[1] or "") for line in below if (match := _ITEM.match(line))]
        if not value and items:
            meta[key] = tuple(item for item in items if item)
            continue
        more = [line.strip() for line in below if line[:1].isspace()]
        if _BLOCK.match(value) or not value:
            meta[key] = " ".join(more)
        else:
            meta[key] = _value(" ".join([value, *filter(None, more)]))
    return meta


def read_yaml(block: str) -> Meta | None:
    """The mapping that YAML sees, every scalar as text; None if it is not YAML or not a mapping."""
    return _read_short(block) if len(block) <= _SHORT else _read(block)


# Opening a project reads its frontmatter, and the audit reads it again.
@lru_cache(maxsize=4096)
def _read_short(block: str) -> Meta | None:
    return _read(block)


def _read(block: str) -> Meta | None:
    # Each import costs milliseconds, and most projects need none.
    from ctxtui.core.data.bounds import DataProblem  # noqa: PLC0415
    from ctxtui.core.data.yaml import load_texts  # noqa: PLC0415

    try:
        data = load_texts(block)
    except DataProblem:
        return None
    if not isinstance(data, dict):
        return None
    return texts_of(data)


def read_mended(block: str, how: str) -> Meta | None:
    """The mapping that YAML sees once an agent has mended the lines in its way; None if it is still not YAML."""
    return read_yaml("\n".join(map(MENDINGS[how], block.split("\n"))))


def holds(test: str, meta: Meta) -> bool:
    """Whether a row's test is true; an empty test always is.

    Tests are `key`, `!key`, `key=value`, `key=[]` (empty list), `key=[*]` (filled list), joined by ` & `.
    """
    return all(_holds(part, meta) for part in test.split(" & ") if part)


def spoken(test: str) -> str:
    """A row's test in words."""
    return " and ".join(_spoken(part) for part in test.split(" & "))


def globs_of(value: str | tuple[str, ...], is_whole: bool = False) -> tuple[str, ...]:
    """The patterns in a value: a list, a text with commas between them unless it `is_whole`, or both."""
    texts = (value,) if isinstance(value, str) else value
    return tuple(filter(None, texts)) if is_whole else tuple(glob for text in texts for glob in split_globs(text))


def _entries(lines: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    key, value, below = "", "", list[str]()
    for line in lines:
        if match := _KEY.match(line):
            if key:
                yield key, value, below
            key, value, below = match[1], (match[2] or "").strip(), []
        elif line.lstrip()[:1] != "#":
            below.append(line)
    if key:
        yield key, value, below


def _value(text: str) -> str | tuple[str, ...]:
    if text.startswith("[") and text.endswith("]"):
        return tuple(item for item in map(_plain, split_globs(text[1:-1])) if item)
    return _plain(text)


def _plain(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] in "\"'" and text.endswith(text[0]):
        return text[1:-1]
    text = text.split(" #", 1)[0].rstrip()
    return text.lower() if text.lower() in ("true", "false") else text


def texts_of(data: Mapping[str, object]) -> Meta:
    """The strings and lists of strings in plain data; everything else becomes an empty string."""
    return {key: _texts(value) for key, value in data.items() if isinstance(key, str)}


def _texts(value: object) -> str | tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_scalar(item) for item in value if isinstance(item, str))
    return _scalar(value) if isinstance(value, str) else ""


def _scalar(text: str) -> str:
    """A string that YAML has already unquoted: any remaining quotes belong to it."""
    text = text.strip()
    return text.lower() if text.lower() in ("true", "false") else text


def _holds(test: str, meta: Meta) -> bool:
    key, equals, wanted = test.partition("=")
    if not equals:
        return not meta.get(key[1:]) if key.startswith("!") else bool(meta.get(key))
    value = meta.get(key)
    if wanted in ("[]", "[*]"):
        return isinstance(value, tuple) and bool(value) == (wanted == "[*]")
    return value is not None and (value == wanted or wanted in globs_of(value))


def _spoken(test: str) -> str:
    key, equals, wanted = test.partition("=")
    if not equals:
        return f"no {key[1:]}" if key.startswith("!") else f"{key} is set"
    return {"[]": f"{key} is an empty list", "[*]": f"{key} is a list"}.get(wanted, f"{key}: {wanted}")


def _quoted(line: str) -> str:
    entry = _MENDABLE.match(line)
    if entry is None or entry[2][0] in "\"'" or not _SPECIAL.search(entry[2]):
        return line
    return f"{entry[1]}: {json.dumps(entry[2].rstrip(), ensure_ascii=False)}"


def _as_block(line: str) -> str:
    entry = _MENDABLE.match(line)
    if entry is None or "-" in entry[1] or entry[2][0] in "\"'" or ":" not in entry[2]:
        return line
    return f"{entry[1]}: |-\n  {entry[2].rstrip()}"


MENDINGS: Mapping[str, Callable[[str], str]] = {"quotes": _quoted, "blocks": _as_block}
"""How agents mend a line of frontmatter that is not YAML, by the word in `mends`."""
