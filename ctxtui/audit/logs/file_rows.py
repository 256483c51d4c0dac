"""One row for each file and list entry in the starts read, with its state in each start."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from ctxtui.agents import Charge
from ctxtui.audit.logs.compare import CHANGED, DIFFERENT, Match, compare_start
from ctxtui.audit.logs.predict import Predicted, Prediction, sent_text
from ctxtui.audit.logs.types import INSTRUCTIONS, READ, Start
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.times import time_of
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

    def newest_sending(self, charge: Charge, agent: str, sent: str) -> Version | None:
        """The newest committed version of a file from which the agent would send exactly `sent`, or None."""
        found = (
            version for version, text in self._texts_by_version(charge.path) if sent_text(charge, agent, text) == sent
        )
        return next(found, None)

    def changed_after(self, path: str, time: datetime, is_same: Callable[[str], bool]) -> bool:
        """Whether a file changed after `time`. `is_same` judges its older text, the file time decides without git."""
        for version, text in self._texts_by_version(path):
            if version.time <= time:
                return not is_same(text)
        try:
            stamp = self._workspace.reader.root.read(path).stamp
        except ContextError:
            return False
        return stamp.mtime_ns > int(time.timestamp() * 1_000_000_000)

    def _texts_by_version(self, path: str) -> list[tuple[Version, str]]:
        if path not in self._texts:
            self._texts[path] = list(self._versions_with_texts(path))
        return self._texts[path]

    @cached_property
    def _repository(self) -> Repository | None:
        try:
            return open_repository(self._workspace.root)
        except ContextError:
            return None

    def _versions_with_texts(self, path: str) -> Iterator[tuple[Version, str]]:
        if self._repository is None:
            return
        form = "--format=%x00%H %ct"
        try:
            output = self._repository.run(
                "log", form, "--raw", "--no-abbrev", "--no-renames", f"--max-count={MAX_VERSIONS}", "--", path
            )
            versions = {id_: version for version, id_ in _parse_log(output.decode("utf-8", "replace"))}
            contents = dict(self._repository.contents(versions))
        except ContextError:
            return
        for id_, version in versions.items():
            try:
                yield version, decode(contents.get(id_, b""), path)[0]
            except ContextError:
                continue


def _parse_log(output: str) -> Iterator[tuple[Version, str]]:
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


def file_rows(
    agent: str,
    prediction: Prediction,
    starts: Iterable[tuple[Start, Sequence[Predicted] | None]],
    count: Callable[[str], int],
) -> tuple[list[FileRow], int]:
    """A row for each kind and name of text, deviations first, and how many starts have such text.

    The `starts` are newest first, each with its predicted texts, None if it is not compared.
    """
    versions = Versions(prediction.workspace)
    newest: dict[tuple[str, str], tuple[Match, Version | None]] = {}
    states: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    opened: Counter[str] = Counter()
    compared = 0
    for start, predicted in starts:
        if predicted is None:
            continue
        matches = list(compare_start(start, predicted, prediction))
        compared += bool(matches)
        opened.update({prediction.project_path(name) or name for kind, name in start.calls if kind == READ})
        for match in matches:
            found = _explained(match, start.time, agent, prediction.workspace, versions)
            newest.setdefault((match.kind, match.name), found)
            states[match.kind, match.name][found[0].state] += 1
    rows = [_row(*found, states[key], opened[key[1]], count) for key, found in newest.items()]
    return sorted(rows, key=lambda row: (_ORDER.index(row.state), row.kind, -row.tokens, row.name)), compared


def _explained(
    match: Match, time: datetime, agent: str, workspace: Workspace, versions: Versions
) -> tuple[Match, Version | None]:
    """The match, `changed` if another version of the file explains it, and that version if git has it."""
    if match.state != DIFFERENT or match.predicted is None:
        return match, None
    charge, now = match.predicted.charge, match.predicted.text
    version = None

    def sends_the_same(text: str) -> bool:
        if match.kind == INSTRUCTIONS:
            return sent_text(charge, agent, text) == now
        return text == workspace.text(charge.path)

    if match.kind == INSTRUCTIONS and match.sent is not None:
        version = versions.newest_sending(charge, agent, match.sent)
    if version is not None or versions.changed_after(charge.path, time, sends_the_same):
        match = match._replace(state=CHANGED)
    return match, version


def _row(
    match: Match, version: Version | None, states: Mapping[str, int], opened: int, count: Callable[[str], int]
) -> FileRow:
    sent, now = match.sent, match.predicted.text if match.predicted else None
    is_other = match.state in (CHANGED, DIFFERENT) and sent is not None and now is not None
    return FileRow(
        match.kind,
        match.name,
        match.state,
        dict(states),
        count(sent if sent is not None else now or ""),
        _digest(sent),
        _digest(now),
        first_difference(sent or "", now or "") if is_other else None,
        version,
        opened if match.kind == INSTRUCTIONS else 0,
    )


def first_difference(one: str, other: str) -> int:
    """The first line, from 1, in which two different texts differ."""
    lines = zip_longest(one.split("\n"), other.split("\n"))
    return next((number for number, (left, right) in enumerate(lines, 1) if left != right), 1)


def _digest(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGEST]
