"""Drafts: picks as texts with exact sizes, ready to be assembled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial

from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import Binary, ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.target import Target
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.assembly import measured_at
from ctxtui.core.payload.body import LATER
from ctxtui.core.payload.formats import MARKDOWN, Format, Label
from ctxtui.core.payload.types import Draft
from ctxtui.core.text.code.outline import OUTLINE
from ctxtui.core.text.decode import damage_at
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.fenced import may_end_open, open_end
from ctxtui.core.text.markdown.scan import is_outlined
from ctxtui.core.text.markdown.task_filter import TASK_FILTERS
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.secrets import SecretFound, Secrets
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.session.assembly.cutting import Cuts, Cutter, Cutting
from ctxtui.session.assembly.text_drafts import TextDrafter
from ctxtui.session.glob_picks import found
from ctxtui.session.outlines import NO_OUTLINE, no_outline_notice
from ctxtui.session.picks import AnyPick, GlobPick, Pick, QueryPick, SnippetPick
from ctxtui.session.queries.answers import Answer
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Drafts:
    ready: tuple[Draft, ...]
    missing: tuple[str, ...]
    notices: tuple[Notice, ...]


_Drafted = tuple[Draft | None, tuple[str, ...], tuple[Notice, ...]]
"""A draft, the missing slugs of its pick, and notices."""
_Many = tuple[tuple[Draft, ...], tuple[str, ...], tuple[Notice, ...]]
"""The drafts of a pick, its missing ids, and notices."""


class Drafter:
    """Makes drafts of picks for one counter and one policy for secrets.

    With `hold`, a draft keeps the measured text, so that a payload cannot differ from its count, and is also measured
    as a block of the format. Without `hold`, texts are read again on request.
    """

    def __init__(
        self,
        workspace: Workspace,
        counter: TokenCounter,
        secrets: Secrets,
        hold: bool,
        answers: Mapping[str, Answer],
        form: Format,
    ) -> None:
        self._workspace = workspace
        self._counter = counter
        self._secrets: Secrets = secrets
        self._hold = hold
        self._cutter = Cutter(workspace.reader, counter, secrets)
        self._answers = answers
        self._is_markdown = form.name == MARKDOWN.name
        self._form = form if form.place(LATER) == form.place(LATER + 1) else None
        self._document = workspace.reader.read_once if hold else workspace.reader.document

    def draft_all(self, picks: tuple[AnyPick, ...], check: Check = go_on) -> Drafts:
        """The drafts of all picks in order. A pick that cannot be read is missing, with a notice."""
        ready: list[Draft] = []
        missing: list[str] = []
        notices: list[Notice] = []
        whole = {pick.id for pick in picks if isinstance(pick, Pick) and pick.is_plain}
        for pick in picks:
            check()
            drafts, lost, found = self._tried(pick.id, pick, partial(self._any, pick, whole, check))
            missing += lost
            notices += found
            ready += drafts
        return Drafts(tuple(ready), tuple(missing), _grouped(notices))

    def _tried(self, id_: str, pick: AnyPick, make: Callable[[], _Many]) -> _Many:
        """The result of `make`. A binary file is left out, one that cannot be read is missing as `id_`."""
        try:
            return make()
        except SecretFound:
            raise
        except ContextError as error:
            reference = self._workspace.by_id.get(pick.document if isinstance(pick, SnippetPick) else pick.id)
            path = reference.path if reference else None
            if isinstance(error, Binary):
                message = "it is binary and left out" if path else error.message
                return (), (), (Notice("binary-file", message, path),)
            return (), (id_,), (Notice("unreadable-file", error.message, path),) if path else ()

    def _any(self, pick: AnyPick, whole: Collection[str], check: Check) -> _Many:
        if isinstance(pick, Pick):
            return self._document_of(pick)
        if isinstance(pick, GlobPick):
            return (), (), found(self._workspace, pick).notices
        texts = TextDrafter(self._counter, self._secrets, self._workspace.reader.cache)
        if isinstance(pick, SnippetPick):
            drafts, notices = texts.snippet(pick, self._workspace)
            return drafts, () if drafts else (pick.id,), notices
        answer = self._answers.get(pick.definition)
        if answer is None:
            return (), (pick.id,), ()
        if answer.picks:
            return self._found(pick, answer, whole, check)
        drafts, notices = texts.query(pick, answer)
        return drafts, (pick.id,) if answer.failed else (), notices

    def _found(self, query: QueryPick, answer: Answer, whole: Collection[str], check: Check) -> _Many:
        """Drafts of the documents that a query found, without those whose ids are in `whole` (picked as a whole)."""
        drafts: list[Draft] = []
        missing: list[str] = []
        notices = list(answer.notices)
        for pick in answer.picks:
            if pick.id in whole:
                continue
            check()
            id_ = query.block(pick.id)
            found, lost, told = self._tried(id_, pick, partial(self._document_of, pick))
            # Also for sections that vanished after the query was computed.
            missing += [id_] if lost else []
            notices += told
            drafts += (replace(draft, id=id_, kept=draft.kept or query.pinned) for draft in found)
        return tuple(drafts), tuple(missing), tuple(notices)

    def _document_of(self, pick: Pick) -> _Many:
        draft, lost, notices = self._draft(pick, self._workspace.require(pick.id))
        return (draft,) if draft else (), tuple(str(Target(pick.id, slug)) for slug in lost), notices

    def _draft(self, pick: Pick, reference: Reference) -> _Drafted:
        reader, cutter = self._workspace.reader, self._cutter
        if self._hold and pick.is_plain:
            return self._whole(pick, reference, self._document(reference))
        if self._hold:
            # The reader keeps the parsed document in memory.
            document = reader.document(reference)
            return self._make(pick, reference, cutter.cut(pick, document), document, document.damage)

        def measured() -> _Drafted:
            known = cutter.known(pick, reference)
            if known is not None:
                size = reader.size(reference, self._counter)
                damage = damage_at(reference.path, size.damage) if size is not None and size.damage else None
                return self._make(pick, reference, known, None, damage)
            document = reader.document(reference)
            return self._make(pick, reference, cutter.cut(pick, document), None, document.damage)

        # The common case while browsing: this version was measured before.
        key = ("draft", pick, reference.stamp, reference.priority, self._counter.key, self._secrets)
        drafted: _Drafted = reader.derived.get(key, measured)
        return drafted

    def _whole(self, pick: Pick, reference: Reference, document: Document) -> _Drafted:
        """A whole document, with its size as a later block if the wrapper does not depend on the position."""
        if self._form is None:
            return self._make(pick, reference, self._cutter.cut(pick, document), document, document.damage)
        cutting, sizes = self._cutter.block(document, self._form)
        draft, lost, notices = self._make(pick, reference, (cutting, ()), document, document.damage)
        if draft is not None and sizes is not None:
            draft.measured[measured_at(self._form, self._counter, LATER)] = sizes
        return draft, lost, notices

    def _make(
        self, pick: Pick, reference: Reference, cut: Cuts, held: Document | None, damage: Notice | None
    ) -> _Drafted:
        cutting, lost = cut
        reader, cutter = self._workspace.reader, self._cutter
        told: tuple[Notice, ...] = ()
        if lost and (why := (held or reader.document(reference)).why_undivided):
            told = (Notice("no-grammar", f"{plural(len(lost), 'section')} not found: {why}", reference.path),)
        if not cutting.ranges and not cutting.outline:
            return None, lost, (*cutting.notices, *told)
        draft = Draft(
            id=pick.id,
            label=Label(reference.path, cutting.sections, is_outlined(reference.path), _only(pick, cutting)),
            priority=reference.priority,
            kept=pick.pinned or reference.protected,
            size=cutting.size,
            body=lambda: cutter.text(held or reader.document(reference), cutting, is_same=held is not None),
            secrets=len(cutting.notices),
            fences=cutting.body is None or cutting.body.fences,
            sections=max(1, sum(wanted for _, wanted in pick.marks)),
            narrower=lambda count: self._draft(pick.narrowed(count), reference)[0],
        )
        if pick.outline and not cutting.outline:
            told += (no_outline_notice([reference.path]),)
        told += (damage,) if damage else ()
        if held is not None and draft.label.markdown and self._is_markdown and not cutting.outline:
            told += tuple(_open_end(held, cutting))
        return draft, lost, (*cutting.notices, *told)


def _open_end(document: Document, cutting: Cutting) -> tuple[Notice, ...]:
    """A notice if the document ends inside a fence or comment, which would swallow the next blocks."""
    is_last = bool(cutting.ranges) and cutting.ranges[-1][1] == len(document.text)
    may_be = cutting.body.may_end_open if cutting.body else may_end_open(document.text)
    if not is_last or cutting.tasks or not may_be:
        return ()
    return open_end(document)[1]


def _only(pick: Pick, cutting: Cutting) -> str:
    if cutting.outline:
        return f"{OUTLINE} of the rest" if cutting.ranges else OUTLINE
    return TASK_FILTERS[pick.tasks] if pick.tasks else ""


def _grouped(notices: list[Notice]) -> tuple[Notice, ...]:
    """The notices, with those about files without an outline joined into one."""
    lacking = [notice.path for notice in notices if notice.code == NO_OUTLINE and notice.path]
    if len(lacking) < 2:
        return tuple(notices)
    others = (notice for notice in notices if notice.code != NO_OUTLINE or not notice.path)
    return (*others, no_outline_notice(lacking))
