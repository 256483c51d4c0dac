"""The lines of keys and values in YAML, JSON or TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ctxtui.core.text.data.bounds import MAX_DEPTH, DataProblem

if TYPE_CHECKING:
    from ctxtui.core.text.data.yaml import Node

_PARSED_TWICE = 256 * 1024
Steps = tuple[str | int, ...]
"""The path to a value: keys of mappings and positions in lists, outermost first."""
LineOf = Callable[[Steps], int | None]
"""Finds the line, from 1, of the value at the end of some steps, or of the last of them that exists, else None."""


def yaml_lines(raw: str) -> LineOf:
    """The lines of values in a YAML text, all None if it is not YAML."""
    from ctxtui.core.text.data.yaml import compose_yaml  # noqa: PLC0415 - only for lines in YAML

    try:
        root = compose_yaml(raw)
    except DataProblem:
        return lambda _steps: None

    def line_at(steps: Steps) -> int | None:
        node, line = root, None
        for step in steps:
            found = _line_and_child(node, step)
            if found is None:
                break
            line, node = found
        return line

    return line_at


def key_lines(path: str, raw: str) -> LineOf:
    """The lines of values in a file. Large or invalid JSON is searched for the keys, and never gives None."""
    if path.endswith(".toml"):
        return toml_lines(raw)
    exact = yaml_lines(raw) if len(raw) <= _PARSED_TWICE else lambda _way: None

    def line_at(way: Steps) -> int | None:
        line = exact(way)
        if line is not None or path.endswith((".yaml", ".yml")):
            return line
        at = 0
        # Positions in lists are written nowhere.
        for key in (step for step in way if isinstance(step, str)):
            found = re.compile(rf"{re.escape(json.dumps(key, ensure_ascii=False))}\s*:").search(raw, at)
            at = found.start() if found else at
        return raw.count("\n", 0, at) + 1

    return line_at


def _line_and_child(node: Node | None, step: str | int) -> tuple[int, Node] | None:
    """The line, from 1, and the node of a value in a mapping or list, None without it."""
    from ctxtui.core.text.data.yaml import MappingNode, SequenceNode  # noqa: PLC0415 - as above

    if isinstance(node, MappingNode):
        for key, value in node.value:
            if str(key.value) == str(step):
                return key.start_mark.line + 1, value
    elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
        item = node.value[step]
        return item.start_mark.line + 1, item
    return None


# A row of an array of arrays ends with a comma.
_HEADER = re.compile(r"""\s*(\[\[?)((?:[^\[\]"']|"[^"]*"|'[^']*')+)\]\]?\s*(?:#|$)""")
_KEYS = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_KEY = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
# A string without an end takes the rest of its line.
_QUOTED = re.compile(r'''"""|\'\'\'|"(?:[^"\\]|\\.)*+"?|'[^']*'?|#.*''')


def toml_lines(raw: str) -> LineOf:
    """The lines of values in a TOML text. Inline lists and tables are on the line of their key."""
    table: Steps = ()
    lengths: dict[Steps, int] = {}
    first: dict[Steps, int] = {}
    quote = ""
    for number, line in enumerate(raw.split("\n"), 1):
        way: Steps = ()
        if not quote and (header := _HEADER.match(line)):
            table = way = _table_steps(_keys_of(header[2]), lengths, adds=header[1] == "[[")
        elif not quote and (keys := _KEYS.match(line)):
            way = (*table, *_keys_of(keys[1]))
        for length in range(1, min(len(way), MAX_DEPTH) + 1):
            first.setdefault(way[:length], number)
        quote = _open_quote(line, quote)
    return lambda steps: next((first[way] for end in range(len(steps), 0, -1) if (way := steps[:end]) in first), None)


def _open_quote(line: str, quote: str) -> str:
    """The quotes of the multi-line string that is open after a line. `quote` is open before it. Empty for none."""
    at = 0
    while at >= 0:
        if quote:
            at = line.find(quote, at)
            at, quote = (at + len(quote), "") if at >= 0 else (at, quote)
        elif found := _QUOTED.search(line, at):
            at, quote = found.end(), found[0] if found[0] in ('"""', "'''") else ""
        else:
            return ""
    return quote


def _keys_of(written: str) -> list[str]:
    return [name.strip("\"'") for name in _KEY.findall(written)]


def _table_steps(names: Sequence[str], lengths: dict[Steps, int], adds: bool) -> Steps:
    """The steps to the table of a header, in an array the last. If the header `adds` a table, `lengths` counts it."""
    way: Steps = ()
    for position, name in enumerate(names, 1):
        way = (*way, name)
        if adds and position == len(names):
            lengths[way] = lengths.get(way, 0) + 1
        if way in lengths:
            way = (*way, lengths[way] - 1)
    return way
