"""Drafts: the picks of a selection as texts with exact sizes, ready to be assembled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from ctxtui.core.cancel import Check, go_on
from ctxtui.core.code.languages import language_of
from ctxtui.core.errors import ContextError
from ctxtui.core.files.reader import Reader
from ctxtui.core.markdown.document import Document
from ctxtui.core.markdown.scan import is_outlined
from ctxtui.core.markdown.task_filter import TASK_FILTERS, filtered_text
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.notices import Notice
from ctxtui.core.payload.formats import Label
from ctxtui.core.payload.types import Draft
from ctxtui.core.secrets import SecretFound, Secrets, find_secrets, guarded, redact, secret_error, secret_notice
from ctxtui.core.target import Target
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import Span, join_all, span
from ctxtui.session.answers import Answer
from ctxtui.session.glob_picks import found
from ctxtui.session.picks import AnyPick, GlobPick, Pick, QueryPick, SnippetPick
from ctxtui.session.text_drafts import TextDrafter
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Drafts:
    """The drafts of a selection, its missing picks, and the notices."""

    ready: tuple[Draft, ...]
    missing: tuple[str, ...]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class _Cutting:
    """The selected part of one version of a document: the ranges, their size, the names of its sections.

    `tasks` is the filter applied to the text of the ranges.
    """

    ranges: tuple[tuple[int, int], ...]
    tasks: str | None
    size: Span
    sections: tuple[str, ...]
    # About its secrets; if nothing is selected, the reason.
    notices: tuple[Notice, ...]


_NOTHING = _Cutting((), None, Span(), (), ())
_Drafted = tuple[Draft | None, tuple[str, ...], tuple[Notice, ...]]
_Many = tuple[tuple[Draft, ...], tuple[str, ...], tuple[Notice, ...]]


class Drafter:
    """Makes drafts of picks for one counter and one way to treat secrets.

    With `hold`, a draft keeps exactly the text that was measured, so that a payload cannot differ from its
    count; without it, texts are read again on request.
    """

    def __init__(
        self,
        workspace: Workspace,
        counter: TokenCounter,
        secrets: Secrets,
        hold: bool,
        answers: Mapping[str, Answer],
    ) -> None:
        self._workspace = workspace
        self._counter = counter
        self._secrets: Secrets = secrets
        self._hold = hold
        self._answers = answers

    def draft_all(self, picks: tuple[AnyPick, ...], check: Check = go_on) -> Drafts:
        """The drafts of all picks in order; a pick that cannot be read is missing, with a notice."""
        ready: list[Draft] = []
        missing: list[str] = []
        notices: list[Notice] = []
        whole = {pick.id for pick in picks if isinstance(pick, Pick) and pick.is_plain}
        for pick in picks:
            check()
            path = self._path(pick)
            try:
                drafts, lost, found = self._any(pick, whole, check)
            except SecretFound:
                raise
            except ContextError as error:
                missing.append(pick.id)
                if path is not None:
                    notices.append(Notice("unreadable-file", error.message, path))
                continue
            missing += lost
            notices += found
            ready += drafts
        return Drafts(tuple(ready), tuple(missing), tuple(notices))

    def _path(self, pick: AnyPick) -> str | None:
        id_ = pick.document if isinstance(pick, SnippetPick) else pick.id
        reference = self._workspace.by_id.get(id_)
        return reference.path if reference else None

    def _any(self, pick: AnyPick, whole: Collection[str], check: Check) -> _Many:
        if isinstance(pick, Pick):
            draft, lost, notices = self._draft(pick, self._workspace.require(pick.id))
            return _listed(draft), tuple(str(Target(pick.id, slug)) for slug in lost), notices
        if isinstance(pick, GlobPick):
            return (), (), found(self._workspace, pick).notices
        texts = TextDrafter(self._counter, self._secrets)
        if isinstance(pick, SnippetPick):
            draft, notices = texts.snippet(pick, self._workspace)
            return _listed(draft), () if draft else (pick.id,), notices
        answer = self._answers.get(pick.definition)
        if answer is None:
            return (), (pick.id,), ()
        if answer.picks:
            return self._found(pick, answer, whole, check)
        drafts, notices = texts.query(pick, answer)
        return drafts, (pick.id,) if answer.failed else (), notices

    def _found(self, query: QueryPick, answer: Answer, whole: Collection[str], check: Check) -> _Many:
        """The documents that a query finds, as if they were picked; those that are picked `whole` come only once."""
        drafts: list[Draft] = []
        missing: list[str] = []
        notices = list(answer.notices)
        for pick in answer.picks:
            if pick.id in whole:
                continue
            check()
            try:
                draft, lost, found = self._draft(pick, self._workspace.require(pick.id))
            except SecretFound:
                raise
            except ContextError as error:
                missing.append(query.block(pick.id))
                notices.append(Notice("unreadable-file", error.message, self._path(pick)))
                continue
            # Sections that vanished since the query was computed.
            missing += [query.block(pick.id)] if lost else []
            notices += found
            if draft is not None:
                drafts.append(replace(draft, id=query.block(pick.id), kept=draft.kept or query.pinned))
        return tuple(drafts), tuple(missing), tuple(notices)

    def _draft(self, pick: Pick, reference: Reference) -> _Drafted:
        reader = self._workspace.reader
        if self._hold:
            document = reader.document(reference)
            return self._make(pick, reference, document, document)
        # The common case while browsing: this version was cut and measured before.
        drafted: _Drafted = reader.derived.get(
            self._key(pick, reference), lambda: self._make(pick, reference, reader.document(reference), None)
        )
        return drafted

    def _make(self, pick: Pick, reference: Reference, document: Document, held: Document | None) -> _Drafted:
        cutting, lost = self._cut(pick, document)
        if not cutting.ranges:
            return None, lost, cutting.notices
        draft = Draft(
            id=pick.id,
            label=Label(reference.path, cutting.sections, is_outlined(reference.path), _only(pick)),
            priority=reference.priority,
            kept=pick.pinned or reference.protected,
            size=cutting.size,
            body=self._body(self._workspace.reader, reference, held, cutting),
            secrets=len(cutting.notices),
        )
        return draft, lost, cutting.notices

    def _key(self, pick: Pick, reference: Reference) -> tuple[object, ...]:
        return ("draft", pick, reference.stamp, reference.priority, self._counter.key, self._secrets)

    def _cut(self, pick: Pick, document: Document) -> tuple[_Cutting, tuple[str, ...]]:
        reader, counter = self._workspace.reader, self._counter
        ranges, sections = _ranges(pick, document)
        lost = pick.lost(document)
        if not ranges:
            return _NOTHING, lost
        text = _text(document, ranges, pick.tasks) if pick.tasks else None
        if text == "":
            message = f"no text of {document.path} remains with {_only(pick)}"
            return replace(_NOTHING, notices=(Notice("no-tasks", message, document.path),)), lost
        notices = self._secret_notices(document, ranges, text)
        if notices and self._secrets == "redact":
            text = redact(_text(document, ranges, pick.tasks))[0]
        if text is None:
            size = join_all(counter, (reader.span(document, counter, *each) for each in ranges))
        else:
            size = span(counter, text)
        return _Cutting(ranges, pick.tasks, size, sections, notices), lost

    def _secret_notices(
        self, document: Document, ranges: tuple[tuple[int, int], ...], text: str | None
    ) -> tuple[Notice, ...]:
        """The secrets in some ranges; if `text` is narrower, only those in it."""
        found = [
            (secret, start + secret.start)
            for start, end in ranges
            for secret in find_secrets(document.text[start:end], self._workspace.reader.passes)
            if text is None or document.text[start + secret.start : start + secret.end] in text
        ]
        lines = [document.text.count("\n", 0, offset) + 1 for _, offset in found]
        if found and self._secrets == "fail":
            raise secret_error(f"{document.path}:{lines[0]}", found[0][0].rule)
        return tuple(
            secret_notice(secret.rule, self._secrets, document.path, line)
            for (secret, _), line in zip(found, lines, strict=True)
        )

    def _body(
        self, reader: Reader, reference: Reference, document: Document | None, cutting: _Cutting
    ) -> Callable[[], str]:
        redacts = bool(cutting.notices) and self._secrets == "redact"

        def body() -> str:
            text = _text(document or reader.document(reference), cutting.ranges, cutting.tasks)
            return redact(text)[0] if redacts else text

        return body


def _listed(draft: Draft | None) -> tuple[Draft, ...]:
    return () if draft is None else (draft,)


def _only(pick: Pick) -> str:
    return TASK_FILTERS[pick.tasks] if pick.tasks else ""


def _text(document: Document, ranges: tuple[tuple[int, int], ...], tasks: str | None) -> str:
    if tasks:
        return filtered_text(document, tasks, ranges)
    return "".join(document.text[start:end] for start, end in ranges)


def _ranges(pick: Pick, document: Document) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """The selected ranges of a document, and the names of the selected sections unless all of it is selected."""
    if pick.whole and not pick.marks:
        return ((document.body_start, len(document.text)),), ()
    taken = pick.taken(document)
    ranges: list[tuple[int, int]] = []
    for part, is_taken in zip(document.parts, taken, strict=True):
        if is_taken and ranges and ranges[-1][1] == part.start:
            ranges[-1] = (ranges[-1][0], part.own_end)
        elif is_taken:
            ranges.append((part.start, part.own_end))
    complete = replace(pick, tasks=None).document_state(document) == "all"
    return tuple(ranges), () if complete else _section_names(document, taken)


def _section_names(document: Document, taken: list[bool]) -> tuple[str, ...]:
    """The names of the selected parts that are not inside a selected one; of symbols, the qualified ones."""
    is_code = language_of(document.path) is not None
    return tuple(
        part.slug if is_code else part.name
        for part, is_taken in zip(document.parts, taken, strict=True)
        if is_taken and (part.parent is None or not taken[part.parent])
    )


def redact_prompt(text: str, secrets: Secrets) -> tuple[str, tuple[Notice, ...]]:
    """A prompt as exported, and notices for its secrets; raises SecretFound if `secrets` is "fail"."""
    return guarded(text, "the prompt", secrets, None)
