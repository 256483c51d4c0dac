"""Lines of YAML values: where in a text a value stands that turned out to be wrong."""

from __future__ import annotations

import yaml

Steps = tuple[str | int, ...]
"""The way to a value: keys of mappings and positions in lists, from the outermost on."""


def line_of(raw: str, steps: Steps) -> int | None:
    """The line, from 1, of the value that some steps lead to, or of the last step that exists.

    `raw` has been loaded before, so that it is known to be harmless; None where it cannot be told.
    """
    try:
        node = yaml.compose(raw, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return None
    line = None
    for step in steps:
        found = _child(node, step)
        if found is None:
            break
        line, node = found
    return line


def _child(node: yaml.Node | None, step: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if str(key.value) == str(step):
                return key.start_mark.line + 1, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        item = node.value[step]
        return item.start_mark.line + 1, item
    return None
