"""Packages in a project to install elsewhere: their folders, and the parts that their manifests name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from ctxtui.agents.project.base import is_at_home
from ctxtui.agents.project.configuration import MAX_NAMES, names_of
from ctxtui.agents.project.paths import Index
from ctxtui.agents.types import Agent, Package

if TYPE_CHECKING:
    from ctxtui.agents.project.files import Files

MAX_PACKAGES = 1_000
MAX_BROUGHT = 10_000
"""The number of files from plugins after which no further plugin is read, because plugins may share a folder."""

MANIFEST = ".claude-plugin/plugin.json"
"""The manifest of an installed plugin."""

_ADDING = ("skills",)
"""The parts to which a manifest adds paths. For other parts, its paths replace the usual folder."""


def package_folders(index: Index, agent: Agent) -> tuple[str, ...]:
    """The folders that contain a manifest of a plugin, by name alone."""
    return tuple(folder for name in agent.manifests[:1] for _, folder in _manifests(index, name))


def find_packages(agent: Agent, index: Index, files: Files) -> tuple[Package, ...]:
    """The plugins inside a project without repeats, marketplace plugins first.

    If two plugins share a name, the name of the second includes its folder.
    """
    found: dict[str, Package] = {}
    folders: set[str] = set()
    if not agent.manifests:
        return ()
    manifest, marketplace = agent.manifests
    alone = (_read_package(index, folder, path, (files.data(path),)) for path, folder in _manifests(index, manifest))
    for package in chain(_marketplace_packages(index, files, manifest, marketplace), alone):
        is_known = package.folder in folders and package.manifest.endswith(manifest)
        if not is_known and len(found) < MAX_PACKAGES:
            folders.add(package.folder)
            other = found.get(package.name)
            name = f"{package.name} in {package.folder}" if other and other.folder != package.folder else package.name
            found.setdefault(name, package if name == package.name else replace(package, name=name))
    return tuple(found.values())


def find_installed(agent: Agent, index: Index, files: Files) -> tuple[Package, ...]:
    """The plugins that the user has installed at home and not switched off, none unless home is read."""
    if index.home is None or not agent.installed_in:
        return ()
    packages = []
    for name, folder in index.installed.get(agent.id, ()):
        manifest = posixpath.join(folder, MANIFEST)
        packages.append(replace(_read_package(index.home, folder, manifest, (files.data(manifest),)), name=name))
    return tuple(packages)


def _manifests(index: Index, name: str) -> Iterator[tuple[str, str]]:
    """The files with a name, and the folders that they describe."""
    for path in (*index.find(name), *index.find(name, below=True)):
        yield path, path.removesuffix(name).rstrip("/")


def _marketplace_packages(index: Index, files: Files, manifest: str, marketplace: str) -> Iterator[Package]:
    """The plugins that marketplaces of the project list. A missing folder gives a plugin without parts."""
    for path, root in _manifests(index, marketplace):
        data = files.data(path)
        entries = data.get("plugins")
        base = _text_at(data.get("metadata"), "pluginRoot")
        for entry in entries[:MAX_PACKAGES] if isinstance(entries, list) else ():
            source = entry.get("source") if isinstance(entry, dict) else None
            if isinstance(source, dict) and source.get("source") == "local":
                source = source.get("path")
            if not isinstance(source, str):
                continue
            bare = base and not source.startswith((".", "/"))
            folder = _path_inside(root, posixpath.join(base, source) if bare else source)
            if folder is None and not source.startswith("../"):
                continue
            if folder is None or not index.holds(folder):
                gone = source if folder is None else folder
                name = _text_at(entry, "name") or posixpath.basename(gone)
                yield Package(name[:MAX_NAMES], gone, path, {}, frozenset(), (gone,))
                continue
            # Some marketplaces keep the manifest of a plugin without a folder.
            own = files.data(posixpath.join(folder, manifest)) or files.data(posixpath.join(folder, "plugin.json"))
            is_whole = entry.get("strict") is False
            only = frozenset(_ADDING) if folder == root and entry.get("skills") else frozenset()
            yield _read_package(index, folder, path, (entry,) if is_whole else (entry, own), only)


def _read_package(
    index: Index, folder: str, manifest: str, tables: Sequence[Mapping[str, Any]], only: frozenset[str] = frozenset()
) -> Package:
    """A plugin from the `tables` that describe it, with the first name in them, else that of its folder."""
    named: dict[str, tuple[str, ...]] = {}
    missing: list[str] = []
    for part in ("skills", "commands", "agents"):
        written = [name for table in tables for name in names_of(table.get(part))]
        paths = [path for name in written if (path := _path_inside(folder, name)) is not None]
        there = [path for path in paths if index.holds(path)]
        missing += [path for path in paths if not index.holds(path)]
        if there:
            named[part] = tuple(dict.fromkeys(there))
    name = next((text for table in tables if (text := _text_at(table, "name"))), posixpath.basename(folder))
    replaced = {part for part in named if part not in _ADDING}
    only = (only & named.keys()) | replaced
    return Package(name[:MAX_NAMES], folder, manifest, named, frozenset(only), tuple(dict.fromkeys(missing)))


def _text_at(table: object, key: str) -> str:
    value = table.get(key) if isinstance(table, Mapping) else None
    return value if isinstance(value, str) else ""


def _path_inside(folder: str, name: str) -> str | None:
    """A name relative to a folder as a path from the root. None outside the project."""
    path = posixpath.normpath(posixpath.join(folder, name))
    at_home = is_at_home(folder) and is_at_home(path)
    if path.startswith("/") or (path.startswith("~") and not at_home) or path.split("/")[0] == ".." or ":" in path:
        return None
    return "" if path == "." else path
