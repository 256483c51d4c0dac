"""The source of the files that coding agents load."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from ctxtui.agents.find_loads import agent_files
from ctxtui.agents.loads import Load
from ctxtui.agents.table import load_table
from ctxtui.agents.types import MOMENTS, Agent
from ctxtui.core.documents import source
from ctxtui.core.documents.listing import AGENTS
from ctxtui.core.documents.source import FileHead, Project
from ctxtui.core.text.metadata.reference import ALWAYS, LAZY, NO_DETAILS, ON_DEMAND, Reference, encode_id

# The moments of the table as loading strategies of the catalog specification.
_STRATEGIES = {
    "start": ALWAYS,
    "configured": ALWAYS,
    "listed": ON_DEMAND,
    "touch": ON_DEMAND,
    "subagent": LAZY,
    "manual": LAZY,
    "reference": LAZY,
}
_PRIORITIES = {ALWAYS: source.ALWAYS, ON_DEMAND: source.DEMAND, LAZY: source.LAZY}


class AgentFilesSource:
    """Instructions, rules, skills and commands of coding agents, classified as `loads`."""

    name = AGENTS

    def __init__(self, loads: Sequence[Load], table: Sequence[Agent] | None = None) -> None:
        self._table = table
        self._strategies: dict[str, str | None] = {}
        for load in sorted(loads, key=lambda load: -MOMENTS.index(load.moment)):
            self._strategies[load.path] = _STRATEGIES.get(load.moment)

    def scan(self, project: Project) -> Iterable[Reference]:
        """The files that rows of the table claim, root files first, even if git ignores them.

        Problems of their frontmatter become notices of the project.
        """
        claimed = agent_files((file.path for file in project.files), self._table)
        found = [file for file in project.files if file.path in claimed]
        for file in sorted(found, key=lambda file: ("/" in file.path, file.path)):
            strategy = self._strategies.get(file.path)
            head = project.head(file.path)
            yield Reference(
                id=encode_id(file.path),
                path=file.path,
                source=self.name,
                title=_title(head, file.path.rpartition("/")[2]),
                stamp=file.stamp,
                priority=_PRIORITIES.get(strategy or "", source.LAZY),
                strategy=strategy,
                ignored=file.ignored,
                details=project.details(file.path, head) if head else NO_DETAILS,
            )


def ask_title(project: Project, path: str) -> str:
    """The title of an agent file: its declared name, else its first heading, else its base name."""
    return _title(project.head(path), path.rpartition("/")[2])


def hidden_folders(table: Sequence[Agent] | None = None) -> frozenset[str]:
    """Names of hidden folders in the table's patterns for manifests and the files of a project."""
    agents = load_table() if table is None else table
    files = (pattern for agent in agents for row in agent.rows if row.at != "home" for pattern in row.files)
    patterns = (*files, *(manifest for agent in agents for manifest in agent.manifests))
    folders = (part for pattern in patterns for part in PurePosixPath(pattern).parts[:-1])
    return frozenset(part for part in folders if part.startswith(".") and "*" not in part and "{" not in part)


def _title(head: FileHead | None, name: str) -> str:
    if head is None:
        return name
    declared = head.values.get("name")
    return declared if isinstance(declared, str) and declared else head.title or name
