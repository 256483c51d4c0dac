"""The definition of a tool as agents send it."""

from __future__ import annotations

import json

from ctxtui.audit.weigh.types import Definition


def definition_json(tool: Definition) -> str:
    """A definition as one line of compact JSON, with the schema as the server sent it."""
    data = {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
