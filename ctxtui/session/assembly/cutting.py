"""Cutting: the part of a document that a pick selects, with its exact size and secrets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ctxtui.core.base.notices import Notice
from ctxtui.core.documents.reader import Reader
from ctxtui.core.payload.body import Body, body_of, known_body, whole_block
from ctxtui.core.payload.formats import Format
from ctxtui.core.text.code.languages import language_of
from ctxtui.core.text.code.outline import Gap, elided_pieces
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.task_filter import TASK_FILTERS, filtered_pieces
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.secrets import Cut, Secret, Secrets, lines_at, redacted, secret_notices
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import Span, join_all, span
from ctxtui.session.outlines import gaps_beside, no_outline_notice
from ctxtui.session.picks import Pick

_Ranges = tuple[tuple[int, int], ...]


class Cutting(NamedTuple):
    """The selected part of one version of a document: its ranges of characters, and its size.

    `tasks` filters the text of the ranges. `sections` names selected sections, none if all are selected. With
    `outline`, the rest of the document is outlined. `notices` are about secrets, or say why nothing is selected.
    `missing` are the slugs of selected sections that the document no longer has. For a whole document, `body` has its
    measured text: size, secrets and fences.
    """

    ranges: _Ranges
    tasks: str | None
    size: Span
    sections: tuple[str, ...]
    notices: tuple[Notice, ...]
    outline: bool = False
    body: Body | None = None
    missing: tuple[str, ...] = ()


_NOTHING = Cutting((), None, Span(), (), ())


class Cutter:
    """Cuts documents for one counter and one policy for secrets."""

    def __init__(self, reader: Reader, counter: TokenCounter, secrets: Secrets) -> None:
        self._reader = reader
        self._counter = counter
        self._secrets: Secrets = secrets

    def known_whole(self, pick: Pick, reference: Reference) -> Cutting | None:
        """The cutting of a plain pick whose file is measured and has no secret, else None. Reads no file."""
        size = self._reader.known_size(reference, self._counter) if pick.is_plain else None
        if size is None:
            return None
        body = known_body(reference.path, size.digest, self._counter, self._reader.cache)
        return _whole_cutting(body, body.size, ()) if body is not None else None

    def cut(self, pick: Pick, document: Document) -> Cutting:
        """The part of a document that a pick selects, measured with redacted secrets if secrets are redacted.

        Without ranges and outline, nothing is selected, and notices or `missing` say why. Raises SecretFound if
        secrets must fail.
        """
        reader, counter = self._reader, self._counter
        if pick.is_plain:
            body = body_of(document, lambda: reader.entry(document, counter).counts, counter, reader.cache)
            return self._cutting_of_body(document, body)
        ranges, sections = _picked_ranges(pick, document)
        missing = pick.missing(document)
        gaps = gaps_beside(document, ranges) if pick.outline else None
        if gaps is not None:
            exported, notices = self._guarded(document, _cut_of_outline(document, gaps))
            return Cutting(ranges, None, span(counter, exported), sections, notices, True, missing=missing)
        if not ranges:
            why = (no_outline_notice([document.path]),) if pick.outline else ()
            return _NOTHING._replace(notices=why, missing=missing)
        cut = _cut_of_ranges(document, ranges, pick.tasks)
        if not cut.text and pick.tasks:
            message = f"no text of {document.path} remains with {TASK_FILTERS[pick.tasks]}"
            return _NOTHING._replace(notices=(Notice("no-tasks", message, document.path),), missing=missing)
        exported, notices = self._guarded(document, cut)
        if exported is cut.text and not pick.tasks:
            size = join_all(counter, (reader.span(document, counter, *each) for each in ranges))
        else:
            size = span(counter, exported)
        return Cutting(ranges, pick.tasks, size, sections, notices, missing=missing)

    def text(self, document: Document, cutting: Cutting, *, is_same: bool = False) -> str:
        """The exported text of a cutting. If the document `is_same` as when cut, the known secrets are used again."""
        # If the file lost its outline since, only the ranges are shown.
        gaps = gaps_beside(document, cutting.ranges) if cutting.outline else None
        if gaps is None:
            cut = _cut_of_ranges(document, cutting.ranges, cutting.tasks)
        else:
            cut = _cut_of_outline(document, gaps)
        found = cutting.body.secrets if is_same and cutting.body else cut.secrets(self._reader.cache)
        return self._exported(cut, found)

    def _guarded(self, document: Document, cut: Cut) -> tuple[str, tuple[Notice, ...]]:
        """The exported text of a cut, and notices about secrets. Raises SecretFound."""
        found = cut.secrets(self._reader.cache)
        return self._exported(cut, found), self._notices(document, found, [cut.back(each.start) for each in found])

    def _exported(self, cut: Cut, found: Sequence[Secret]) -> str:
        return redacted(cut.text, found, 0, len(cut.text))[0] if found and self._secrets == "redact" else cut.text

    def cut_as_block(self, document: Document, form: Format) -> tuple[Cutting, tuple[int, int] | None]:
        """The body of a document, and its units as a block, with wrapper and without. Raises as `cut` does.

        The units are None if secrets are exported: they are measured with redacted secrets.
        """
        reader, counter = self._reader, self._counter
        found = whole_block(form, document, lambda: reader.entry(document, counter).counts, counter, reader.cache)
        cutting = self._cutting_of_body(document, found.body)
        is_exported = not cutting.notices or self._secrets == "redact"
        return cutting, (found.units, found.text_units) if is_exported else None

    def _cutting_of_body(self, document: Document, body: Body) -> Cutting:
        counter = self._counter
        if not body.secrets:
            return _whole_cutting(body, body.size, ())
        notices = self._notices(document, body.secrets, [body.start + each.start for each in body.secrets])
        size = body.size
        if self._secrets == "redact":
            exported = document.text[body.start :]
            size = span(counter, redacted(exported, body.secrets, 0, len(exported))[0])
        return _whole_cutting(body, size, notices)

    def _notices(self, document: Document, found: Sequence[Secret], offsets: Sequence[int]) -> tuple[Notice, ...]:
        """Notices about the secrets `found` at offsets of the document. Raises SecretFound if secrets must fail."""
        return secret_notices(found, document.path, self._secrets, lines_at(document.text, offsets)) if found else ()


def _whole_cutting(body: Body, size: Span, notices: tuple[Notice, ...]) -> Cutting:
    return Cutting(((body.start, body.end),), None, size, (), notices, body=body)


def _cut_of_ranges(document: Document, ranges: _Ranges, tasks: str | None) -> Cut:
    return Cut.of(document.text, filtered_pieces(document, tasks, ranges) if tasks else ranges)


def _cut_of_outline(document: Document, gaps: list[Gap]) -> Cut:
    return Cut.of(document.text, elided_pieces(document.text, gaps))


def _picked_ranges(pick: Pick, document: Document) -> tuple[_Ranges, tuple[str, ...]]:
    """The selected ranges of characters, and the names of the selected sections, empty if all are selected."""
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
    """The names (for code, the slugs) of the `taken` parts, without those inside another taken part."""
    is_code = language_of(document.path) is not None
    return tuple(
        part.slug if is_code else part.name
        for part, is_taken in zip(document.parts, taken, strict=True)
        if is_taken and (part.parent is None or not taken[part.parent])
    )
