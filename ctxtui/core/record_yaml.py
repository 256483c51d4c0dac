"""YAML for records: values written so that every reader takes them for what they are, or kept as written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Numbers that the frontmatter's reader takes for numbers without being told.
_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,18})?")
_NULL = "tag:yaml.org,2002:null"
_WIDTH = 2**30


class _Dumper(yaml.SafeDumper):
    """Without aliases; texts that some version of YAML takes for something else are quoted."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    # A text of several lines could hold a line that closes the frontmatter.
    style = None if value.isprintable() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _number(dumper: yaml.SafeDumper, value: float) -> yaml.ScalarNode:
    node: Any = yaml.SafeDumper.yaml_representers[type(value)](dumper, value)
    style = None if _NUMBER.fullmatch(node.value) else "'"
    return dumper.represent_scalar(node.tag, node.value, style=style)


def _time(dumper: yaml.SafeDumper, value: datetime) -> yaml.ScalarNode:
    text = re.sub(r"\+00:00$", "Z", value.isoformat())
    return dumper.represent_scalar("tag:yaml.org,2002:timestamp", text)


class _Lines(dict[str, Any]):
    """A mapping that has a line for each key, however short it is."""


def _lines(dumper: yaml.SafeDumper, values: _Lines) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", values, flow_style=False)


_Dumper.add_representer(_Lines, _lines)
_Dumper.add_representer(str, _text)
_Dumper.add_representer(int, _number)
_Dumper.add_representer(float, _number)
_Dumper.add_representer(datetime, _time)
# What YAML 1.1's other readers and YAML 1.2 take for booleans and numbers, and PyYAML does not.
_Dumper.add_implicit_resolver("tag:ctxtui,2026:other", re.compile(r"^[yYnN]$"), list("yYnN"))
_Dumper.add_implicit_resolver(
    "tag:ctxtui,2026:other", re.compile(r"^[-+.]?\d[\d_.]*(?:[eE][-+]?\d+)?$|^0o[0-7]+$"), list("-+.0123456789")
)


def dump(values: Mapping[str, Any]) -> str:
    """A mapping as one line for each key, its lists and mappings in brackets; raises yaml.YAMLError."""
    return yaml.dump(
        _Lines(values), Dumper=_Dumper, default_flow_style=None, sort_keys=False, allow_unicode=True, width=_WIDTH
    )


def as_written(values: Mapping[str, Any], keys: Sequence[str], raw: str) -> Mapping[str, Any]:
    """The values of a mapping, with texts for numbers, dates and words such as `yes` below certain keys.

    An id `007` or a tag `1.10` is what somebody wrote, not the number that it stands for.
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


def _pairs(raw: str) -> list[tuple[Any, yaml.Node]]:
    """The nodes of keys and values in a mapping, in YAML that was read before."""
    try:
        root = yaml.compose(raw, Loader=_Loader)
    except yaml.YAMLError:
        return []
    return root.value if isinstance(root, yaml.MappingNode) else []


def _ended(lines: str) -> str:
    return lines if lines.endswith(("\n", "\r")) else f"{lines}\n"


def _is_text(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return value is None or isinstance(value, str)


def _plain(node: yaml.Node, value: object) -> object:
    """The text of a scalar, the texts of a list; what is nested deeper stays as it was read."""
    if isinstance(node, yaml.ScalarNode):
        return node.value if value is not None else None
    if isinstance(node, yaml.SequenceNode) and isinstance(value, list):
        return [_plain(item, value) for item in node.value if item.value or item.tag != _NULL]
    return value
