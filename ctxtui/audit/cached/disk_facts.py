"""Disk lookups of the audit outside the scan, recorded so that the cache can check them again."""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from ctxtui.agents import Agent
from ctxtui.agents.base import is_above
from ctxtui.core.base.digest import text_digest
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.disk.trace import Trace
from ctxtui.core.disk.walk import MAX_FILES, Walker
from ctxtui.core.documents.listing import PASSING
from ctxtui.workspace.listing import context_folders
from ctxtui.workspace.workspace import Workspace

Question = Literal["exists", "later", "real", "text", "link", "every"]


class Answers(NamedTuple):
    """Answers by question and path, with the inputs of the ignore rules and of the path list."""

    seen: Mapping[str, Mapping[str, Any]]
    rules: Trace | None
    folders: Trace | None


_NO_NAMES: Final = ("", ".", "..")


class DiskFacts:
    """Look up paths that the scan does not list, each at most once."""

    def __init__(self, workspace: Workspace, table: tuple[Agent, ...] | None) -> None:
        self._workspace = workspace
        self._table = table
        self._real: dict[str, str] = {}
        self._seen: dict[str, dict[str, Any]] = {}
        self._began = time.time_ns()
        self._rules = Trace()
        self._folders: Trace | None = None

    @cached_property
    def listed(self) -> frozenset[str]:
        """The paths that the scan found, including ignored files."""
        return frozenset(self._workspace.paths)

    @property
    def answers(self) -> Answers:
        rules, folders = (
            trace if trace and trace.is_settled(self._began) else None for trace in (self._rules, self._folders)
        )
        return Answers(self._seen, rules, folders)

    def are_still(self, answers: Answers) -> bool:
        """Whether the disk still gives the same answers."""
        # Checking versions is faster than matching the rules again or listing all folders.
        traces = {"later": answers.rules, "every": answers.folders}
        same = {kind for kind, trace in traces.items() if trace and trace.holds()}
        asked = {kind: known for kind, known in answers.seen.items() if kind not in same}
        return all(self._looks[kind](path) == seen for kind, known in asked.items() for path, seen in known.items())

    @cached_property
    def _looks(self) -> Mapping[str, Callable[[str], Any]]:
        return {
            "exists": self._workspace.reader.root.exists,
            "later": self._walker.would_ignore,
            "real": self._resolved,
            "text": lambda path: _digest(self._workspace.text(path)),
            "link": self._link,
            "every": lambda _path: _digest("\0".join(self.every or ())),
        }

    def _ask(self, kind: Question, path: str) -> Any:
        known = self._seen.setdefault(kind, {})
        if path not in known:
            known[path] = self._looks[kind](path)
        return known[path]

    def exists(self, path: str) -> bool:
        return path in self.listed or bool(self._ask("exists", path))

    def is_made_later(self, path: str) -> bool:
        """Whether git ignores a path. A missing ignored file may be installed, built or personal."""
        return bool(self._ask("later", path))

    def leads_to(self, path: str) -> str | None:
        """The target of a broken link, or None for anything else."""
        found: str | None = self._ask("link", path)
        return found

    def _link(self, path: str) -> str | None:
        place = self._workspace.root / path
        try:
            return str(place.readlink()) if place.is_symlink() and not place.exists() else None
        except OSError:
            return None

    def text(self, path: str) -> str | None:
        """The text of a file that is not a document, including ancestor and user files, or None if unreadable."""
        text = self._workspace.text(path)
        if path not in self.listed:
            self._seen.setdefault("text", {}).setdefault(path, _digest(text))
        return text

    @cached_property
    def every(self) -> tuple[str, ...] | None:
        """Every path on disk below the root, including ignored paths, or None if there are too many."""
        # Other systems do not update a folder's version reliably.
        trace, problems = Trace() if os.name == "posix" else None, list[Notice]()
        paths = tuple(self._walking(trace, problems.append).every_path())
        is_whole = len(paths) < MAX_FILES
        if trace is not None and is_whole and not any(each.code in PASSING for each in problems):
            self._folders = trace
        return paths if is_whole else None

    @property
    def all_paths(self) -> tuple[str, ...] | None:
        """Like `every`, and recorded."""
        self._ask("every", "")
        return self.every

    @cached_property
    def _walker(self) -> Walker:
        return self.walker(self._rules)

    def walker(self, trace: Trace | None = None) -> Walker:
        """A new walk over the project. `trace` records its inputs."""
        # Folder problems were reported when the project was opened.
        return self._walking(trace, lambda _notice: None)

    def _walking(self, trace: Trace | None, on_notice: OnNotice) -> Walker:
        return Walker(self._workspace.reader.root, context_folders(self._table), on_notice, trace=trace)

    def real(self, path: str) -> str:
        return self._resolved(path) if path in self.listed else str(self._ask("real", path))

    def _resolved(self, path: str) -> str:
        if path not in self._real:
            self._real[path] = self._followed(path)
        return self._real[path]

    def _followed(self, path: str) -> str:
        """The real path of a file. Links of a folder are resolved once."""
        folder, name = posixpath.split(path)
        is_elsewhere = is_above(path) or path in self._workspace.home.versions
        is_link = os.path.islink(f"{self._workspace.root}/{path}")  # noqa: PTH114 - building a Path takes longer
        if is_elsewhere or is_link or name in _NO_NAMES:
            return self._workspace.real(path)
        return posixpath.join(self._resolved(folder), name) if folder else path


def _digest(text: str | None) -> str | None:
    return None if text is None else text_digest(text).hex()
