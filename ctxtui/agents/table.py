"""The table of coding agents, as packaged and with what a user adds to it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ctxtui.agents.types import Agent

if TYPE_CHECKING:
    from ctxtui.core.data.schema import Place


def load_table(extra: Mapping[str, Any] | None = None, place: Place | None = None) -> tuple[Agent, ...]:
    """The packaged table, read once; with `extra`, the user's own agents and rows merged into it.

    `extra` is the table `[agents]` of a TOML file, `place` its location; `parse.merge` explains its form.
    Raises ContextError (invalid_request) for an invalid `extra`.
    """
    if not extra:
        return _packaged()
    # Projects without their own agents need no merging.
    from ctxtui.agents.parse import merge  # noqa: PLC0415
    from ctxtui.core.data.schema import Place  # noqa: PLC0415

    return merge(_packaged(), extra, place or Place.named("[agents]"))


@functools.cache
def _packaged() -> tuple[Agent, ...]:
    # Each import costs milliseconds that `import ctxtui.agents` should not.
    import importlib.resources  # noqa: PLC0415

    from ctxtui.agents.parse import parse_agent  # noqa: PLC0415
    from ctxtui.core.data.schema import Place  # noqa: PLC0415
    from ctxtui.core.data.yaml import load_own_yaml  # noqa: PLC0415

    text = importlib.resources.files(__package__).joinpath("agents.yaml").read_text(encoding="utf-8")
    entries = load_own_yaml(text)
    place = Place.named("agents.yaml")
    return tuple(parse_agent(id_ := entry.pop("id"), entry, place.at(id_)) for entry in entries)
