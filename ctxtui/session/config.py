"""Configuration: defaults from the project's and the user's files, overridden by the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from platformdirs import user_config_path

from ctxtui.core.data.bounds import DataProblem
from ctxtui.core.data.toml import load_toml
from ctxtui.core.errors import ContextError, Gone
from ctxtui.core.files.root import Content, Root, read_file
from ctxtui.core.notices import Notice, OnNotice, log_notice
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.types import Over
from ctxtui.core.secrets import Secrets

PROJECT_FILE = "ctxtui.toml"
SHARED_FILE = "pyproject.toml"
_MAX_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one project for one user; None if not set.

    `budget` and `reserve` are tokens as typed (`12k`), `keys` maps the ids of key bindings to keys.
    `limits`, `load`, `agents` and `mcp` are tables that their readers check. `editor` and `mcp` come from the user's
    own file only, so that a project can never name a command or an address.
    """

    budget: str | None = None
    model: str | None = None
    tokenizer: str | None = None
    reserve: str | None = None
    format: str | None = None
    over: str | None = None
    secrets: str | None = None
    theme: str | None = None
    editor: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    load: Mapping[str, Any] = field(default_factory=dict)
    agents: Mapping[str, Any] = field(default_factory=dict)
    mcp: Mapping[str, Any] = field(default_factory=dict)


_TEXTS = ("budget", "model", "tokenizer", "reserve", "format", "over", "secrets", "theme", "editor")
_LISTS = ("include", "exclude")
_CHOICES = {"format": tuple(FORMATS), "over": get_args(Over), "secrets": get_args(Secrets)}
_TABLES = ("keys", "limits", "load", "agents", "mcp")
_USER_ONLY = ("editor", "mcp")


def user_file() -> Path:
    """The user's own configuration file."""
    return user_config_path("ctxtui") / "config.toml"


def load_config(root: Path, environment: Mapping[str, str] | None = None, on_notice: OnNotice = log_notice) -> Config:
    """The settings for a project: environment over the project's file over the user's.

    Raises ContextError naming file, key and remedy for a setting that cannot be read or used. A `pyproject.toml` that
    cannot be read is a notice; a broken one is ignored unless it has our table.
    """
    project = Root(root)
    values = _read(lambda: read_file(user_file(), _MAX_BYTES), str(user_file()), is_user=True)
    for above in (_shared(project, root / SHARED_FILE, on_notice), _own(project, root / PROJECT_FILE)):
        # In a table, the project's entries override the user's one by one.
        values |= {key: {**values.get(key, {}), **value} if key in _TABLES else value for key, value in above.items()}
    environment = os.environ if environment is None else environment
    for key in _TEXTS:
        value = environment.get(f"CTXTUI_{key.upper()}")
        if value:
            values[key] = _checked(key, value, f"CTXTUI_{key.upper()}")
    return Config(**values)


def _own(project: Root, file: Path) -> dict[str, Any]:
    return _read(lambda: project.read(PROJECT_FILE, _MAX_BYTES), str(file), is_user=False)


def _shared(project: Root, file: Path, on_notice: OnNotice) -> dict[str, Any]:
    """Our table in a file that several tools share."""
    try:
        content = project.read(SHARED_FILE, _MAX_BYTES)
    except Gone:
        return {}
    except ContextError as error:
        on_notice(Notice("unreadable-file", f"{error.message}; no setting is taken from it", SHARED_FILE))
        return {}
    try:
        data: Any = _parsed(content.data, str(file))
    except ContextError:
        if b"[tool.ctxtui" in content.data:
            raise
        return {}
    for step in ("tool", "ctxtui"):
        data = data.get(step, {}) if isinstance(data, dict) else {}
    if not isinstance(data, dict):
        raise _refused(str(file), "`[tool.ctxtui]` should be a table", "write it once, in single brackets")
    return _entries(data, str(file), is_user=False)


def _read(read: Callable[[], Content], place: str, is_user: bool) -> dict[str, Any]:
    try:
        data = read().data
    except Gone:
        return {}
    return _entries(_parsed(data, place), place, is_user)


def _parsed(data: bytes, place: str) -> dict[str, Any]:
    try:
        return load_toml(data.decode())
    except DataProblem as problem:
        message = f"{place}:{problem.line + 1}: {problem}"
        raise ContextError("invalid_request", message, hint="correct the TOML") from problem
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ContextError("invalid_request", f"{place}:{line}: not valid UTF-8", hint="save it as UTF-8") from error


def _entries(data: dict[str, Any], place: str, is_user: bool) -> dict[str, Any]:
    return {key: _entry(key, value, place, is_user) for key, value in data.items()}


def _entry(key: str, value: Any, place: str, is_user: bool) -> Any:
    if key in _USER_ONLY and not is_user:
        raise _refused(place, f"`{key}` runs a program; a project cannot set it", f"set it in {user_file()}")
    if key in _TEXTS:
        return _checked(key, value, place)
    if key in _LISTS:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise _refused(place, f"`{key}` should be a list of globs", f'{key} = ["docs/**"]')
        return tuple(value)
    if key == "keys":
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            raise _refused(place, "`[keys]` maps the id of a binding to a key", 'pick = "space,5"')
        return value
    if key in _TABLES:
        if not isinstance(value, dict):
            raise _refused(place, f"`[{key}]` should be a table", f"write [{key}] on a line of its own")
        return value
    close = get_close_matches(key, [*_TEXTS, *_LISTS, *_TABLES], n=1)
    raise _refused(
        place, f"unknown key `{key}`", f"did you mean `{close[0]}`?" if close else "see ctxtui help configuration"
    )


def _checked(key: str, value: Any, place: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _refused(place, f"`{key}` should be a text or a number")
    allowed = _CHOICES.get(key)
    if allowed and value not in allowed:
        raise _refused(place, f"`{key} = {value}` is unknown", f"one of {', '.join(allowed)}")
    return str(value)


def _refused(place: str, message: str, hint: str | None = None) -> ContextError:
    return ContextError("invalid_request", f"{place}: {message}", hint=hint)
