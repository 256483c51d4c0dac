"""A plan as JSON data with keys in lower camel case: the `result` of `ctxtui audit --slim --json`."""

from __future__ import annotations

from typing import Any, Final

from ctxtui.audit.slim.change import Plan, Saved
from ctxtui.core.projection import Shapes, project

_SHAPES: Final[Shapes] = {
    "Plan": "changes by_hand",
    "Change": "id kind path title tokens lost saved diff",
    "Saved": "agent name before after tokens",
    "Notice": "path message",
}


def plan_json(plan: Plan) -> dict[str, Any]:
    """The changes, those that save most first, and what must be done by hand."""
    data: dict[str, Any] = project(plan, _SHAPES)
    return data


def saved_json(saved: tuple[Saved, ...]) -> Any:
    """The starts before and after by agent."""
    return project(saved, _SHAPES)
