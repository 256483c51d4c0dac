"""Frontmatter as coding agents read it, leniently or strictly, and the tests of rows on it."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from ctxtui.agents.project.globs import split_globs
from ctxtui.agents.types import Reading
from ctxtui.core.text.markdown.light import find_metadata, is_closed

Meta = Mapping[str, str | tuple[str, ...]]
"""Top-level keys and their values: text as written, or a list of strings."""

_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"\s*-(?:[ \t]+(.*))?$")
_BLOCK = re.compile(r"[>|][-+0-9]*$")
_LINES = re.compile(r"\r\n|\r|\n")
_QUOTED = re.compile(r"""(?:"(.*?)"|'(.*?)')(?:\s+#.*)?""", re.DOTALL)
_MENDABLE = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]*(\S.*)")
_SPECIAL = re.compile(r"[{}\[\]*&#!|>%@`]|: ")


# Kinds of unquoted scalars for readers that distinguish them from text, with the kind in words.
_KINDS = {
    "nothing": re.compile(r"~|null|Null|NULL|"),
    "yes or no": re.compile(r"true|True|TRUE|false|False|FALSE"),
    "a number": re.compile(
        r"[-+]?(?:0x[0-9a-fA-F_]+|0[bo][0-7_]+|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?"
        r"|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)"
    ),
    "a date": re.compile(
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*"
    ),
}
_MAPPING = "a mapping"
# Forbidden kinds of texts, by the word in `values`. All readers treat null as a missing text.
_REFUSED = {
    "any": frozenset[str](),
    "scalars": frozenset(("a list", _MAPPING)),
    "texts_or_dates": frozenset(("a list", _MAPPING, "yes or no", "a number")),
    "texts": frozenset(("a list", _MAPPING, "yes or no", "a number", "a date")),
}


class Block(NamedTuple):
    """The lines between fences, the offset of the body, and whether a byte order mark precedes the frontmatter."""

    text: str
    body: int
    is_marked: bool = False


class Values(NamedTuple):
    """The values of frontmatter, the `kinds` of those that are no text, and first values of `repeated` keys."""

    meta: Meta
    kinds: Mapping[str, str]
    repeated: Meta


NO_VALUES = Values({}, {}, {})
"""Empty or missing frontmatter."""


def find_block(text: str) -> Block | None:
    """Find the frontmatter of a text. None for missing or unclosed frontmatter."""
    is_marked = text.startswith("\ufeff")
    found = find_metadata(text, int(is_marked), dots=False)
    if found is None or not is_closed(text, found):
        return None
    lines = _LINES.split(text[found.start : found.end])
    return Block("\n".join(lines[:-1]), found.after, is_marked)


def read_leniently(block: str) -> Values:
    """Read the mapping as YAML or, if invalid, the keys by lines. A mapping as value stays text. Never fails."""
    values = read_yaml(block)
    if values is None:
        return Values(read_lines(block), {}, {})
    # A value that YAML reads as a mapping, such as `{a,b}`, is intended as text.
    meant = {key for key, kind in values.kinds.items() if kind == _MAPPING}
    by_lines = read_lines(block) if meant else {}
    return values._replace(meta={**values.meta, **{key: by_lines[key] for key in meant if key in by_lines}})


def read_as(block: str, reading: Reading, needed: Collection[str], values: Values | None) -> Values | None:
    """Values by an agent's rules: "" for a `needed` key of a refused kind. None if it cannot read the YAML."""
    if reading.mends and (values is None or _is_broken(reading, needed, values)):
        values = read_yaml("\n".join(map(MENDINGS[reading.mends], block.split("\n"))))
    if values is None or _is_broken(reading, needed, values):
        return None
    if reading.repeated == "first" and values.repeated:
        values = values._replace(meta={**values.meta, **values.repeated})
    refused = [key for key in needed if values.kinds.get(key) in _REFUSED[reading.values]]
    return values._replace(meta={**values.meta, **dict.fromkeys(refused, "")}) if refused else values


def _is_broken(reading: Reading, needed: Collection[str], values: Values) -> bool:
    if reading.repeated == "broken_if_read":
        return any(key in needed for key in values.repeated)
    return reading.repeated == "broken" and bool(values.repeated)


def read_lines(block: str) -> Meta:
    """Read keys at the left edge, with values, lists and folded texts. Accepts unquoted globs. Never fails."""
    meta: dict[str, str | tuple[str, ...]] = {}
    for key, value, below in _entries(block.split("\n")):
        items = [_unquoted_value(match[1] or "") for line in below if (match := _ITEM.match(line))]
        if not value and items:
            meta[key] = tuple(item for item in items if item)
            continue
        more = [line.strip() for line in below if line[:1].isspace()]
        if _BLOCK.match(value) or not value:
            meta[key] = " ".join(more)
        elif _KINDS["nothing"].fullmatch(value) and not more:
            meta[key] = ""
        else:
            text = " ".join([value, *filter(None, more)])
            is_list = text.startswith("[") and text.endswith("]")
            meta[key] = (
                tuple(filter(None, map(_unquoted_value, split_globs(text[1:-1]))))
                if is_list
                else _unquoted_value(text)
            )
    return meta


def read_yaml(block: str) -> Values | None:
    """Read a YAML mapping, with every scalar as text. None for invalid YAML or another value."""
    # Each import takes milliseconds, and most projects need none.
    from ctxtui.core.text.data.bounds import DataProblem  # noqa: PLC0415
    from ctxtui.core.text.data.yaml import load_texts  # noqa: PLC0415

    try:
        data, first = load_texts(block)
    except DataProblem:
        return None
    if not isinstance(data, dict):
        return None
    kinds = {str(key): kind for key, value in data.items() if (kind := _kind_unless_text(value))}
    return Values(texts_of(data), kinds, texts_of(first))


def holds(test: str, meta: Meta) -> bool:
    """Whether a test is true: `key`, `!key`, `key=value`, `key=[]`, `key=[*]` (filled), joined by ` & `, or empty."""
    return all(_holds(part, meta) for part in test.split(" & ") if part)


def spoken(test: str) -> str:
    return " and ".join(_spoken(part) for part in test.split(" & "))


def globs_of(value: str | tuple[str, ...], is_whole: bool = False) -> tuple[str, ...]:
    """The patterns in a list or a text, split at commas unless the text `is_whole`."""
    texts = (value,) if isinstance(value, str) else value
    return tuple(filter(None, texts)) if is_whole else tuple(glob for text in texts for glob in split_globs(text))


def _entries(lines: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Each key at the left edge with its value and the lines below, without comments."""
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


def _unquoted_value(text: str) -> str:
    text = text.strip()
    if quoted := _QUOTED.fullmatch(text):
        return quoted[1] if quoted[1] is not None else quoted[2]
    text = text.split(" #", 1)[0].rstrip()
    return text.lower() if text.lower() in ("true", "false") else text


def texts_of(data: Mapping[str, object]) -> Meta:
    """The strings and lists of strings in plain data. Other values become empty strings."""
    return {key: _texts(value) for key, value in data.items() if isinstance(key, str)}


def _texts(value: object) -> str | tuple[str, ...]:
    if isinstance(value, list):
        texts = (_scalar(item) for item in value if isinstance(item, str))
        return tuple(filter(None, texts))
    return _scalar(value) if isinstance(value, str) else ""


def _scalar(text: str) -> str:
    """A YAML string without its quotes. Any remaining quotes are part of its text."""
    if _kind_unless_text(text) == "nothing":
        return ""
    text = text.strip()
    return text.lower() if text.lower() in ("true", "false") else text


def _kind_unless_text(value: object) -> str:
    """The kind of a value in words, "" for a text. Only unquoted scalars have other kinds."""
    from ctxtui.core.text.data.yaml import Bare  # noqa: PLC0415 - as in `read_yaml`

    if isinstance(value, str):
        kinds = _KINDS.items() if isinstance(value, Bare) else ()
        return next((kind for kind, pattern in kinds if pattern.fullmatch(value)), "")
    return "a list" if isinstance(value, list) else _MAPPING


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


def _with_quoted_value(line: str) -> str:
    entry = _MENDABLE.match(line)
    if entry is None or entry[2][0] in "\"'" or not _SPECIAL.search(entry[2]):
        return line
    return f"{entry[1]}: {json.dumps(entry[2].rstrip(), ensure_ascii=False)}"


def _as_block(line: str) -> str:
    entry = _MENDABLE.match(line)
    if entry is None or "-" in entry[1] or entry[2][0] in "\"'" or ":" not in entry[2]:
        return line
    return f"{entry[1]}: |-\n  {entry[2].rstrip()}"


MENDINGS: Mapping[str, Callable[[str], str]] = {"quotes": _with_quoted_value, "blocks": _as_block}
"""Repairs of an invalid line of frontmatter, by the word in `mends`."""
