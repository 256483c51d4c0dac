"""The YAML of records as written: text for values that only look like numbers, and the lines of every key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.yaml import MappingNode, Node, ScalarNode, SequenceNode, compose_yaml

_NULL = "tag:yaml.org,2002:null"


def as_written(values: Mapping[str, Any], keys: Sequence[str], raw: str) -> Mapping[str, Any]:
    """The values of a mapping, with text instead of numbers, dates and words such as `yes` under certain keys.

    An id `007` or a tag `1.10` is the text as written, not a number.
    """
    if all(_is_text(values.get(key)) for key in keys):
        return values
    written = {str(key.value): node for key, node in _pairs(raw) if key.value in keys}
    return {**values, **{key: _plain(node, values.get(key)) for key, node in written.items()}}


def lines_of(raw: str) -> dict[str, str]:
    """The lines of every key that begins a line of a block mapping, up to the next key's line."""
    keys = [(str(key.value), key.start_mark) for key, _ in _pairs(raw)]
    ends = [*(mark.index - mark.column for _, mark in keys[1:]), len(raw)]
    return {
        key: _ended(raw[mark.index : end]) for (key, mark), end in zip(keys, ends, strict=False) if mark.column == 0
    }


def _pairs(raw: str) -> list[tuple[Any, Node]]:
    """The nodes of keys and values in a mapping; none if the text is not YAML."""
    try:
        root = compose_yaml(raw)
    except DataProblem:
        return []
    return root.value if isinstance(root, MappingNode) else []


def _ended(lines: str) -> str:
    return lines if lines.endswith(("\n", "\r")) else f"{lines}\n"


def _is_text(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return value is None or isinstance(value, str)


def _plain(node: Node, value: object) -> object:
    """The text of a scalar, the texts of a list; deeper values stay as read."""
    if isinstance(node, ScalarNode):
        return node.value if value is not None else None
    if isinstance(node, SequenceNode) and isinstance(value, list):
        return [_plain(item, value) for item in node.value if item.value or item.tag != _NULL]
    return value
