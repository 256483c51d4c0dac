"""The skill that lets agents ask ctxtui: its text, its paths per agent, its cost, installation and removal.

The last line holds a digest of the lines before it, which shows that nobody changed a file that ctxtui wrote.
"""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from ctxtui.agents import Agent, Row, audit_agents, load_table
from ctxtui.agents.project.base import HOME, AtHome
from ctxtui.agents.project.paths import Index, is_used
from ctxtui.agents.types import LISTED
from ctxtui.core.base.errors import ContextError, Gone, NotFound, invalid
from ctxtui.core.base.wording import near
from ctxtui.core.disk.root import Root
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.opening.find_user_files import home_places

NAME = "ctxtui"
State = Literal["absent", "same", "older", "changed"]

_MARK = re.compile(r"<!-- ctxtui ([0-9a-f]{16}) -->\n?\Z")
_FOLDER = re.compile(r"(?P<folder>[^*?\[\]{}]+/skills)/\*\*?/SKILL\.md")
_EVERYWHERE = ("**",)


@dataclass(frozen=True, slots=True)
class SkillPath:
    """The path where one agent looks for the skill, below the project or the user's home."""

    agent: Agent
    row: Row
    root: Root
    path: str

    @property
    def shown(self) -> str:
        return str(self.root.path / self.path)


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A skill's file: `absent`, the `same` as ours, an `older` version of ours, or `changed` by somebody."""

    state: State
    data: bytes | None = None

    @property
    def text(self) -> str:
        return (self.data or b"").decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class SkillCost:
    """Exact tokens: `start` of the name and description in the agent's list, `whole` of the text."""

    start: int
    whole: int


def skill_text() -> str:
    """The content of our skill's file, with the digest in its last line."""
    body = importlib.resources.files(__package__).joinpath("own_skill.md").read_text(encoding="utf-8")
    return f"{body}\n<!-- ctxtui {_digest(body)} -->\n"


def readers(at_home: bool) -> Iterator[tuple[Agent, Row, str]]:
    """Each agent that lists skills in the project (or `at_home`), the row for it, and the path of our skill.

    The path is relative to the project or the home folder.
    """
    for agent in load_table():
        for row in agent.rows:
            path = None if agent.installable else _path_of(row, at_home)
            if path:
                yield agent, row, path
                break


def _path_of(row: Row, at_home: bool) -> str | None:
    """Our skill's path by the row's first folder of skills, None if the row has none in the project (or at home)."""
    is_there = row.at == "home" if at_home else row.at in ("root", "up")
    if row.kind != "skill" or not is_there or row.load[-1].moment not in LISTED:
        return None
    folders = filter(None, map(_FOLDER.fullmatch, row.files))
    return next((f"{match['folder']}/{NAME}/SKILL.md" for match in folders), None)


def place_for(name: str | None, project: Path, paths: Iterable[str], at_home: bool) -> SkillPath:
    """The skill's path for the agent with this name, or for the only agent that the project's paths show.

    `at_home` means the user's home folder instead of the project. Raises ContextError: invalid_request without a name
    if the project shows none or several agents, unavailable if the home folder is unknown. Raises NotFound for an
    agent that is not known to read skills there.
    """
    known = {agent.id: (agent, row, path) for agent, row, path in readers(at_home)}
    if name is None:
        index = Index(paths)
        used = [agent.id for agent, _, _ in known.values() if is_used(agent, index)]
        if len(used) != 1:
            shown = f"several agents: {', '.join(used)}" if used else "no agent that reads skills"
            raise invalid(f"the project shows {shown}", hint=f"name one: --agent {'|'.join(used or known)}")
        name = used[0]
    if name not in known:
        hint = near(name, known) or f"one of {', '.join(known)}"
        raise NotFound(f"no agent {name!r} is known to read skills {'at home' if at_home else 'here'}", hint=hint)
    agent, row, path = known[name]
    if not at_home:
        return SkillPath(agent, row, Root(project), path)
    root, inner = home_places([agent]).place(f"{HOME}/{path}")
    if root is None:
        raise ContextError("unavailable", "your home folder is not known", hint="set HOME, or leave out --user")
    return SkillPath(agent, row, root, inner)


def also_read_by(place: SkillPath) -> tuple[str, ...]:
    """The names of the other agents that list a skill at this path."""
    table = [replace(agent, detect=_EVERYWHERE) for agent in load_table() if not agent.installable]
    contexts = audit_agents([place.path], {place.path: skill_text()}.get, len, table=table)
    return tuple(each.agent.name for each in contexts if each.agent.id != place.agent.id and any(each.at(*LISTED)))


def cost_of(place: SkillPath, counter: TokenCounter) -> SkillCost:
    """The tokens of our skill for one agent, as if it were installed. Reads nothing of the project."""
    text = skill_text()
    agent = replace(place.agent, detect=_EVERYWHERE, rows=(place.row,))
    is_home = place.row.at == "home"
    path = next(path for each, _, path in readers(is_home) if each.id == agent.id)
    path = f"{HOME}/{path}" if is_home else path
    home = AtHome(is_read=True, paths=(path,)) if is_home else AtHome()
    paths = ["x"] if is_home else [path]
    (context,) = audit_agents(paths, {path: text}.get, counter.count, table=[agent], home=home)
    return SkillCost(context.start_tokens, counter.count(text))


def look(place: SkillPath) -> SkillFile:
    """The state of the file, `absent` without one. Raises ContextError if it is unreadable or outside the root."""
    place.root.resolve(place.path)
    try:
        data = place.root.read(place.path).data
    except Gone:
        return SkillFile("absent")
    text = data.decode("utf-8", "replace")
    if text == skill_text():
        return SkillFile("same", data)
    return SkillFile("older" if _is_ours(text) else "changed", data)


def install(place: SkillPath, seen: SkillFile) -> None:
    """Write the skill if the file is still as `seen`. Raises ContextError otherwise, and if it cannot be written."""
    data = skill_text().encode()
    if not (
        place.root.create(place.path, data)
        if seen.data is None
        else look(place) == seen and place.root.exchange(place.path, seen.data, data)
    ):
        raise _changed_meanwhile(place)


def remove(place: SkillPath, seen: SkillFile) -> None:
    """Remove the skill, and the folders above it that are empty then. Raises as `install` does."""
    if look(place) != seen or not place.root.remove(place.path, seen.data):
        raise _changed_meanwhile(place)
    folder = place.path
    while folder := folder.rpartition("/")[0]:
        if not place.root.remove_empty_folder(folder):
            return


def _changed_meanwhile(place: SkillPath) -> ContextError:
    return ContextError("unavailable", f"{place.shown} has changed meanwhile", retryable=True, hint="try again")


def _is_ours(text: str) -> bool:
    # Git may have changed the line ends.
    text = text.replace("\r\n", "\n")
    mark = _MARK.search(text)
    return mark is not None and mark[1] == _digest(text[: mark.start()].removesuffix("\n"))


def _digest(body: str) -> str:
    return sha256(body.encode("utf-8", "replace")).hexdigest()[:16]
