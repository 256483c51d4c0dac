"""Predict the texts of a start from the table of agents: whole files and list entries, once per working directory."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import Final, NamedTuple

from ctxtui.agents import AgentContext, Charge, Load
from ctxtui.agents.measure import Scales, SharedBytes, weigh
from ctxtui.agents.project.files import Files
from ctxtui.agents.types import AT_START, LISTED, RowLoad
from ctxtui.audit.context import Audited
from ctxtui.audit.logs import types
from ctxtui.audit.logs.types import Start
from ctxtui.audit.types import Settings
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace

_KINDS = {"agent": types.AGENTS, "skill": types.SKILLS, "command": types.SKILLS}
_NUMBER = re.compile(r"\d{1,9}")


class Predicted(NamedTuple):
    """A text that an agent should send at its start: a file or a named entry of a list."""

    kind: str
    name: str
    text: str
    charge: Charge


def predict(context: AgentContext, text_of: Callable[[str], str | None], version: str = "") -> Iterator[Predicted]:
    """The texts that an agent should send at its start, in loading order. Rules newer than `version` do not count."""
    for charge in context.at(*AT_START):
        text, since = charge.text(text_of(charge.path) or ""), charge.row.since
        if text.strip() and not (since and version and _version_numbers(since) > _version_numbers(version)):
            yield Predicted(types.INSTRUCTIONS, charge.path, text, charge)
    for charge in context.at(*LISTED):
        kind = _KINDS.get(charge.row.kind)
        if kind and charge.entry and charge.entry.text:
            yield Predicted(kind, charge.entry.name, charge.entry.text, charge)


def sent_text(charge: Charge, agent: str, text: str) -> str:
    """The part of `text` that an agent would send if the charged file contained it."""
    load = Load(charge.path, charge.moment, "", agent, agent, charge.row.id, charge.row.kind)
    files = Files(lambda _path: text, {charge.path})
    return weigh(RowLoad(load, charge.row), Scales(files, lambda _text: 0, None), SharedBytes()).text(text)


def _version_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBER.findall(version)[:4])


MAX_FOLDERS: Final = 8
"""Starts in further folders are not compared."""


class Prediction:
    """The expected pieces of an agent's starts in this project, by start folder."""

    def __init__(self, workspace: Workspace, counter: TokenCounter, settings: Settings) -> None:
        self.workspace = workspace
        self.counter = counter
        self._settings = settings
        self._audited: dict[str, Audited] = {}

    def absolute(self, path: str) -> str:
        """The absolute path for a path from the project's folder."""
        return os.path.normpath(os.path.join(str(self.workspace.root), path))  # noqa: PTH118 - text

    def project_path(self, absolute: str) -> str | None:
        """The path below the project for an absolute path, or None outside."""
        place = PurePath(os.path.normpath(absolute))
        if "\0" in absolute or not place.is_relative_to(self.workspace.root):
            return None
        return place.relative_to(self.workspace.root).as_posix()

    @cached_property
    def _folders(self) -> Set[str]:
        return {str(folder) for path in self.workspace.paths for folder in PurePath(path).parents}

    def texts_of(self, start: Start, agent: str) -> list[Predicted] | None:
        """The expected texts of a start. None outside the project, or if 8 other working directories came first."""
        folder = self.project_path(start.folder)
        if folder is None:
            return None
        folder = "" if folder == "." else folder
        # Agents find the same files from the nearest folder above with files of the project.
        while folder and folder not in self._folders:
            folder = folder.rpartition("/")[0]
        if folder not in self._audited:
            if len(self._audited) >= MAX_FOLDERS:
                return None
            self._audited[folder] = Audited(self.workspace, self.counter, replace(self._settings, cwd=folder))
        audited = self._audited[folder]
        context = next((each for each in audited.agents if each.agent.id == agent), None)
        return [] if context is None else list(predict(context, audited.text, start.version))
