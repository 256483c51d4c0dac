"""Disk lookups of the audit outside the scan, recorded so that the cache can check them again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ctxtui.agents import Agent
from ctxtui.core.base.digest import text_digest
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.disk.trace import Trace
from ctxtui.core.disk.walk import MAX_FILES, Walker
from ctxtui.core.documents.listing import PASSING
from ctxtui.workspace.listing import context_folders
from ctxtui.workspace.workspace import Workspace

Question = Literal["exists", "later", "tracked", "real", "text", "link", "every"]


class Answers(NamedTuple):
    """Answers of the disk by question and path. `folders`, if set, tells whether to list all paths anew."""

    seen: Mapping[str, Mapping[str, Any]]
    folders: Trace | None


class DiskFacts:
    """Look up paths that the scan does not list, each at most once."""

    def __init__(self, workspace: Workspace, table: tuple[Agent, ...] | None) -> None:
        self._workspace = workspace
        self._table = table
        self._real: dict[str, str] = {}
        self._seen: dict[str, dict[str, Any]] = {}
        self._began = time.time_ns()
        self._folders: Trace | None = None

    @cached_property
    def listed(self) -> frozenset[str]:
        """The paths that the scan found, including ignored files."""
        return frozenset(self._workspace.paths)

    @property
    def answers(self) -> Answers:
        is_settled = self._folders is not None and self._folders.is_settled(self._began)
        return Answers(self._seen, self._folders if is_settled else None)

    def still_hold(self, answers: Answers) -> bool:
        """Whether the disk still gives the answers that were recorded earlier."""
        # Checking versions is faster than listing all folders.
        same = "every" if answers.folders is not None and answers.folders.holds() else ""
        asked = {kind: known for kind, known in answers.seen.items() if kind != same}
        return all(
            self._lookup_by_kind[kind](path) == seen for kind, known in asked.items() for path, seen in known.items()
        )

    @cached_property
    def _lookup_by_kind(self) -> Mapping[str, Callable[[str], Any]]:
        return {
            "exists": self._workspace.reader.root.exists,
            "later": self.walker().would_ignore,
            "tracked": self.walker().is_tracked,
            "real": self._workspace.real,
            "text": lambda path: _digest(self._workspace.text(path)),
            "link": self._read_broken_link,
            "every": lambda _path: _digest("\0".join(self._every or ())),
        }

    def _look_up_once(self, kind: Question, path: str) -> Any:
        known = self._seen.setdefault(kind, {})
        if path not in known:
            known[path] = self._lookup_by_kind[kind](path)
        return known[path]

    def exists(self, path: str) -> bool:
        """Whether a path is listed or on disk."""
        return path in self.listed or bool(self._look_up_once("exists", path))

    def is_made_later(self, path: str) -> bool:
        """Whether git ignores a path. A missing file there may be built, installed or personal."""
        return "\0" not in path and bool(self._look_up_once("later", path))

    def is_tracked(self, path: str) -> bool:
        return bool(self._look_up_once("tracked", path))

    def broken_link_target(self, path: str) -> str | None:
        """The target of a broken link, or None for anything else."""
        found: str | None = self._look_up_once("link", path)
        return found

    def _read_broken_link(self, path: str) -> str | None:
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
    def _every(self) -> tuple[str, ...] | None:
        """The value of `all_paths`, unrecorded. Sets `_folders` if a check of these can replace the next walk."""
        # Other systems do not update a folder's version reliably.
        trace, problems = Trace() if os.name == "posix" else None, list[Notice]()
        paths = tuple(self.walker(trace, problems.append).every_path())
        is_whole = len(paths) < MAX_FILES
        if trace is not None and is_whole and not any(each.code in PASSING for each in problems):
            self._folders = trace
        return paths if is_whole else None

    @property
    def all_paths(self) -> tuple[str, ...] | None:
        """Every path on disk below the root, including ignored paths, or None if there are too many."""
        self._look_up_once("every", "")
        return self._every

    def walker(self, trace: Trace | None = None, on_notice: OnNotice = lambda _notice: None) -> Walker:
        """A new walk over the project. `trace` records the folders that it reads.

        By default its notices are dropped, because they were shown when the project was opened.
        """
        return Walker(self._workspace.reader.root, context_folders(self._table), on_notice, trace=trace)

    def real(self, path: str) -> str:
        if path not in self.listed:
            return str(self._look_up_once("real", path))
        if path not in self._real:
            self._real[path] = self._workspace.real(path)
        return self._real[path]


def _digest(text: str | None) -> str | None:
    return None if text is None else text_digest(text).hex()
