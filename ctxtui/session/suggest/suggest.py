"""The suggestion: what belongs to a task, ranked, explained, within a budget, on the index of `retrieve`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from ctxtui.agents.globs import Trigger
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
from ctxtui.session.suggest.fill import OF_DOCUMENTS, SHARES, Group, Proposal, fill
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
    """The proposals for a task, without the parts that are picked already.

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
        yield from self._parts(parts.best(_code(self.files.main), with_history=True), "code")
        yield from self._parts(parts.best(self.files.tests[:_TEST_FILES]), "test")
        yield from self._outlines([each for each in _code(self.files.main) if has_grammar(each.path)][:_OUTLINES])
        documents = [each for each in self.files.main if each.kind in ("document", "translation")][:_DOCUMENTS]
        yield from self._parts(parts.best(documents), "document")
        if self.files.main:
            yield from self._rules()

    def _parts(self, parts: Sequence[RankedPart], group: Group) -> Iterator[Proposal]:
        for part in parts:
            yield Proposal(part.id, part.tokens, self._why(part), group, round(part.score, 4))

    def _outlines(self, files: Sequence[RankedFile]) -> Iterator[Proposal]:
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


def _code(files: Sequence[RankedFile]) -> list[RankedFile]:
    return [each for each in files if each.kind in ("code", "other")][:_CODE_FILES]
