"""Drafts: picks as texts with exact sizes, ready to be assembled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from ctxtui.core.base.cancel import Check
from ctxtui.core.base.errors import Binary, ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.target import Target
from ctxtui.core.base.wording import plural
from ctxtui.core.documents.source import RECORD
from ctxtui.core.payload.assembly import measured_at
from ctxtui.core.payload.body import LATER
from ctxtui.core.payload.formats import MARKDOWN, Format, Label
from ctxtui.core.payload.types import Draft
from ctxtui.core.text.code.outline import OUTLINE
from ctxtui.core.text.decode import damage_at
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.fenced import may_end_open, open_end
from ctxtui.core.text.markdown.scan import has_markdown_text
from ctxtui.core.text.markdown.task_filter import TASK_FILTERS
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.secrets import (
    Cut,
    Secret,
    SecretFound,
    Secrets,
    find_with_hidden,
    lines_at,
    redacted,
    secret_notices,
)
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import span
from ctxtui.session.assembly.cutting import Cutter, Cutting
from ctxtui.session.glob_picks import matches_of
from ctxtui.session.outlines import NO_OUTLINE, no_outline_notice
from ctxtui.session.picks import AnyPick, GlobPick, Pick, QueryPick, SnippetPick
from ctxtui.session.queries.answers import Answer
from ctxtui.workspace.workspace import Workspace


class Drafts(NamedTuple):
    """The drafts of one or many picks, the ids that are missing, and notices."""

    ready: tuple[Draft, ...] = ()
    missing: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


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
        self._read = workspace.reader.read_once if hold else workspace.reader.document

    def draft_all(self, picks: tuple[AnyPick, ...], check: Check) -> Drafts:
        """The drafts of all picks in order. A pick that cannot be read is missing, with a notice.

        `check` is called for every pick and every document of a query. Raises SecretFound if secrets must fail.
        """
        ready: list[Draft] = []
        missing: list[str] = []
        notices: list[Notice] = []
        whole = {pick.id for pick in picks if isinstance(pick, Pick) and pick.is_plain}
        for pick in picks:
            check()
            drafts = self._or_missing(pick.id, pick, partial(self._pick_drafts, pick, whole, check))
            ready += drafts.ready
            missing += drafts.missing
            notices += drafts.notices
        return Drafts(tuple(ready), tuple(missing), _grouped(notices))

    def _or_missing(self, id_: str, pick: AnyPick, make: Callable[[], Drafts]) -> Drafts:
        """The result of `make`. A binary file is left out with a notice, an unreadable file is missing as `id_`."""
        try:
            return make()
        except SecretFound:
            raise
        except ContextError as error:
            reference = self._workspace.by_id.get(pick.document if isinstance(pick, SnippetPick) else pick.id)
            path = reference.path if reference else None
            if isinstance(error, Binary):
                message = "it is binary and left out" if path else error.message
                return Drafts(notices=(Notice("binary-file", message, path),))
            notices = (Notice("unreadable-file", error.message, path),) if path else ()
            return Drafts(missing=(id_,), notices=notices)

    def _pick_drafts(self, pick: AnyPick, whole: Collection[str], check: Check) -> Drafts:
        """The drafts of any pick. A pattern has only notices, a query without an answer is missing."""
        if isinstance(pick, Pick):
            return self._document_drafts(pick)
        if isinstance(pick, GlobPick):
            return Drafts(notices=matches_of(self._workspace, pick).notices)
        if isinstance(pick, SnippetPick):
            return self._lines_drafts(pick)
        answer = self._answers.get(pick.definition)
        if answer is None:
            return Drafts(missing=(pick.id,))
        return self._found_drafts(pick, answer, whole, check) if answer.picks else self._block_drafts(pick, answer)

    def _found_drafts(self, query: QueryPick, answer: Answer, whole: Collection[str], check: Check) -> Drafts:
        """Drafts of the documents that a query found, except documents that are picked `whole` by themselves."""
        ready: list[Draft] = []
        missing: list[str] = []
        notices = list(answer.notices)
        for pick in answer.picks:
            if pick.id in whole:
                continue
            check()
            id_ = query.block_id(pick.id)
            drafts = self._or_missing(id_, pick, partial(self._document_drafts, pick))
            ready += (replace(draft, id=id_, kept=draft.kept or query.pinned) for draft in drafts.ready)
            # Also for sections that vanished after the query was computed.
            if drafts.missing:
                missing.append(id_)
            notices += drafts.notices
        return Drafts(tuple(ready), tuple(missing), tuple(notices))

    def _block_drafts(self, pick: QueryPick, answer: Answer) -> Drafts:
        """The result of a query as one block or one block per item. An empty result has no block, but a notice."""
        missing = (pick.id,) if answer.error else ()
        if not answer.text.strip():
            nothing = Notice("empty-query", f"{pick.name} finds nothing now")
            return Drafts((), missing, answer.notices if answer.error else (*answer.notices, nothing))
        ready: list[Draft] = []
        notices = list(answer.notices)
        for id_, label, text, place, hidden in _blocks(pick, answer):
            secrets = find_with_hidden(text, hidden, self._workspace.reader.cache)
            lines = [None] * len(secrets)
            draft, more = self._text_draft(id_, label, RECORD, pick.pinned, text, place, secrets, lines)
            ready.append(draft)
            notices += more
        return Drafts(tuple(ready), missing, tuple(notices))

    def _lines_drafts(self, pick: SnippetPick) -> Drafts:
        """The draft of picked lines, missing with a notice if they are gone. Raises as `Workspace.document` does."""
        reference = self._workspace.require(pick.document)
        document = self._workspace.document(reference)
        cut = Cut.of(document.text, [document.lines.span(pick.first, pick.last)])
        label = Label(reference.path, (), has_markdown_text(reference.path), f"lines {pick.first}-{pick.last}")
        if not cut.text.strip():
            gone = Notice("no-lines", f"there is no longer any text on {label.only}", reference.path)
            return Drafts(missing=(pick.id,), notices=(gone,))
        secrets = cut.secrets(self._workspace.reader.cache)
        lines = lines_at(document.text, [cut.back(secret.start) for secret in secrets])
        draft, notices = self._text_draft(
            pick.id, label, reference.priority, pick.pinned, cut.text, reference.path, secrets, lines
        )
        return Drafts((draft,), notices=(*notices, *((document.damage,) if document.damage else ())))

    def _text_draft(
        self,
        id_: str,
        label: Label,
        priority: int,
        pinned: bool,
        text: str,
        place: str,
        found: Sequence[Secret],
        lines: Sequence[int | None],
    ) -> tuple[Draft, tuple[Notice, ...]]:
        """The draft of a text with the secrets `found` in it, and notices about them at `lines` of a `place`."""
        notices = secret_notices(found, place, self._secrets, lines)
        shown = redacted(text, found, 0, len(text))[0] if self._secrets == "redact" else text
        size = span(self._counter, shown)
        return Draft(id_, label, priority, pinned, size, lambda: shown, secrets=len(notices)), notices

    def _document_drafts(self, pick: Pick) -> Drafts:
        """The draft of a picked document, and its missing sections. Without `hold`, cached by the file's version.

        Raises as `Workspace.require` and `Workspace.document` do, and SecretFound.
        """
        reference = self._workspace.require(pick.id)
        reader, cutter = self._workspace.reader, self._cutter
        if self._hold and pick.is_plain:
            return self._whole_drafts(pick, reference, self._read(reference))
        if self._hold:
            # The reader keeps the parsed document in memory.
            document = reader.document(reference)
            return self._make_drafts(pick, reference, cutter.cut(pick, document), document, document.damage)

        def measured() -> Drafts:
            known = cutter.known_whole(pick, reference)
            if known is not None:
                size = reader.known_size(reference, self._counter)
                damage = damage_at(reference.path, size.damage) if size is not None and size.damage else None
                return self._make_drafts(pick, reference, known, None, damage)
            document = reader.document(reference)
            return self._make_drafts(pick, reference, cutter.cut(pick, document), None, document.damage)

        # The common case while browsing: this version was measured before.
        key = ("draft", pick, reference.stamp, reference.priority, self._counter.key, self._secrets)
        drafted: Drafts = reader.derived.get(key, measured)
        return drafted

    def _whole_drafts(self, pick: Pick, reference: Reference, document: Document) -> Drafts:
        """The draft of a whole document, also measured as a block if the wrapper does not depend on the position."""
        if self._form is None:
            return self._make_drafts(pick, reference, self._cutter.cut(pick, document), document, document.damage)
        cutting, sizes = self._cutter.cut_as_block(document, self._form)
        drafts = self._make_drafts(pick, reference, cutting, document, document.damage)
        if sizes is not None:
            for draft in drafts.ready:
                draft.measured[measured_at(self._form, self._counter, LATER)] = sizes
        return drafts

    def _make_drafts(
        self, pick: Pick, reference: Reference, cutting: Cutting, held: Document | None, damage: Notice | None
    ) -> Drafts:
        """The draft of a cutting, none if it is empty. Without a `held` document, its text is read on request."""
        missing = tuple(str(Target(pick.id, slug)) for slug in cutting.missing)
        reader, cutter = self._workspace.reader, self._cutter
        notices = cutting.notices
        if missing and (why := (held or reader.document(reference)).why_undivided):
            notices += (Notice("no-grammar", f"{plural(len(missing), 'section')} not found: {why}", reference.path),)
        if not cutting.ranges and not cutting.outline:
            return Drafts(missing=missing, notices=notices)
        draft = Draft(
            id=pick.id,
            label=Label(
                reference.path, cutting.sections, has_markdown_text(reference.path), _label_words(pick, cutting)
            ),
            priority=reference.priority,
            kept=pick.pinned or reference.protected,
            size=cutting.size,
            body=lambda: cutter.text(held or reader.document(reference), cutting, is_same=held is not None),
            secrets=len(cutting.notices),
            fences=cutting.body is None or cutting.body.fences,
            sections=max(1, sum(wanted for _, wanted in pick.marks)),
            narrower=lambda count: next(iter(self._document_drafts(pick.narrowed(count)).ready), None),
        )
        if pick.outline and not cutting.outline:
            notices += (no_outline_notice([reference.path]),)
        notices += (damage,) if damage else ()
        if held is not None and draft.label.markdown and self._is_markdown and not cutting.outline:
            notices += _open_end(held, cutting)
        return Drafts((draft,), missing, notices)


def _open_end(document: Document, cutting: Cutting) -> tuple[Notice, ...]:
    """A notice if the document ends inside a fence or comment, which would swallow the next blocks."""
    is_last = cutting.ranges[-1][1] == len(document.text)
    may_be = cutting.body.may_end_open if cutting.body else may_end_open(document.text)
    return open_end(document)[1] if is_last and may_be and not cutting.tasks else ()


def _label_words(pick: Pick, cutting: Cutting) -> str:
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


def _blocks(pick: QueryPick, answer: Answer) -> Iterator[tuple[str, Label, str, str, Sequence[Secret]]]:
    """For each block of an answer: its id, label, text, name for notices, and its item's `hidden` secrets."""
    label = Label(pick.label, markdown=answer.language is None, language=answer.language)
    if answer.apart:
        for item in answer.items:
            shown = replace(label, source=item.source, only=pick.label)
            yield pick.block_id(item.id), shown, item.text, item.source, item.hidden
        return
    starts = accumulate((len(item.text) for item in answer.items), initial=0)
    hidden = [
        replace(each, start=start + each.start, end=start + each.end)
        for item, start in zip(answer.items, starts, strict=False)
        for each in item.hidden
    ]
    yield pick.id, label, answer.text, f"query {pick.name}", hidden
