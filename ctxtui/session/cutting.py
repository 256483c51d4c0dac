"""Cutting: the part of a document that a pick selects, with its exact size and its secrets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ctxtui.core.code.languages import language_of
from ctxtui.core.code.outline import Gap, elided
from ctxtui.core.files.reader import Reader
from ctxtui.core.markdown.document import Document
from ctxtui.core.markdown.task_filter import TASK_FILTERS, filtered_text
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.notices import Notice
from ctxtui.core.payload.body import Body, body_of, known_body, whole_block
from ctxtui.core.payload.formats import Format
from ctxtui.core.secrets import Secret, Secrets, find_secrets, redact, secret_error, secret_notice
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import Span, join_all, span
from ctxtui.session.outlines import gaps_beside, is_shown, no_outline_notice, outlined_text, redacted_outline
from ctxtui.session.picks import Pick

_Ranges = tuple[tuple[int, int], ...]


class Cutting(NamedTuple):
    """The selected part of one version of a document: the ranges, their size, the names of its sections.

    `tasks` is the filter applied to the text of the ranges; with `outline`, the rest of the document is outlined.
    `notices` are about its secrets; if nothing is selected, they say why. Without `fences` no fenced code is in it.
    """

    ranges: _Ranges
    tasks: str | None
    size: Span
    sections: tuple[str, ...]
    notices: tuple[Notice, ...]
    outline: bool = False
    fences: bool = True


Cut = tuple[Cutting, tuple[str, ...]]
"""A cutting, and the slugs of the sections that the document no longer has."""

_NOTHING = Cutting((), None, Span(), (), ())


class Cutter:
    """Cuts documents for one counter and one way to treat secrets."""

    def __init__(self, reader: Reader, counter: TokenCounter, secrets: Secrets) -> None:
        self._reader = reader
        self._counter = counter
        self._secrets: Secrets = secrets

    def known(self, pick: Pick, reference: Reference) -> Cut | None:
        """The cut of a whole document without secrets that was measured before, in any process: it is not read."""
        size = self._reader.size(reference, self._counter) if pick.is_plain else None
        if size is None:
            return None
        body = known_body(reference.path, size.digest, self._counter, self._reader.passes)
        return (_whole(body, body.size, ()), ()) if body is not None else None

    def cut(self, pick: Pick, document: Document) -> Cut:
        """What a pick selects of a document; raises SecretFound if there is a secret in it that must not be."""
        reader, counter = self._reader, self._counter
        if pick.is_plain:
            return self._uncut(document), ()
        ranges, sections = _ranges(pick, document)
        lost = pick.lost(document)
        gaps = gaps_beside(document, ranges) if pick.outline else None
        if gaps is not None:
            return self._outlined(document, ranges, sections, gaps), lost
        if not ranges:
            told = (no_outline_notice([document.path]),) if pick.outline else ()
            return _NOTHING._replace(notices=told), lost
        text = _text(document, ranges, pick.tasks) if pick.tasks else None
        if text == "":
            message = f"no text of {document.path} remains with {TASK_FILTERS[pick.tasks or '']}"
            return _NOTHING._replace(notices=(Notice("no-tasks", message, document.path),)), lost
        notices = self._secret_notices(document, ranges, text)
        if notices and self._secrets == "redact":
            text = redact(_text(document, ranges, pick.tasks), reader.passes)[0]
        if text is None:
            size = join_all(counter, (reader.span(document, counter, *each) for each in ranges))
        else:
            size = span(counter, text)
        return Cutting(ranges, pick.tasks, size, sections, notices), lost

    def text(self, document: Document, cutting: Cutting) -> str:
        """The text of a cutting as it is exported, from a document that may have changed since."""
        redacts = bool(cutting.notices) and self._secrets == "redact"
        if cutting.outline and redacts:
            return redacted_outline(document, cutting.ranges)
        if cutting.outline:
            # A file that lost its outline since it was measured is shown as far as it was.
            return outlined_text(document, cutting.ranges) or _text(document, cutting.ranges, None)
        text = _text(document, cutting.ranges, cutting.tasks)
        return redact(text, self._reader.passes)[0] if redacts else text

    def _outlined(self, document: Document, ranges: _Ranges, sections: tuple[str, ...], gaps: list[Gap]) -> Cutting:
        found = find_secrets(document.text, self._reader.passes)
        notices = self._told(document, [(each, each.start) for each in found if is_shown(each, gaps)])
        is_redacted = notices and self._secrets == "redact"
        text = redacted_outline(document, ranges) if is_redacted else elided(document.text, gaps)
        return Cutting(ranges, None, span(self._counter, text), sections, notices, True)

    def block(self, document: Document, form: Format) -> tuple[Cutting, tuple[int, int] | None]:
        """All of a document behind its frontmatter, and its sizes as `measure` gives them for a later block.

        They are None if they are not those of the text as it is exported. Raises as `cut` does.
        """
        reader, counter = self._reader, self._counter
        found = whole_block(form, document, lambda: reader.entry(document, counter).counts, counter, reader.passes)
        cutting = self._of_body(document, found.body)
        is_exported = not cutting.notices or self._secrets == "redact"
        return cutting, (found.units, found.text_units) if is_exported else None

    def _uncut(self, document: Document) -> Cutting:
        """All of a document behind its frontmatter."""
        reader, counter = self._reader, self._counter
        body = body_of(document, lambda: reader.entry(document, counter).counts, counter, reader.passes)
        return self._of_body(document, body)

    def _of_body(self, document: Document, body: Body) -> Cutting:
        reader, counter = self._reader, self._counter
        if not body.secrets:
            return _whole(body, body.size, ())
        notices = self._told(document, [(each, body.start + each.start) for each in body.secrets])
        size = body.size
        if notices and self._secrets == "redact":
            size = span(counter, redact(document.text[body.start :], reader.passes)[0])
        return _whole(body, size, notices)

    def _secret_notices(self, document: Document, ranges: _Ranges, text: str | None) -> tuple[Notice, ...]:
        """The secrets in some ranges; if `text` is narrower, only those in it."""
        found = [
            (secret, start + secret.start)
            for start, end in ranges
            for secret in find_secrets(document.text[start:end], self._reader.passes)
            if text is None or document.text[start + secret.start : start + secret.end] in text
        ]
        return self._told(document, found)

    def _told(self, document: Document, found: Sequence[tuple[Secret, int]]) -> tuple[Notice, ...]:
        """Notices of secrets with their offsets in the document; raises SecretFound if there must be none."""
        lines = [document.text.count("\n", 0, offset) + 1 for _, offset in found]
        if found and self._secrets == "fail":
            raise secret_error(f"{document.path}:{lines[0]}", found[0][0].rule)
        return tuple(
            secret_notice(secret.rule, self._secrets, document.path, line)
            for (secret, _), line in zip(found, lines, strict=True)
        )


def _whole(body: Body, size: Span, notices: tuple[Notice, ...]) -> Cutting:
    return Cutting(((body.start, body.end),), None, size, (), notices, fences=body.fences)


def _text(document: Document, ranges: _Ranges, tasks: str | None) -> str:
    if tasks:
        return filtered_text(document, tasks, ranges)
    return "".join(document.text[start:end] for start, end in ranges)


def _ranges(pick: Pick, document: Document) -> tuple[_Ranges, tuple[str, ...]]:
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
