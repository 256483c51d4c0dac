"""The table of launches: how each agent is started against a stand-in, and what of it is kept out."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final

from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.executable import executable
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import read_file
from ctxtui.core.text.data.schema import Place, Reader, day, filled, many, read, text, texts

CATEGORIES: Final = (
    "system prompt",
    "built-in tools",
    "MCP tools",
    "agents",
    "memory files",
    "skills",
    "hooks",
    "other",
)
"""The categories of a start, as agents' own displays name them."""

_LEVELS: Final = 4
_MOST: Final = 1024 * 1024
_IN_PATH = re.compile(r"(?:^|/)v?(\d+\.\d+\.\d+[-\w.]*)(?:/|$)")


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start an agent. The fields are explained in `launches.yaml`."""

    agent: str
    executable: str
    version: str
    checked: date
    words: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    keeps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    removes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """An agent's executable on the PATH, and its version, empty if no file beside it names one."""

    launch: Launch
    path: str
    version: str
    stamp: str
    """A digest that another program at this path, or another version, would not have."""


@functools.cache
def launches() -> Mapping[str, Launch]:
    """The launches by the agents' ids."""
    import importlib.resources  # noqa: PLC0415 - only captures need the table

    from ctxtui.core.text.data.yaml import load_own_yaml  # noqa: PLC0415

    raw = importlib.resources.files(__package__).joinpath("launches.yaml").read_text(encoding="utf-8")
    place = Place.named("launches.yaml")
    rows = (Launch(**read(place.at(row.get("agent", "")), row, _ROW, *_REQUIRED)) for row in load_own_yaml(raw))
    return {row.agent: row for row in rows}


def find_program(launch: Launch, project: Path) -> Program | None:
    """The agent's program on the PATH, outside of the project. Runs nothing."""
    path = executable(launch.executable, project)
    if path is None:
        return None
    real = Path(path).resolve()
    version = next(filter(None, map(_packaged_version, list(real.parents)[:_LEVELS])), "")
    named = _IN_PATH.search(real.as_posix())
    version = version or (named[1] if named else "")
    stamp = digest_of(f"{real}\0{version}\0{Stamp.of(real.stat())}".encode("utf-8", "surrogateescape")).hex()
    return Program(launch, path, version, stamp)


def _packaged_version(folder: Path) -> str:
    """The version in a folder's `package.json`."""
    try:
        data = json.loads(read_file(folder / "package.json", _MOST).data)
    except (ContextError, ValueError, RecursionError):
        return ""
    version = data.get("version") if isinstance(data, dict) else None
    return version if isinstance(version, str) else ""


def _of_texts(place: Place, value: Any) -> dict[str, str]:
    return {str(name): text(place.at(str(name)), each) for name, each in _mapping(place, value).items()}


def _of_lists(place: Place, value: Any) -> dict[str, tuple[str, ...]]:
    return {str(name): texts(place.at(str(name)), each) for name, each in _mapping(place, value).items()}


def _mapping(place: Place, value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise place.should_be("a mapping", value)
    return value


_ROW: Final[Mapping[str, Reader]] = {
    "agent": filled,
    "executable": filled,
    "version": filled,
    "checked": day,
    "words": many(filled),
    "env": _of_texts,
    "files": _of_texts,
    "keeps": _of_lists,
    "removes": many(filled),
    "also": many(filled),
    "sections": _of_lists,
    "note": filled,
}
_REQUIRED: Final = ("agent", "executable", "version", "checked", "words")
