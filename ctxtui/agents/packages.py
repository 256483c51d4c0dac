"""Packages that a project holds for installation elsewhere: where each lies, and which parts its manifests name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from ctxtui.agents.configuration import MAX_NAMES, names_of, parse_data
from ctxtui.agents.files import Files
from ctxtui.agents.paths import Index

MANIFEST = ".claude-plugin/plugin.json"
MARKETPLACE = ".claude-plugin/marketplace.json"
MAX_PACKAGES = 1_000

_ADDING = ("skills",)
"""The parts of which a manifest names more; what it names of others takes the place of the usual folder."""


@dataclass(frozen=True, slots=True)
class Package:
    """A plugin: its name, its folder (`""`: the root), the file that describes it, and the paths named there.

    `named` maps parts such as `skills` to paths from the root; `only` are the parts of which nothing else counts.
    `missing` are paths that are named and do not exist.
    """

    name: str
    folder: str
    manifest: str
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    only: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()


def roots(index: Index) -> tuple[str, ...]:
    """The folders in which a plugin's manifest lies, by names alone."""
    return tuple(path.removesuffix(MANIFEST).rstrip("/") for path in _all(index, MANIFEST))


def find_packages(index: Index, files: Files) -> tuple[Package, ...]:
    """The plugins of a project, those of marketplaces first; none comes twice, none lies outside.

    Names are unique: where two plugins share one, the folder of the second is added to it.
    """
    found: dict[str, Package] = {}
    folders: set[str] = set()
    for package in chain(_in_marketplaces(index, files), _alone(index, files)):
        is_known = package.folder in folders and package.manifest.endswith(MANIFEST)
        if not is_known and len(found) < MAX_PACKAGES:
            folders.add(package.folder)
            other = found.get(package.name)
            name = f"{package.name} in {package.folder}" if other and other.folder != package.folder else package.name
            found.setdefault(name, replace(package, name=name))
    return tuple(found.values())


def _all(index: Index, name: str) -> tuple[str, ...]:
    return (*index.find(name), *index.find(name, below=True))


def _alone(index: Index, files: Files) -> Iterator[Package]:
    for path in _all(index, MANIFEST):
        folder = path.removesuffix(MANIFEST).rstrip("/")
        yield _package(index, folder, path, (_data(files, path),))


def _in_marketplaces(index: Index, files: Files) -> Iterator[Package]:
    for path in _all(index, MARKETPLACE):
        root = path.removesuffix(MARKETPLACE).rstrip("/")
        data = _data(files, path)
        entries = data.get("plugins")
        base = _text(data.get("metadata"), "pluginRoot")
        for entry in entries[:MAX_PACKAGES] if isinstance(entries, list) else ():
            source = entry.get("source") if isinstance(entry, dict) else None
            if not isinstance(source, str):
                continue
            bare = base and not source.startswith((".", "/"))
            folder = _inside(root, posixpath.join(base, source) if bare else source)
            if folder is None:
                continue
            manifest = posixpath.join(folder, MANIFEST)
            own = _data(files, manifest) if entry.get("strict") is not False else {}
            only = frozenset(_ADDING) if folder == root and entry.get("skills") else frozenset()
            yield _package(index, folder, path, (entry, own), only)


def _package(
    index: Index, folder: str, manifest: str, tables: Sequence[Mapping[str, Any]], only: frozenset[str] = frozenset()
) -> Package:
    named: dict[str, tuple[str, ...]] = {}
    missing: list[str] = []
    for part in ("skills", "commands", "agents"):
        written = [name for table in tables for name in names_of(table.get(part))]
        paths = [path for name in written if (path := _inside(folder, name)) is not None]
        there = [path for path in paths if index.holds(path)]
        missing += [path for path in paths if not index.holds(path)]
        if there:
            named[part] = tuple(dict.fromkeys(there))
    name = next((text for table in tables if (text := _text(table, "name"))), posixpath.basename(folder))
    replaced = {part for part in named if part not in _ADDING}
    only = (only & named.keys()) | replaced
    return Package(name[:MAX_NAMES], folder, manifest, named, frozenset(only), tuple(dict.fromkeys(missing)))


def _data(files: Files, path: str) -> Mapping[str, Any]:
    return parse_data(path, files.text(path) or "")


def _text(table: object, key: str) -> str:
    value = table.get(key) if isinstance(table, Mapping) else None
    return value if isinstance(value, str) else ""


def _inside(folder: str, name: str) -> str | None:
    """Where a name leads from a folder, None for a place outside the project."""
    path = posixpath.normpath(posixpath.join(folder, name))
    if path.startswith(("/", "~")) or path.split("/")[0] == ".." or ":" in path:
        return None
    return "" if path == "." else path
