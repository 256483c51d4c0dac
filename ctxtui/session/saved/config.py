"""Configuration: defaults from the project's and the user's files, overridden by the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ctxtui.core.base.errors import ContextError, Gone, invalid
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.base.wording import parse_tokens
from ctxtui.core.disk.content import Content
from ctxtui.core.disk.own_folders import own_settings
from ctxtui.core.disk.root import Root, read_file
from ctxtui.core.text.data.lines import Steps, toml_lines
from ctxtui.core.text.data.schema import Place, Reader, choice, filled, flag, read, texts
from ctxtui.core.text.data.toml import read_toml
from ctxtui.session.budget import ONE_MODEL
from ctxtui.workspace.scope import Scope

if TYPE_CHECKING:
    from ctxtui.core.text.secrets import Secrets

PROJECT_FILE = "ctxtui.toml"
SHARED_FILE = "pyproject.toml"
_MAX_BYTES = 1024 * 1024


def configured_scope(
    config: Config,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    with_ignored: bool = False,
    home: bool = False,
    wanted: Collection[str] = (),
) -> Scope:
    """The files to list, by the given globs or, where none are given, the configured ones, with configured agents.

    `home` adds the files in the user's home folder. Agents that are `wanted` count as found. Raises ContextError for
    agents that cannot be read, NotFound for wanted agents that are not known.
    """
    agents = None
    if config.agents or wanted:
        from ctxtui.agents.table import load_table, with_wanted  # noqa: PLC0415 - most projects name none

        agents = with_wanted(load_table(config.agents, config.place("agents")), wanted)
    return Scope(with_ignored, tuple(include) or config.include, tuple(exclude) or config.exclude, agents, home=home)


@dataclass(frozen=True, slots=True)
class _File:
    """The settings of one file. `above` is the path of keys to our table."""

    name: str
    raw: str
    above: Steps
    values: Mapping[str, Any]
    is_users: bool = False

    def origin(self, steps: Steps) -> str:
        """The file and, if known, the line of a value, given the keys to it."""
        line = toml_lines(self.raw)((*self.above, *steps))
        return self.name if line is None else f"{self.name}:{line}"


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one project for one user, None if not set.

    `budget` and `reserve` are tokens as typed (`12k`), `keys` maps command ids to keys. `limits`, `rules`, `agents`,
    `keys` and `mcp` are unchecked tables, whose readers report errors with `place`. `editor`, `mcp`, `keys` and
    `user` come from the user's own file only, so that a project cannot name a command or an address, remap keys, or
    count files in the user's home folder. `secrets` is the stricter of the project's setting and the user's.
    """

    budget: str | None = None
    model: str | None = None
    tokenizer: str | None = None
    reserve: str | None = None
    format: str | None = None
    over: str | None = None
    secrets: Secrets | None = None
    theme: str | None = None
    editor: str | None = None
    user: bool | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    rules: Mapping[str, Any] = field(default_factory=dict)
    load: Mapping[str, Any] = field(default_factory=dict)
    agents: Mapping[str, Any] = field(default_factory=dict)
    mcp: Mapping[str, Any] = field(default_factory=dict)
    _files: tuple[_File, ...] = field(default=(), repr=False, compare=False)

    def place(self, key: str) -> Place:
        """The place of a setting, or of a table, for errors, which name the file and line of it or of an entry."""
        # `[mcp]` can contain secrets.
        return Place(partial(self._origin, key), private=key == "mcp")

    def _origin(self, key: str, steps: Steps) -> str:
        for file in reversed(self._files):
            value = file.values.get(key, {})
            if not isinstance(value, Mapping):
                return file.origin((key,))
            if steps and steps[0] in value:
                return f"{file.origin((key, *steps))}: [{key}]"
        return f"[{key}]"


_RUNS = "names a program to run; a project cannot set it"
_USER_ONLY = {"editor": _RUNS, "mcp": _RUNS, "user": "is about your home folder; a project cannot set it"}
_KEYS, _SECRETS = "keys", "secrets"
_COUNTED = frozenset({"model", "tokenizer"})


def _setting(place: Place, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise place.should_be("a string or a number", value)
    return str(value)


def _by(parse: Callable[[str], object]) -> Reader:
    """A reader of a setting that `parse` accepts."""

    def read_setting(place: Place, value: object) -> str:
        text = _setting(place, value)
        place.within(lambda: parse(text))
        return text

    return read_setting


def _tokenizer(name: str) -> None:
    from ctxtui.core.tokens.by_name import get_counter  # noqa: PLC0415 - few files have the key

    get_counter(name)


def _table(place: Place, value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise place.should_be("a table", value, f"write [{place.steps[-1]}] on a line of its own")
    return value


def _load(place: Place, value: object) -> Mapping[str, Any]:
    return read(place, _table(place, value), {"context_dir": filled, "priority_order": texts})


def _word_of(module: str, name: str) -> Reader:
    """A reader that accepts a word of a Literal, or a key of a table, in a module. Few files have such a setting."""

    def read_word(place: Place, value: object) -> str:
        known = getattr(import_module(f"ctxtui.core.{module}"), name)
        word: str = choice(*(get_args(known) or known))(place, value)
        return word

    return read_word


_SETTINGS: Mapping[str, Reader] = {
    **dict.fromkeys(("model", "theme", "editor"), _setting),
    **dict.fromkeys(("budget", "reserve"), _by(parse_tokens)),
    "tokenizer": _by(_tokenizer),
    "format": _word_of("payload.formats", "FORMATS"),
    "over": _word_of("payload.types", "Over"),
    "secrets": _word_of("text.secrets", "Secrets"),
}
_TABLES: Mapping[str, Reader] = {**dict.fromkeys(("keys", "limits", "rules", "agents", "mcp"), _table), "load": _load}
FIELDS: Mapping[str, Reader] = {**_SETTINGS, "user": flag, "include": texts, "exclude": texts, **_TABLES}
"""All settings. The manual says which of them a project may decide."""


def user_file() -> Path:
    return own_settings() / "config.toml"


def load_config(
    root: Path, environment: Mapping[str, str] | None = None, on_notice: OnNotice = log_notice, with_user: bool = True
) -> Config:
    """The settings for a project: environment over the project's file over the user's (if `with_user`).

    Raises ContextError naming file, line, key and remedy for an unreadable or invalid setting. An unreadable
    `pyproject.toml` is a notice. A broken `pyproject.toml` is ignored unless it has our table.
    """
    project = Root(root)
    users = [_file(lambda: read_file(user_file(), _MAX_BYTES), str(user_file()), is_user=True)] if with_user else []
    files = (
        *users,
        _without_keys(_shared(project, root / SHARED_FILE, on_notice), SHARED_FILE, on_notice),
        _without_keys(
            _file(lambda: project.read(PROJECT_FILE, _MAX_BYTES), str(root / PROJECT_FILE)), PROJECT_FILE, on_notice
        ),
    )
    values: dict[str, Any] = {}
    for file in files:
        # Tables are merged key by key.
        tables = {key: {**values.get(key, {}), **value} for key, value in file.values.items() if key in _TABLES}
        values = {**_below(file.values, values), **file.values, **tables}
    environment = os.environ if environment is None else environment
    given = {
        key: reader(Place.named(name), environment[name])
        for key, reader in _SETTINGS.items()
        if environment.get(name := f"CTXTUI_{key.upper()}")
    }
    _require_one(given, Place.named("CTXTUI_TOKENIZER"))
    variables = (_File(f"CTXTUI_{key.upper()}", "", (), {key: value}) for key, value in given.items())
    values = _below(given, values) | given | _secrets_of(files, given)
    return Config(**values, _files=(*files, *variables))


def _below(given: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The less specific `values` that stay. A model and a tokenizer replace each other."""
    gone = frozenset[str]() if _COUNTED.isdisjoint(given) else _COUNTED
    return {key: value for key, value in values.items() if key not in gone}


def _require_one(given: Mapping[str, Any], place: Place) -> None:
    if given.keys() >= _COUNTED:
        raise place.error(ONE_MODEL, "set one of them")


def _secrets_of(files: Sequence[_File], given: Mapping[str, Any]) -> dict[str, Any]:
    """The stricter of the project's and the user's `secrets`. The user's is the environment's, else their file's."""
    said = [file.values for file in files if not (file.is_users and _SECRETS in given)]
    found = [values[_SECRETS] for values in (*said, given) if _SECRETS in values]
    if not found:
        return {}
    from ctxtui.core.text.secrets import strictest  # noqa: PLC0415 - few files have the key

    return {_SECRETS: strictest(*found)}


def _without_keys(file: _File, path: str, on_notice: OnNotice) -> _File:
    """A project's file without its `[keys]`, which could turn a refusal into consent, with a notice about them."""
    if _KEYS not in file.values:
        return file
    message = f"a project cannot set [{_KEYS}], they are left out; set them in {user_file()}"
    on_notice(Notice("not-from-project", message, path, toml_lines(file.raw)((*file.above, _KEYS))))
    return replace(file, values={key: value for key, value in file.values.items() if key != _KEYS})


def _shared(project: Root, path: Path, on_notice: OnNotice) -> _File:
    """The settings under `[tool.ctxtui]` in the file that several tools share, none if it has no such table."""
    name = str(path)
    nothing = _File(name, "", (), {})
    try:
        content = project.read(SHARED_FILE, _MAX_BYTES)
    except Gone:
        return nothing
    except ContextError as error:
        on_notice(Notice("unreadable-file", f"{error.message}; its settings are ignored", SHARED_FILE))
        return nothing
    # Parsing takes longer than all the rest, and only an escape could still spell our name.
    if b"ctxtui" not in content.data and b"\\" not in content.data:
        return nothing
    try:
        raw, data = read_toml(content.data, name)
    except ContextError:
        if b"[tool.ctxtui" in content.data:
            raise
        return nothing
    ours: Any = data
    for step in ("tool", "ctxtui"):
        ours = ours.get(step, {}) if isinstance(ours, dict) else {}
    if not isinstance(ours, dict):
        raise invalid(f"{name}: `[tool.ctxtui]` should be a table", hint="write it once, in single brackets")
    return _checked(_File(name, raw, ("tool", "ctxtui"), ours))


def _file(load: Callable[[], Content], name: str, is_user: bool = False) -> _File:
    try:
        raw, data = read_toml(load().data, name)
    except Gone:
        return _File(name, "", (), {})
    return _checked(_File(name, raw, (), data, is_user))


def _checked(file: _File) -> _File:
    """The file with its settings parsed. Raises ContextError for an invalid setting or one of the user's alone."""
    place = Place(file.origin)
    for key, why in _USER_ONLY.items():
        if key in file.values and not file.is_users:
            raise place.at(key).wrong(why, f"set it in {user_file()}")
    _require_one(file.values, place.at("tokenizer"))
    return replace(file, values=read(place, file.values, FIELDS))
