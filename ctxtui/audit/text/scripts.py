"""The names of scripts, targets and tasks that the manifests of a project define."""

from __future__ import annotations

import ast
import configparser
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple

from ctxtui.agents.project.configuration import parse_data
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import folders_above
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.yaml import load_texts
from ctxtui.core.text.globs import compile_glob

_MOST_MANIFESTS: Final = 2_000
_TARGETS: Final = re.compile(r"^([^\s:=#][^:=#]*?)[ \t]*::?(?!=)([^\n]*)", re.MULTILINE)
_INCLUDE: Final = re.compile(r"^[ \t]*[-s]?include[ \t]+([^\n#]+)", re.MULTILINE)
_EVALUATES: Final = re.compile(r"\$[({]eval")
_CONTINUED: Final = re.compile(r"\\\r?\n[ \t]*")
_RECIPE: Final = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[ \t]+[^:\n]*)?:(?!=)|^alias[ \t]+([\w-]+)", re.MULTILINE)
_MODULE: Final = re.compile(r"^(?:mod\??[ \t]|import\??[ \t])", re.MULTILINE)
_BRACES: Final = re.compile(r"[{},\s]+")


class Names(NamedTuple):
    """The names that a manifest defines. If it `is_open`, it may define more that cannot be read from it."""

    names: frozenset[str]
    is_open: bool = False


# A manifest that cannot be read may define everything.
_OPEN: Final = Names(frozenset(), is_open=True)


class Scripts:
    """The scripts of a project, by tool. Manifests are read when a command asks for them."""

    def __init__(self, audited: Audited) -> None:
        self._audited = audited
        self._read: dict[str, Names] = {}
        self._all: dict[str, Names] = {}
        self._there: dict[str, list[str]] = {}

    def manifests(self, tool: str) -> list[str]:
        """The first 2,000 manifests of a tool in the whole project, without vendored ones."""
        if tool not in self._there:
            found = chain.from_iterable(self._audited.by_name.get(name, ()) for name in _MANIFESTS[tool][0])
            here = sorted(path for path in found if not self._audited.is_vendored(path))
            self._there[tool] = here[:_MOST_MANIFESTS]
        return self._there[tool]

    def above(self, tool: str, path: str) -> list[str]:
        """The manifests of a tool beside a file or above it, nearest first."""
        places = (posixpath.join(each, name) for each in (*folders_above(path), "") for name in _MANIFESTS[tool][0])
        return list(filter(set(self.manifests(tool)).__contains__, places))

    def all_of(self, tool: str) -> Names:
        """All names that the manifests of a tool define, because a text may speak of any folder."""
        if tool not in self._all:
            all_names = [self.names_in(tool, each) for each in self.manifests(tool)]
            is_open = len(all_names) >= _MOST_MANIFESTS or any(each.is_open for each in all_names)
            self._all[tool] = Names(frozenset().union(*(each.names for each in all_names)), is_open)
        return self._all[tool]

    def homes(self, tool: str, name: str) -> list[str]:
        """The manifests of a tool that define a name, or may define it because they are open."""
        return [each for each in self.manifests(tool) if _defines(self.names_in(tool, each), name, tool)]

    def names_in(self, tool: str, manifest: str) -> Names:
        """The names that a manifest defines, open if it cannot be read."""
        key = f"{tool}: {manifest}"
        if key not in self._read:
            text = self._audited.text(manifest)
            self._read[key] = _OPEN
            if text is not None:
                with suppress(DataProblem, SyntaxError, ValueError, RecursionError, configparser.Error):
                    self._read[key] = _MANIFESTS[tool][1](text, manifest, self._audited)
        return self._read[key]

    @cached_property
    def programs(self) -> frozenset[str]:
        """The names of programs that a package manager may run: `eslint` of the dependency `@org/eslint`.

        The package's own name and programs count, too.
        """
        names = set[str]()
        for manifest in self.manifests("npm"):
            data = parse_data(manifest, self._audited.text(manifest) or "")
            names.add(posixpath.basename(str(data.get("name", ""))))
            for key in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "bin"):
                names.update(posixpath.basename(each) for each in _keys(data.get(key)))
        return frozenset(names)


def _keys(value: object) -> list[str]:
    return [str(key) for key in value] if isinstance(value, Mapping) else []


def _table(data: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """The table under some keys, one in the other. Empty if a value on the way is no table."""
    for key in keys:
        value = data.get(key)
        data = value if isinstance(value, Mapping) else {}
    return data


def _package(text: str, path: str, _: Audited) -> Names:
    data, key = parse_data(path, text), "tasks" if posixpath.basename(path).startswith("deno.") else "scripts"
    return Names(frozenset(_keys(data.get(key))), is_open=not data)


def _poe(text: str, path: str, _: Audited) -> Names:
    poe = _table(parse_data(path, text), "tool", "poe")
    return Names(frozenset(_keys(poe.get("tasks"))), is_open=not poe.get("tasks") or bool(poe.get("include")))


def _makefile_names(makefile: str, path: str, audited: Audited) -> Names:
    """The names in a makefile and in the files that it includes, each read once.

    Open if an included file is empty or unreadable, if names depend on variables or evaluated text, or if `%` or
    `.DEFAULT` takes any name.
    """
    names, seen, unread = set[str](), {path}, [(path, makefile)]
    while unread:
        place, text = unread.pop()
        text = _CONTINUED.sub(" ", text)
        for targets, after in _TARGETS.findall(text):
            words = targets.split()
            names.update(words)
            if words == [".PHONY"]:
                names.update(after.split())
        if _EVALUATES.search(text) or any("$" in name or name in {"%", ".DEFAULT"} for name in names):
            return _OPEN
        for pattern in chain.from_iterable(each.split() for each in _INCLUDE.findall(text)):
            if "$" in pattern:
                return _OPEN
            for included in _matching_paths(audited, posixpath.join(posixpath.dirname(place), pattern)):
                # Files that include each other would be read again and again.
                if included not in seen:
                    seen.add(included)
                    included_text = audited.text(included)
                    if not included_text:
                        return _OPEN
                    unread.append((included, included_text))
    return Names(frozenset(names))


def _matching_paths(audited: Audited, pattern: str) -> list[str]:
    """The project's paths that match a pattern with stars. A pattern without a star is the path itself."""
    place = posixpath.normpath(pattern)
    return list(filter(compile_glob(place).matches, audited.paths)) if "*" in place else [place]


def _just(text: str, _path: str, _audited: Audited) -> Names:
    names = frozenset(chain.from_iterable(_RECIPE.findall(text))) - {""}
    return Names(names, is_open=_MODULE.search(text) is not None)


def _taskfile_names(text: str, _path: str, _audited: Audited) -> Names:
    data, _ = load_texts(text)
    tasks = data.get("tasks") if isinstance(data, dict) else None
    aliases = _listed((tasks.values() if isinstance(tasks, dict) else ()), "aliases")
    return Names(frozenset((*_keys(tasks), *map(str, aliases))), is_open=not tasks or "includes" in data)


def _pre_commit(text: str, _path: str, _audited: Audited) -> Names:
    data, _ = load_texts(text)
    repositories = data.get("repos") if isinstance(data, dict) else None
    hooks = [each for each in _listed(repositories, "hooks") if isinstance(each, dict)]
    return Names(frozenset(str(each[key]) for each in hooks for key in ("id", "alias") if key in each))


def _listed(tables: object, key: str) -> Iterator[Any]:
    """The items of all lists under `key` in some tables. A list that YAML aliases repeat counts once."""
    found = (each.get(key) for each in (tables if isinstance(tables, Iterable) else ()) if isinstance(each, dict))
    return chain.from_iterable({id(each): each for each in found if isinstance(each, list)}.values())


def _tox(text: str, path: str, _: Audited) -> Names:
    if path.endswith(".toml"):
        data: Any = parse_data(path, text)
        tox = data if posixpath.basename(path) == "tox.toml" else _table(data, "tool", "tox")
        return Names(frozenset(_keys(tox.get("env"))), is_open=True)
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.read_string(text)
    section = dict(parser.items("tox")) if parser.has_section("tox") else {}
    listed = section.get("envlist") or section.get("env_list") or ""
    names = {name.partition(":")[2] for name in parser.sections() if name.startswith("testenv:")}
    # `py{310,311}-{unit,docs}` allows each combination of its parts.
    parts = frozenset(chain.from_iterable(re.split(r"[{},\s-]+", each) for each in (listed, *names))) - {""}
    return Names(frozenset((*names, *_BRACES.split(listed), *parts)) - {""}, is_open=not names and not listed)


def _nox(text: str, _path: str, _audited: Audited) -> Names:
    names, is_open = set[str](), False
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for mark in node.decorator_list:
            call = mark.func if isinstance(mark, ast.Call) else mark
            if (call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "")) != "session":
                continue
            values = [each.value for each in getattr(mark, "keywords", ()) if each.arg == "name"]
            is_open |= any(not isinstance(each, ast.Constant) for each in values)
            names.update(str(each.value) for each in values if isinstance(each, ast.Constant))
            names.add(node.name)
    return Names(frozenset(names), is_open or not names)


_Reader = Callable[[str, str, Audited], Names]
"""Reads the names from a manifest's text. Its path says which file of a tool it is, and where others are."""

_JS: Final = (("package.json",), _package)
_MANIFESTS: Final[dict[str, tuple[tuple[str, ...], _Reader]]] = {
    "npm": _JS,
    "pnpm": _JS,
    "yarn": _JS,
    "bun": _JS,
    "deno": (("deno.json", "deno.jsonc", "package.json"), _package),
    "composer": (("composer.json",), _package),
    "make": (("GNUmakefile", "makefile", "Makefile"), _makefile_names),
    "just": (("justfile", ".justfile", "Justfile"), _just),
    "task": (
        tuple(f"{name}.{end}" for name in ("Taskfile", "taskfile", "Taskfile.dist") for end in ("yml", "yaml")),
        _taskfile_names,
    ),
    "poe": (("pyproject.toml",), _poe),
    "tox": (("tox.ini", "tox.toml"), _tox),
    "nox": (("noxfile.py",), _nox),
    "pre-commit": ((".pre-commit-config.yaml",), _pre_commit),
}


def _defines(known: Names, name: str, tool: str) -> bool:
    """Whether a tool would run a name, because it is known or fits a pattern, or because the manifest is open."""
    if known.is_open or name in known.names:
        return True
    if tool == "make":
        ends = (each.split("%", 1) for each in known.names if "%" in each)
        return any(name.startswith(before) and name.endswith(after) for before, after in ends)
    if tool == "nox":
        return any(name.startswith((f"{each}-", f"{each}(")) for each in known.names)
    return tool == "tox" and all(part in known.names or re.fullmatch(r"py\d*", part) for part in name.split("-"))
