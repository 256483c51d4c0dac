"""The pieces of all starts that were looked at, each with what became of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from ctxtui.audit.logs.compare import CHANGED, DIFFERENT, Match, compare_start
from ctxtui.audit.logs.predict import Predicted, entering
from ctxtui.audit.logs.prediction import Prediction
from ctxtui.audit.logs.types import INSTRUCTIONS, READ, Start
from ctxtui.audit.logs.versions import Version, Versions

_DIGEST = 12
# What needs attention comes first.
_ORDER = ("different", "missing", "extra", "changed", "equal", "named", "elsewhere")


@dataclass(frozen=True, slots=True)
class FileRow:
    """One piece of the starts looked at: a file, or an entry of a list.

    `counts` says in how many starts it was in which state; `state` is that of the newest. Digests are the first
    twelve digits of SHA-256 of the text sent last and of the text predicted now. `line` is the first line, from 1,
    in which they differ, `version` the commit whose version was sent. `opened` counts starts in which the
    file was opened again.
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
    """Gathers the pieces by kind and name; starts must come newest first."""

    def __init__(self, agent: str, prediction: Prediction) -> None:
        self.compared = 0
        self._agent = agent
        self._prediction = prediction
        self._versions = Versions(prediction.workspace)
        self._newest: dict[tuple[str, str], tuple[Match, Version | None]] = {}
        self._counts: dict[tuple[str, str], Counter[str]] = {}
        self._opened: Counter[str] = Counter()

    def add(self, start: Start, predicted: Iterable[Predicted]) -> None:
        """Compare one start."""
        matches = list(compare_start(start, predicted, self._prediction.paths))
        self.compared += bool(matches)
        paths = {self._prediction.path(name) or name for kind, name in start.calls if kind == READ}
        self._opened.update(paths)
        for match in matches:
            found, version = self._judged(match, start.time)
            key = match.kind, match.name
            self._newest.setdefault(key, (found, version))
            self._counts.setdefault(key, Counter())[found.state] += 1

    def rows(self, count: Callable[[str], int]) -> list[FileRow]:
        """The rows: what is not as predicted first, then by kind and tokens."""
        rows = [self._row(match, version, count) for match, version in self._newest.values()]
        return sorted(rows, key=lambda row: (_ORDER.index(row.state), row.kind, -row.tokens, row.name))

    def _judged(self, match: Match, time: datetime) -> tuple[Match, Version | None]:
        """A difference that another version of the file explains is a change."""
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
        is_changed = version is not None or self._versions.changed_after(charge.path, time, sends_the_same)
        return (match._replace(state=CHANGED) if is_changed else match), version

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
