"""The suggestion: what belongs to a task, ranked, explained, within a budget, on the index of `retrieve`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Literal

from ctxtui.agents.project.globs import Trigger
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.target import OUTLINE, Target
from ctxtui.core.base.wording import plural
from ctxtui.core.documents.git_history import read_changes
from ctxtui.core.text.code.languages import has_grammar
from ctxtui.retrieval.index.tokenizer import Words
from ctxtui.retrieval.index.weigh import Weighed
from ctxtui.session.outlines import outline_tokens
from ctxtui.session.session import Session
from ctxtui.session.suggest.rank_files import FileRanking, RankedFile
from ctxtui.session.suggest.rank_parts import PartRanking, RankedPart
from ctxtui.session.suggest.task import read_task

DEFAULT_BUDGET: Final = 12_000

Weigh = Callable[[Mapping[str, float]], tuple[Weighed, list[Notice]]]
"""The project's index asked for a task's words, such as `PromptSearch.weigh` of a workspace."""

_CODE_FILES, _TEST_FILES, _DOCUMENTS, _OUTLINES = 20, 6, 6, 8
_TOUCHED: Final = 5
_RULE: Final = 0.1
_SHOWN_WORDS: Final = 4
_MOSTLY_CHANGED: Final = 0.5

Group = Literal["code", "outline", "test", "document", "rule"]
Shares = tuple[tuple[Group, float], ...]
SHARES: Final[Shares] = (("code", 0.66), ("test", 0.14), ("outline", 0.1), ("document", 0.05), ("rule", 0.05))
"""The share of the budget for each group, in the order of filling. What is left over is offered to code again."""

OF_DOCUMENTS: Final[Shares] = (("document", 0.45), ("code", 0.35), ("test", 0.1), ("outline", 0.05), ("rule", 0.05))
"""The shares in a project of documents."""

# Documents that say as much as the code have a larger share.
_AS_GOOD, _OF_GOOD = 0.9, 0.2
# The header of a block and the fence around its text.
_HEADER: Final = 24
# Worth for tokens: twice as long has to be worth that much more. Below a share of the best, nothing is proposed.
_LONGER: Final = 0.02
_LEAST: Final = 0.25


@dataclass(frozen=True, slots=True)
class Proposal:
    """One row that can be picked by its `id`, its exact tokens, and the reason for it. `score` is higher than 0."""

    id: str
    tokens: int
    reason: str
    group: Group
    score: float

    @property
    def document(self) -> str:
        return Target.parse(self.id).document


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The proposals in the order to pick them, all files and tests that fit the task, best first, and notices.

    `tokens` are those of the payload with all proposals, at most `limit` unless the picks alone exceed it.
    """

    rows: tuple[Proposal, ...]
    files: tuple[RankedFile, ...]
    tests: tuple[RankedFile, ...]
    notices: tuple[Notice, ...]
    tokens: int
    limit: int

    @property
    def ids(self) -> list[str]:
        return [row.id for row in self.rows]


def suggest(session: Session, task: str, weigh: Weigh, limit: int | None = None) -> Suggestion:
    """The proposals for a task, without the parts that are picked already. Nothing is picked.

    A payload with everything proposed has at most `limit` tokens, by default the session's budget or 12,000.
    `weigh` asks the project's index, which it may have to make. Raises ContextError (invalid_request) for a task
    without words, and RetrievalError if the index fails.
    """
    ranked = Ranked.of(session, task, weigh)
    limit = session.budget.effective if limit is None else limit
    limit = DEFAULT_BUDGET if limit is None else limit
    known = {str(pick.id) for pick in session.picks}
    # Beside the picked parts of a file, its outline would say most of them again.
    rows = [
        row
        for row in ranked.rows()
        if row.document not in known or (row.group != "outline" and session.state(row.id) == "none")
    ]
    found = fill(session, rows, limit, OF_DOCUMENTS if ranked.files.is_of_documents else SHARES)
    tokens = session.pick_in_order([row.id for row in found]).layout().wanted
    session.workspace.reader.flush()
    return Suggestion(
        tuple(found), tuple(ranked.files.main), tuple(ranked.files.tests), ranked.notices, tokens, limit
    )


@dataclass(frozen=True, slots=True)
class Ranked:
    """The files of a project ranked for a task, and the rows to choose from."""

    session: Session
    files: FileRanking
    notices: tuple[Notice, ...]

    @staticmethod
    def of(session: Session, text: str, weigh: Weigh) -> Ranked:
        """The ranking for a task in words. Asks the index and git. Raises ContextError for a task without words."""
        workspace, words = session.workspace, Words()
        task = read_task(text, words)
        if not task.words:
            raise invalid("the task has no words", hint="say in a sentence what is wanted")
        # Git reads the history while the index is asked.
        with ThreadPoolExecutor(1) as pool:
            changes = pool.submit(read_changes, workspace.root)
            weighed, notices = weigh(task.words)
            usual = (each.path for each in workspace.references if each.large is None)
            files = FileRanking(usual, task, weighed, changes.result(), words)
        return Ranked(session, files, tuple(notices))

    def rows(self) -> Iterator[Proposal]:
        """The rows to choose from, best first within each group."""
        parts = PartRanking(self.session.workspace, self.files, self.session.budget.counter)
        yield from self._parts(parts.best(_best_code(self.files.main), with_history=True), "code")
        yield from self._parts(parts.best(self.files.tests[:_TEST_FILES]), "test")
        yield from self._outlines(
            [each for each in _best_code(self.files.main) if has_grammar(each.path)][:_OUTLINES]
        )
        documents = [each for each in self.files.main if each.kind in ("document", "translation")][:_DOCUMENTS]
        yield from self._parts(parts.best(documents), "document")
        if self.files.main:
            yield from self._rules()

    def _parts(self, parts: Sequence[RankedPart], group: Group) -> Iterator[Proposal]:
        for part in parts:
            yield Proposal(part.id, part.tokens, self._why(part), group, round(part.score, 4))

    def _outlines(self, files: Sequence[RankedFile]) -> Iterator[Proposal]:
        """The outlines of files, without large, unreadable and empty ones."""
        workspace, counter = self.session.workspace, self.session.budget.counter
        for file in files:
            reference = workspace.by_path.get(file.path)
            if reference is None or reference.large is not None:
                continue
            try:
                tokens = outline_tokens(workspace.document(reference), counter, workspace.reader.cache)
            except ContextError:
                continue
            if tokens:
                id_ = str(Target(reference.id, OUTLINE))
                why = "; ".join(filter(None, ("the outline of a file that matches", self._why_file(file))))
                yield Proposal(id_, tokens, why, "outline", file.score)

    def _rules(self) -> Iterator[Proposal]:
        """Rules for the best files, files that agents read in full at the start, and always-loaded documents."""
        workspace = self.session.workspace
        readers = workspace.readers_at_start()
        why = self._touched([each.path for each in self.files.main if each.kind == "code"][:_TOUCHED])
        starting = sorted(readers, key=lambda id_: (-readers[id_], id_))
        why |= {id_: f"{plural(readers[id_], 'agent')} read it at the start" for id_ in starting if id_ not in why}
        always = (each.id for each in workspace.references if each.protected and each.id not in why)
        why |= dict.fromkeys(always, "always part of the context")
        for place, (id_, reason) in enumerate(why.items()):
            tokens = workspace.tokens_or_none(workspace.by_id[id_], self.session.budget.counter)
            if tokens:
                yield Proposal(id_, tokens, reason, "rule", round(_RULE / (1 + place), 4))

    def _touched(self, paths: Sequence[str]) -> dict[str, str]:
        """The documents that an agent reads when one of some files is touched, with the reason."""
        found: dict[str, str] = {}
        workspace = self.session.workspace
        for load in workspace.loads:
            reference = workspace.by_path.get(load.path)
            if load.moment != "touch" or not load.scopes or reference is None or reference.id in found:
                continue
            path = next(filter(Trigger(load.scopes).fires, paths), None)
            if path is not None:
                found[reference.id] = f"{load.agent_name} reads it when {path} is touched"
        return found

    def _why(self, part: RankedPart) -> str:
        """The strongest reasons for a part, never empty."""
        if part.line is not None:
            return f"line {part.line} is named in the task"
        if part.is_named:
            return f"defines `{part.name.rpartition('.')[2]}`, named in the task"
        if part.words:
            shown = dict.fromkeys(self.files.task.written.get(word, word) for word in part.words[:_SHOWN_WORDS])
            return "; ".join(filter(None, (f"matches {', '.join(shown)}", self._why_file(part.file))))
        return self._why_file(part.file) or "beside what matches"

    def _why_file(self, file: RankedFile) -> str:
        """The strongest reason for a file besides its words, empty without one."""
        history = self.files.history
        if file.path in self.files.lines:
            return "the file is named in the task"
        if file.tested:
            return f"test of {file.tested[0]}"
        other, count, every = file.together or ("", 0, 1)
        if count and (file.kind == "test" or count > every * _MOSTLY_CHANGED):
            return f"changed together with {other} in {count} of its {every} changes"
        if history.similar.get(file.path, 0.0) > _MOSTLY_CHANGED:
            return "changed in commits like the task"
        if history.recent.get(file.path, 0.0) > _MOSTLY_CHANGED:
            return "changed often and lately"
        return ""


def _best_code(files: Sequence[RankedFile]) -> list[RankedFile]:
    return [each for each in files if each.kind in ("code", "other")][:_CODE_FILES]


def fill(session: Session, rows: Iterable[Proposal], limit: int, shares: Shares = SHARES) -> list[Proposal]:
    """The rows to propose, by group, best first, for a payload within `limit` tokens. `shares` divide the room."""
    by_group: dict[Group, list[Proposal]] = {group: [] for group, _ in SHARES}
    for row in rows:
        by_group[row.group].append(row)
    counter = session.budget.counter
    # Estimates are compared with a limit by the upper end of their band.
    free = counter.total(counter.within(limit)) - session.layout().wanted
    filling = _Filling(free)
    by_group = {group: found if group == "rule" else list(_worthwhile(found)) for group, found in by_group.items()}
    best = max((row.score for row in by_group["code"]), default=0.0)
    for group, share in shares:
        says = group == "document" and max((row.score for row in by_group[group]), default=0.0) >= _AS_GOOD * best
        filling.take(by_group[group], int(free * max(share, _OF_GOOD if says else 0.0)))
    for group in ("code", "document", "test"):
        filling.take(by_group[group], free)
    return _fitting(session, filling.rows, limit, shares)


def _worthwhile(rows: Sequence[Proposal]) -> Iterator[Proposal]:
    """The rows with scores close enough to the best, ordered by score less a deduction for many tokens."""
    least = _LEAST * max((row.score for row in rows), default=0.0)
    order = sorted(rows, key=lambda row: (_LONGER * math.log2(1 + row.tokens) - row.score, row.id))
    yield from (row for row in order if row.score >= least)


class _Filling:
    def __init__(self, free: int) -> None:
        self._left = free
        self._files: set[str] = set()
        self.rows: list[Proposal] = []

    def take(self, rows: Sequence[Proposal], share: int) -> None:
        """Take the rows that fit into `share` tokens of the budget, in their order."""
        known = frozenset(row.id for row in self.rows)
        for row in rows:
            cost = row.tokens + (0 if row.document in self._files else _HEADER) + 1
            if row.id not in known and cost <= min(share, self._left):
                self.rows.append(row)
                self._files.add(row.document)
                share -= cost
                self._left -= cost


def _fitting(session: Session, rows: list[Proposal], limit: int, shares: Shares) -> list[Proposal]:
    """The rows by group in the order of `shares`, then by score, the lowest dropped until `limit` tokens suffice."""
    order = [group for group, _ in shares]
    best = {group: max((row.score for row in rows if row.group == group), default=0.0) for group in order}
    if shares is OF_DOCUMENTS and best["code"] > best["document"]:
        # Such as the line of an error: the first row is the best answer.
        order.sort(key=lambda group: group == "document")
    rows = sorted(rows, key=lambda row: (order.index(row.group), -row.score, row.id))
    while rows:
        # Without cuts, as `build` compares it.
        over = session.pick_in_order([row.id for row in rows]).layout(over="fail").upper - limit
        if over <= 0:
            return rows
        least = iter(sorted(rows, key=lambda row: row.score))
        gone: set[str] = set()
        while over > 0 and (row := next(least, None)) is not None:
            gone.add(row.id)
            over -= row.tokens
        rows = [row for row in rows if row.id not in gone]
    return rows
