"""Skills installed from elsewhere, found by their lock file. This project does not edit them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping

from ctxtui.agents.configuration import parse_data

LOCKS = frozenset({"skills-lock.json", "skill-lock.json", ".skills-lock.json", ".skill-lock.json"})
"""Lock files have a table `skills`: the skills installed below their folder, by name."""


def locked_skills(paths: Iterable[str], read: Callable[[str], str | None]) -> frozenset[tuple[str, str]]:
    """The skills in lock files: the folder of the lock file, and the name of the skill's folder."""
    return frozenset(
        (posixpath.dirname(path), name)
        for path in paths
        if posixpath.basename(path) in LOCKS
        for name in _names(parse_data(path, read(path) or ""))
    )


def is_locked(skill: str, locked: frozenset[tuple[str, str]]) -> bool:
    """Whether a skill folder was installed from elsewhere."""
    if not locked:
        return False
    above, name = posixpath.split(skill)
    return ("", name) in locked or any((folder, name) in locked for folder in _above(above))


def _above(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = posixpath.dirname(folder)


def _names(data: Mapping[str, object]) -> Iterator[str]:
    skills = data.get("skills")
    for name, entry in skills.items() if isinstance(skills, Mapping) else ():
        # A skill from a local folder is probably the project's own.
        if not (isinstance(entry, Mapping) and entry.get("sourceType") == "local"):
            yield str(name)
