"""The table of programs: how agents are started, with a payload or against a stand-in, and what is kept out then."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.executable import executable
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import read_file
from ctxtui.core.text.data.schema import Place, choice, many, read

_LEVELS: Final = 4
_MOST: Final = 1024 * 1024
_IN_PATH = re.compile(r"(?:^|/)v?(\d+\.\d+\.\d+[-\w.]*)(?:/|$)")


@dataclass(frozen=True, slots=True)
class PromptInput:
    """A way to give a program a prompt. `programs.yaml` explains the fields of this and the next two classes."""

    by: Literal["argument", "stdin", "file"]
    words: tuple[str, ...]
    talks: bool = False
    most: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start an agent against a stand-in of its model."""

    agent: str
    executable: str
    words: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    keeps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    removes: tuple[str, ...] = ()
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    subagent: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class KnownProgram:
    """A row of the table. The preferred way comes first, `src` names the documentation."""

    name: str
    title: str
    agent: str = ""
    src: tuple[str, ...] = ()
    checked: date | None = None
    ways: tuple[PromptInput, ...] = ()
    launch: Launch | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """An agent's executable on the PATH, and its version, empty if no file beside it names one."""

    launch: Launch
    path: str
    version: str
    stamp: str
    """A digest that another program at this path, or another version, would not have."""


@functools.cache
def known_programs() -> tuple[KnownProgram, ...]:
    """The table of programs in its order, read once."""
    import importlib.resources  # noqa: PLC0415 - few commands start a program

    from ctxtui.agents.checks import reader_of, readers  # noqa: PLC0415
    from ctxtui.core.text.data.yaml import load_own_yaml  # noqa: PLC0415

    ways = many(reader_of(PromptInput, readers(PromptInput, by=choice("argument", "stdin", "file")), "by", "words"))
    launch = reader_of(dict, readers(Launch, "agent", "executable"), "words")
    keys = readers(KnownProgram, ways=ways, launch=launch)
    raw = importlib.resources.files("ctxtui.agents").joinpath("programs.yaml").read_text(encoding="utf-8")
    place = Place.named("programs.yaml")
    rows = (read(place.at(row.get("name", "")), row, keys, "name", "title") for row in load_own_yaml(raw))
    return tuple(_program(**row) for row in rows)


def _program(launch: Mapping[str, Any] | None = None, **row: Any) -> KnownProgram:
    return KnownProgram(**row, launch=Launch(row["agent"], row["name"], **launch) if launch else None)


@functools.cache
def launches() -> Mapping[str, Launch]:
    return {each.agent: each.launch for each in known_programs() if each.launch}


def find_program(launch: Launch, project: Path) -> Program | None:
    """The agent's program on the PATH, outside of the project, or None. Runs nothing."""
    path = executable(launch.executable, project)
    if path is None:
        return None
    real = Path(path).resolve()
    version = next(filter(None, map(_packaged_version, list(real.parents)[:_LEVELS])), "")
    named = _IN_PATH.search(real.as_posix())
    version = version or (named[1] if named else "") or _installed_version(real)
    stamp = digest_of(f"{real}\0{version}\0{Stamp.of(real.stat())}".encode("utf-8", "surrogateescape")).hex()
    return Program(launch, path, version, stamp)


def _installed_version(program: Path) -> str:
    """The version of the Python package that brings a script of this name, "" if none does."""
    from importlib.metadata import distributions  # noqa: PLC0415 - few agents are Python packages

    for folder in program.parent.parent.glob("lib/python*/site-packages"):
        for each in distributions(path=[str(folder)]):
            if each.entry_points.select(group="console_scripts", name=program.name):
                return each.version
    return ""


def _packaged_version(folder: Path) -> str:
    """The version in a folder's `package.json`, "" without one."""
    try:
        data = json.loads(read_file(folder / "package.json", _MOST).data)
    except (ContextError, ValueError, RecursionError):
        return ""
    version = data.get("version") if isinstance(data, dict) else None
    return version if isinstance(version, str) else ""
