"""Active plugins that the user has installed at home, with the files that rows name."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from ctxtui.agents import Agent
from ctxtui.agents.base import HOME
from ctxtui.agents.configuration import names_at, names_of, parse_data, value_at
from ctxtui.agents.packages import MANIFEST, MAX_PACKAGES
from ctxtui.core.files.root import Root
from ctxtui.workspace.at_home import Places, text_of
from ctxtui.workspace.home_files import Finder


def active_plugins(agent: Agent, finder: Finder, places: Places, project: Root) -> Iterator[tuple[str, str]]:
    """The name and folder of every active plugin, after adding its files."""

    def read(path: str) -> str | None:
        return finder.text(posixpath.join(HOME, path))

    installed = value_at(agent.installed_in, read) if agent.installed_in else None
    if not isinstance(installed, Mapping):
        return
    enabled = (
        *names_at(agent.enabled_in, read, ("",)),
        *names_at(agent.enabled_in, partial(text_of, project), ("",)),
    )
    for key in list(dict.fromkeys(name for name, _ in enabled))[:MAX_PACKAGES]:
        where = _installed(installed.get(key), project)
        if where is None:
            continue
        folder = _folder(where, places)
        if folder is None:
            finder.tell(f"the plugin {key} is installed outside your home folder; it is not read", HOME)
            continue
        _bring(agent, folder, finder)
        yield key.partition("@")[0], folder


def _installed(entries: object, project: Root) -> str | None:
    """The folder of a plugin installed for the user or for this project."""
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, Mapping) and isinstance(path := entry.get("installPath"), str):
            is_users = entry.get("scope", "user") == "user"
            if is_users or entry.get("projectPath") == str(project.path):
                return path
    return None


def _folder(where: str, places: Places) -> str | None:
    try:
        return places.shown(Path(os.path.realpath(where)))
    except ValueError:
        return None


def _bring(agent: Agent, folder: str, finder: Finder) -> None:
    """Add the files of a plugin that rows or its manifest name."""
    finder.add(posixpath.join(folder, MANIFEST))
    data = parse_data(MANIFEST, finder.text(posixpath.join(folder, MANIFEST)) or "")
    for row in agent.rows:
        if row.at != "package":
            continue
        paths = [posixpath.join(folder, pattern) for pattern in row.files]
        for name in names_of(data.get(row.part)):
            place = posixpath.normpath(posixpath.join(folder, name))
            if place.startswith(f"{folder}/"):
                paths += [place, *(posixpath.join(place, each) for each in row.within)]
        finder.take(path.removeprefix(f"{HOME}/") for path in paths)
