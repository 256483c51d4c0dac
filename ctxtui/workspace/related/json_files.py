"""The configuration files of TypeScript and JavaScript, read within bounds. Broken parts are ignored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.jsonc import load_jsonc
from ctxtui.workspace.workspace import Workspace


class JsonFiles:
    """Objects of the JSON files that a workspace lists, each version read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def read(self, path: str) -> dict[str, Any]:
        """The object in a listed file, empty if there is none."""
        reference = self._workspace.by_path.get(path)
        if reference is None or reference.large or reference.ignored:
            return {}
        key = ("json", reference.path, reference.stamp)
        found: dict[str, Any] = self._workspace.reader.derived.get(key, lambda: self._read(path))
        return found

    def _read(self, path: str) -> dict[str, Any]:
        try:
            return as_object(load_jsonc((self._workspace.text(path) or "").removeprefix("\ufeff")))
        except DataProblem:
            return {}


def as_object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def as_texts(value: Any) -> Iterator[str]:
    """A text, or the texts of a list."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield each
