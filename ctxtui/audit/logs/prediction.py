"""Predictions for the starts in a project, computed once per start folder."""

from __future__ import annotations

import os
from collections.abc import Set
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import Final

from ctxtui.audit.context import Audited
from ctxtui.audit.logs.compare import Paths
from ctxtui.audit.logs.predict import Predicted, predict
from ctxtui.audit.logs.types import Start
from ctxtui.audit.types import Settings
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace

MAX_FOLDERS: Final = 8
"""Starts in further folders are not compared."""


class Prediction:
    def __init__(self, workspace: Workspace, counter: TokenCounter, settings: Settings) -> None:
        self.workspace = workspace
        self.counter = counter
        self._settings = settings
        self._audited: dict[str, Audited] = {}

    @property
    def paths(self) -> Paths:
        root = str(self.workspace.root)
        return Paths(self.path, lambda path: os.path.normpath(os.path.join(root, path)), self.workspace.real)  # noqa: PTH118 - text

    def path(self, absolute: str) -> str | None:
        """The path below the project for an absolute path, or None outside."""
        place = PurePath(os.path.normpath(absolute))
        if "\0" in absolute or not place.is_relative_to(self.workspace.root):
            return None
        return place.relative_to(self.workspace.root).as_posix()

    def _nearest(self, folder: str) -> str:
        """The deepest folder with files at or above a folder: no agent finds anything further down."""
        while folder and folder not in self._folders:
            folder = folder.rpartition("/")[0]
        return folder

    @cached_property
    def _folders(self) -> Set[str]:
        return {str(folder) for path in self.workspace.paths for folder in PurePath(path).parents}

    def of(self, start: Start, agent: str) -> list[Predicted] | None:
        """The expected pieces of a start, or None outside the project or beyond the folder limit."""
        folder = self.path(start.folder)
        if folder is None:
            return None
        folder = self._nearest("" if folder == "." else folder)
        if folder not in self._audited:
            if len(self._audited) >= MAX_FOLDERS:
                return None
            self._audited[folder] = Audited(self.workspace, self.counter, replace(self._settings, cwd=folder))
        audited = self._audited[folder]
        context = next((each for each in audited.agents if each.agent.id == agent), None)
        return [] if context is None else list(predict(context, audited.text, start.version))
