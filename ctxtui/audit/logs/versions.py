"""Which version of a file was sent: the commit that holds it, or at least that the file changed since."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple

from ctxtui.agents import Charge
from ctxtui.audit.logs.predict import entering
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.git.git import Repository, open_repository
from ctxtui.core.text.decode import decode
from ctxtui.workspace.workspace import Workspace

MAX_VERSIONS = 100
"""No more commits of a file are looked at."""


class Version(NamedTuple):
    """The commit whose version of a file was sent, and its time."""

    commit: str
    time: datetime


class Versions:
    """The versions of a project's files, the newest first; without git, only when each was last written."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._texts: dict[str, list[tuple[Version, str]]] = {}

    def find(self, charge: Charge, agent: str, sent: str) -> Version | None:
        """The newest version of which an agent would send exactly this; None if git knows none."""
        found = (version for version, text in self._of(charge.path) if entering(charge, agent, text) == sent)
        return next(found, None)

    def changed_after(self, path: str, time: datetime, is_same: Callable[[str], bool]) -> bool:
        """Whether a file was not the same at some time, by the text that it had.

        As git knows; else a file that was written later counts as changed, false if it cannot be read.
        """
        for version, text in self._of(path):
            if version.time <= time:
                return not is_same(text)
        try:
            stamp = self._workspace.reader.root.read(path).stamp
        except ContextError:
            return False
        return stamp.mtime_ns > int(time.timestamp() * 1_000_000_000)

    def _of(self, path: str) -> list[tuple[Version, str]]:
        if path not in self._texts:
            self._texts[path] = list(self._read(path))
        return self._texts[path]

    @cached_property
    def _repository(self) -> Repository | None:
        try:
            return open_repository(self._workspace.root)
        except ContextError:
            return None

    def _read(self, path: str) -> Iterator[tuple[Version, str]]:
        if self._repository is None:
            return
        form = "--format=%x00%H %ct"
        try:
            output = self._repository.run(
                "log", form, "--raw", "--no-abbrev", "--no-renames", f"--max-count={MAX_VERSIONS}", "--", path
            )
            versions = {id_: version for version, id_ in _versions(output.decode("utf-8", "replace"))}
            contents = dict(self._repository.contents(versions))
        except ContextError:
            return
        for id_, version in versions.items():
            try:
                yield version, decode(contents.get(id_, b""), path)[0]
            except ContextError:
                continue


def _versions(output: str) -> Iterator[tuple[Version, str]]:
    """The commits, newest first, each with the id of the file's content after it."""
    for block in output.split("\0")[1:]:
        head, *rows = block.splitlines()
        commit, _, seconds = head.partition(" ")
        for row in rows:
            words = row.split("\t")[0].split(" ")
            if row.startswith(":") and len(words) == 5 and words[3].strip("0"):
                yield Version(commit, datetime.fromtimestamp(int(seconds), UTC)), words[3]
