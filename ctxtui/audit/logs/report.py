"""Compare a user's transcripts with our prediction: files, bills and uses of every agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

from ctxtui.audit.logs.file_rows import FileRow, file_rows
from ctxtui.audit.logs.predict import Predicted, Prediction
from ctxtui.audit.logs.read import Environment, home_of, is_below, read_transcripts
from ctxtui.audit.logs.types import FIXED, Billed, Skipped, Start, Transcripts
from ctxtui.audit.logs.unused import MIN_DAYS, MIN_STARTS, Use, find_uses
from ctxtui.audit.types import Settings
from ctxtui.core.base.plain import plain_line
from ctxtui.core.text.projection import Shapes, project
from ctxtui.core.text.secrets import redact
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.families import family_of
from ctxtui.workspace.workspace import Workspace

_LENGTH = 120

Count = Callable[[str], int]
"""Counts the tokens of a text."""


class TokenRange(NamedTuple):
    """Minimum, lower median and maximum of some numbers."""

    low: int
    median: int
    high: int

    @classmethod
    def of(cls, numbers: Iterable[int]) -> TokenRange | None:
        ordered = sorted(numbers)
        return cls(ordered[0], ordered[(len(ordered) - 1) // 2], ordered[-1]) if ordered else None


@dataclass(frozen=True, slots=True)
class Cost:
    """The first request of a start, in tokens.

    The agent recorded `billed`. `counter` counted the rest, an estimate for models without a public tokenizer.
    `predicted` is our figure for the project's files, None for other projects. `explained` is recorded text of files,
    lists, user and conversation by kind, `fixed` is the agent's own text by kind.
    """

    time: datetime
    version: str
    model: str
    counter: TokenCounter
    billed: Billed
    predicted: int | None
    explained: Mapping[str, int]
    fixed: Mapping[str, int]

    @property
    def explained_tokens(self) -> int:
        """The tokens of text from the project, the user and the conversation."""
        return sum(self.explained.values())

    @property
    def fixed_tokens(self) -> int:
        """The tokens of the agent's own text, if it is recorded."""
        return sum(self.fixed.values())

    @property
    def unexplained(self) -> int:
        """Billed tokens without recorded text, negative if an estimate is too high."""
        return self.billed.total - self.explained_tokens - self.fixed_tokens


def _cost(
    start: Start, predicted: Sequence[Predicted] | None, counter: TokenCounter, counts: dict[str, Count]
) -> Cost | None:
    """The tokens of a start's first request and of the predicted texts, or None without a recorded bill.

    `counter` counts for models without a known tokenizer. `counts` by name of a counter remember what they counted.
    """
    if start.billed is None:
        return None
    family = family_of(start.model)
    counter = family.counter(plain_line(start.model)) if family.is_known else counter
    count = counts.setdefault(counter.name, cache(counter.count))
    kinds: Counter[str] = Counter()
    for sent in start.sent:
        kinds[sent.kind] += sent.tokens(count)
    return Cost(
        start.time,
        start.version,
        start.model,
        counter,
        start.billed,
        None if predicted is None else sum(count(each.text) for each in predicted),
        {kind: tokens for kind, tokens in kinds.items() if tokens and kind not in FIXED},
        {kind: tokens for kind, tokens in kinds.items() if tokens and kind in FIXED},
    )


class Shown:
    """Names and paths as they are displayed to the user of an environment."""

    def __init__(self, environment: Environment) -> None:
        self._home = home_of(environment).rstrip("/")

    def name(self, text: str) -> str:
        """A name or path in one line without secrets, cut in the middle beyond 120 characters."""
        line = redact(plain_line(self.place(text[: 4 * _LENGTH])))[0]
        half = _LENGTH // 2
        return line if len(line) <= _LENGTH else f"{line[:half]}…{line[-half:]}"

    def place(self, path: str) -> str:
        """The path with `~` for the home folder."""
        return f"~{path[len(self._home) :]}" if self._home and path.startswith(f"{self._home}/") else path


@dataclass(frozen=True, slots=True)
class AgentLogs:
    """The transcripts of one agent, and what was found in them.

    `read` counts transcripts, `starts` those with a start, `here` starts in this project, and `compared` starts with
    recorded text. `costs` are newest first. `counter` counted the tokens of `files` and `uses`.
    """

    agent: str
    place: str
    counter: TokenCounter
    read: int = 0
    starts: int = 0
    here: int = 0
    compared: int = 0
    first: datetime | None = None
    last: datetime | None = None
    versions: tuple[str, ...] = ()
    files: tuple[FileRow, ...] = ()
    costs: tuple[Cost, ...] = ()
    uses: tuple[Use, ...] = ()
    skipped: Skipped = field(default_factory=Skipped)

    @property
    def nothing(self) -> str:
        """The message for an agent without starts, with the folder searched."""
        where = f"looked in {self.place}" if self.place else "the environment names no home folder"
        return f"no starts of {self.agent} found; {where}"

    @property
    def days(self) -> int:
        return (self.last - self.first).days if self.first and self.last else 0

    @property
    def billed(self) -> TokenRange | None:
        return TokenRange.of(cost.billed.total for cost in self.costs)

    @property
    def explained(self) -> TokenRange | None:
        """The range of tokens from files, lists, the user and the conversation, None without bills."""
        return TokenRange.of(cost.explained_tokens for cost in self.costs)

    @property
    def fixed(self) -> TokenRange | None:
        """The range of recorded tokens of the agent's own text, None without bills."""
        return TokenRange.of(cost.fixed_tokens for cost in self.costs)

    @property
    def unexplained(self) -> TokenRange | None:
        """The range of billed tokens without recorded text, None without bills."""
        return TokenRange.of(cost.unexplained for cost in self.costs)


@dataclass(frozen=True, slots=True)
class Logs:
    """The transcripts of every supported agent, of all projects if `is_whole`."""

    agents: tuple[AgentLogs, ...]
    is_whole: bool = False


def read_logs(
    workspace: Workspace,
    counter: TokenCounter,
    environment: Environment,
    *,
    settings: Settings | None = None,
    is_whole: bool = False,
) -> Logs:
    """Read the transcripts of this project or all, and compare them with our prediction.

    The content of a transcript never raises.
    """
    folders = (str(workspace.root),)
    found = read_transcripts(environment, None if is_whole else folders)
    prediction = Prediction(workspace, counter, settings or Settings())
    shown = Shown(environment)
    return Logs(tuple(_agent_logs(each, prediction, shown) for each in found), is_whole)


def _agent_logs(found: Transcripts, prediction: Prediction, shown: Shown) -> AgentLogs:
    starts = found.starts
    count = cache(prediction.counter.count)
    counts: dict[str, Count] = {prediction.counter.name: count}
    expected = [(start, prediction.texts_of(start, found.agent)) for start in starts]
    rows, compared = file_rows(found.agent, prediction, expected, count)
    paid = (_cost(start, predicted, prediction.counter, counts) for start, predicted in expected)
    newest = next((predicted for _, predicted in expected if predicted is not None), [])
    times = [start.time for start in starts]
    uses = find_uses(starts, newest, count, found.besides)
    unknown = {shown.name(kind): number for kind, number in found.skipped.unknown.items()}
    return AgentLogs(
        found.agent,
        shown.place(found.place),
        prediction.counter,
        found.read,
        len(starts),
        sum(is_below(start.folder, (str(prediction.workspace.root),)) for start in starts),
        compared,
        min(times, default=None),
        max(times, default=None),
        tuple(dict.fromkeys(shown.name(start.version) for start in starts if start.version)),
        tuple(replace(row, name=shown.name(row.name)) for row in rows),
        tuple(replace(cost, model=shown.name(cost.model), version=shown.name(cost.version)) for cost in paid if cost),
        tuple(replace(use, name=shown.name(use.name)) for use in uses),
        replace(found.skipped, unknown=unknown),
    )


_SHAPES: Final[Shapes] = {
    "AgentLogs": "id=agent place tokenizer=counter.name exact=counter.exact read starts here compared first last days"
    " versions files billed explained fixed unexplained costs uses skipped",
    "FileRow": "kind name state counts tokens sent? now? line version opened",
    "Version": "commit time",
    "TokenRange": "low median high",
    "Cost": "time version? model? counter billed predicted explained fixed unexplained",
    "TokenCounter": "name exact band?",
    "Billed": "total input cache_write cache_read",
    "Use": "kind name path tokens sent_in used_in besides days last_used verdict",
}


def logs_json(logs: Logs) -> dict[str, Any]:
    """The numbers, names and digests of all agents, never a text."""
    return {
        "isWhole": logs.is_whole,
        "verdictNeeds": {"starts": MIN_STARTS, "days": MIN_DAYS},
        "agents": project(logs.agents, _SHAPES),
    }
