"""One row for each file and list entry in the starts read, with its state in each start."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from ctxtui.agents import Charge
from ctxtui.audit.history.commits import time_of
from ctxtui.audit.logs.compare import CHANGED, DIFFERENT, Match, compare_start
from ctxtui.audit.logs.predict import Predicted, Prediction, entering
from ctxtui.audit.logs.types import INSTRUCTIONS, READ, Start
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.git.git import Repository, open_repository
from ctxtui.core.text.decode import decode
from ctxtui.workspace.workspace import Workspace

MAX_VERSIONS = 100
"""The maximum number of commits read per file."""

_DIGEST = 12
# States that need attention come first.
_ORDER = ("different", "missing", "extra", "changed", "equal", "named", "elsewhere")


class Version(NamedTuple):
    """A commit of a file and its time."""

    commit: str
    time: datetime


class Versions:
    """The last 100 committed versions of project files, newest first. Outside of git, only modification times."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._texts: dict[str, list[tuple[Version, str]]] = {}

    def find(self, charge: Charge, agent: str, sent: str) -> Version | None:
        """The newest committed version of a file from which the agent would send exactly `sent`, or None."""
        found = (version for version, text in self._of(charge.path) if entering(charge, agent, text) == sent)
        return next(found, None)

    def changed_after(self, path: str, time: datetime, is_same: Callable[[str], bool]) -> bool:
        """Whether a file changed after `time`. `is_same` judges its older text, the file time decides without git."""
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
    """The commits of a file, newest first, with its blob id after each."""
    for block in output.split("\0")[1:]:
        head, *rows = block.splitlines()
        commit, _, seconds = head.partition(" ")
        for row in rows:
            words = row.split("\t")[0].split(" ")
            if row.startswith(":") and len(words) == 5 and words[3].strip("0"):
                yield Version(commit, time_of(int(seconds))), words[3]


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file or list entry that starts sent or should have sent.

    `counts` are numbers of starts by state, `state` is the newest. `sent` and `now` are the first twelve digits of
    SHA-256 of the text sent last and of the predicted text. `line` is the first differing line, from 1. `version` is
    the commit whose version was sent. `opened` counts starts that opened the file again.
    """

    kind: str
    name: str
    state: str
    counts: Mapping[str, int]
    tokens: int
    sent: str = ""
    now: str = ""
    line: int | None = None
    version: Version | None = None
    opened: int = 0


class FileRows:
    """Collects one row for each kind and name of text. Starts must be added newest first."""

    def __init__(self, agent: str, prediction: Prediction) -> None:
        self.compared = 0
        self._agent = agent
        self._prediction = prediction
        self._versions = Versions(prediction.workspace)
        self._newest: dict[tuple[str, str], tuple[Match, Version | None]] = {}
        self._counts: dict[tuple[str, str], Counter[str]] = {}
        self._opened: Counter[str] = Counter()

    def add(self, start: Start, predicted: Iterable[Predicted]) -> None:
        matches = list(compare_start(start, predicted, self._prediction))
        self.compared += bool(matches)
        paths = {self._prediction.path(name) or name for kind, name in start.calls if kind == READ}
        self._opened.update(paths)
        for match in matches:
            found, version = self._judged(match, start.time)
            key = match.kind, match.name
            self._newest.setdefault(key, (found, version))
            self._counts.setdefault(key, Counter())[found.state] += 1

    def rows(self, count: Callable[[str], int]) -> list[FileRow]:
        """One row for each piece: deviations first, then by kind and tokens."""
        rows = [self._row(match, version, count) for match, version in self._newest.values()]
        return sorted(rows, key=lambda row: (_ORDER.index(row.state), row.kind, -row.tokens, row.name))

    def _judged(self, match: Match, time: datetime) -> tuple[Match, Version | None]:
        """The match, `changed` if another version of the file explains it, and that version if git has it."""
        if match.state != DIFFERENT or match.predicted is None:
            return match, None
        charge, now = match.predicted.charge, match.predicted.text
        version = None

        def sends_the_same(text: str) -> bool:
            if match.kind == INSTRUCTIONS:
                return entering(charge, self._agent, text) == now
            return text == self._prediction.workspace.text(charge.path)

        if match.kind == INSTRUCTIONS and match.sent is not None:
            version = self._versions.find(charge, self._agent, match.sent)
        if version is not None or self._versions.changed_after(charge.path, time, sends_the_same):
            match = match._replace(state=CHANGED)
        return match, version

    def _row(self, match: Match, version: Version | None, count: Callable[[str], int]) -> FileRow:
        now = match.predicted.text if match.predicted else None
        text = match.sent if match.sent is not None else now or ""
        is_other = match.state in (CHANGED, DIFFERENT)
        return FileRow(
            match.kind,
            match.name,
            match.state,
            dict(self._counts[match.kind, match.name]),
            count(text),
            _digest(match.sent),
            _digest(now),
            first_difference(match.sent, now) if is_other and match.sent is not None and now is not None else None,
            version,
            self._opened[match.name] if match.kind == INSTRUCTIONS else 0,
        )


def first_difference(one: str, other: str) -> int:
    """The first line, from 1, in which two different texts differ."""
    lines = zip_longest(one.split("\n"), other.split("\n"))
    return next((number for number, (left, right) in enumerate(lines, 1) if left != right), 1)


def _digest(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGEST]
