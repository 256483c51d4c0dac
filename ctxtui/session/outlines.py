"""Outlines of documents, and notices about files without an outline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.code.cached import cache_kind, cached_result
from ctxtui.core.text.code.languages import has_grammar, is_data, language_of
from ctxtui.core.text.code.outline import Gap, elided, gaps_outside, why_no_outline
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace

NO_OUTLINE: Final = "no-outline"
_NAMED: Final = 5

Ranges = Sequence[tuple[int, int]]


def gaps_beside(document: Document, taken: Ranges) -> list[Gap] | None:
    """The ranges of text that the outline omits, except the `taken` ranges. None if the document has no outline."""
    gaps = document.outline_gaps
    return None if gaps is None else gaps_outside(document.text, gaps, taken)


def outlined_text(document: Document, taken: Ranges = ()) -> str | None:
    """The outline of a document with some ranges in full, None if it has no outline."""
    gaps = gaps_beside(document, taken)
    return None if gaps is None else elided(document.text, gaps)


def outline_tokens(document: Document, counter: TokenCounter, cache: Cache) -> int | None:
    """The tokens of a document's whole outline, cached by content and counter, None if it has no outline."""
    language = language_of(document.path)
    if language is None or not has_grammar(document.path):
        return None

    def counted() -> tuple[int | None]:
        outline = outlined_text(document)
        return (None if outline is None else counter.count(outline),)

    return cached_result(cache_kind(f"outline {counter.key}", language), document.digest, cache, counted)[0]


def with_outline(workspace: Workspace, references: Iterable[Reference]) -> list[Reference]:
    """The readable documents that have an outline, without data such as JSON unless all of these are data.

    Reads the documents.
    """
    return without_data([each for each in references if _has_outline(workspace, each)])


def without_data(references: Sequence[Reference]) -> list[Reference]:
    """The documents without data such as JSON, or all documents if all are data."""
    return [each for each in references if not is_data(each.path)] or [*references]


def _has_outline(workspace: Workspace, reference: Reference) -> bool:
    try:
        return has_grammar(reference.path) and workspace.document(reference).outline_gaps is not None
    except ContextError:
        return False


def no_outline_error(path: str) -> ContextError:
    """The error (invalid_request) that says why a file has no outline. It is returned, not raised."""
    reason, _, hint = why_no_outline(path).partition(": ")
    return invalid(f"{path} {reason}", hint=hint)


def no_outline_notice(paths: Sequence[str]) -> Notice:
    """A notice that files are left out because they have no outline."""
    if len(paths) == 1:
        return Notice(NO_OUTLINE, f"left out: it {why_no_outline(paths[0])}", paths[0])
    shown = ", ".join(paths[:_NAMED]) + (", …" if len(paths) > _NAMED else "")
    return Notice(NO_OUTLINE, f"{plural(len(paths), 'file')} without an outline left out: {shown}")
