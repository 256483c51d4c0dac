"""Lines of YAML values: the line in a text of an invalid value."""

from __future__ import annotations

from ctxtui.core.data.bounds import DataProblem
from ctxtui.core.data.yaml import MappingNode, Node, SequenceNode, compose_yaml

Steps = tuple[str | int, ...]
"""The path to a value: keys of mappings and positions in lists, outermost first."""


def line_of(raw: str, steps: Steps) -> int | None:
    """The line, from 1, of the value at the end of `steps`, or of the last step that exists.

    None if the text is not YAML or the first step does not exist.
    """
    try:
        node = compose_yaml(raw)
    except DataProblem:
        return None
    line = None
    for step in steps:
        found = _child(node, step)
        if found is None:
            break
        line, node = found
    return line


def _child(node: Node | None, step: str | int) -> tuple[int, Node] | None:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if str(key.value) == str(step):
                return key.start_mark.line + 1, value
    elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
        item = node.value[step]
        return item.start_mark.line + 1, item
    return None
