"""The table of coding agents, as packaged and with what a user adds to it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from contextlib import suppress
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
    import json  # noqa: PLC0415

    from ctxtui.core.data.typed_rows import Rows  # noqa: PLC0415
    from ctxtui.core.files.kept import kept_file, read_kept, write_kept  # noqa: PLC0415

    # To read the YAML and to check it takes a tenth of a second; what is kept is of these files of the program.
    file, rows = kept_file("agents", b""), Rows({})
    kept = read_kept(file)
    with suppress(ValueError, TypeError, IndexError, RecursionError):
        if kept is not None:
            return rows.read(tuple[Agent, ...], json.loads(kept.data))
    table = _parsed()
    write_kept(file, json.dumps(rows.write(tuple[Agent, ...], table), separators=(",", ":")).encode())
    return table


def _parsed() -> tuple[Agent, ...]:
    import importlib.resources  # noqa: PLC0415 - as above

    from ctxtui.agents.parse import parse_agent  # noqa: PLC0415
    from ctxtui.core.data.schema import Place  # noqa: PLC0415
    from ctxtui.core.data.yaml import load_own_yaml  # noqa: PLC0415

    text = importlib.resources.files(__package__).joinpath("agents.yaml").read_text(encoding="utf-8")
    entries = load_own_yaml(text)
    place = Place.named("agents.yaml")
    return tuple(parse_agent(id_ := entry.pop("id"), entry, place.at(id_)) for entry in entries)
