"""Drafts of texts that are not parts of a document: results of queries, and single lines of a document."""

from __future__ import annotations

from dataclasses import dataclass

from ctxtui.core.files.text import Lines
from ctxtui.core.markdown.scan import is_outlined
from ctxtui.core.notices import Notice
from ctxtui.core.payload.formats import Label
from ctxtui.core.payload.types import Draft
from ctxtui.core.secrets import Secrets, guarded
from ctxtui.core.source import RECORD
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import span
from ctxtui.session.answers import Answer
from ctxtui.session.picks import QueryPick, SnippetPick
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TextDrafter:
    """Makes drafts of whole texts for one counter and one way to treat secrets."""

    counter: TokenCounter
    secrets: Secrets

    def query(self, pick: QueryPick, answer: Answer) -> tuple[Draft | None, tuple[Notice, ...]]:
        """The result of a query as one block; None if it is empty."""
        if not answer.text.strip():
            nothing = Notice("empty-query", f"{pick.name} finds nothing now")
            return None, answer.notices if answer.failed else (*answer.notices, nothing)
        label = Label(pick.label)
        draft, notices = self._draft(pick.id, label, RECORD, pick.pinned, answer.text, f"query {pick.name}", None)
        return draft, (*answer.notices, *notices)

    def snippet(self, pick: SnippetPick, workspace: Workspace) -> tuple[Draft | None, tuple[Notice, ...]]:
        """The lines of a document; None with a notice if it no longer has them.

        Raises ContextError if the document cannot be read.
        """
        reference = workspace.require(pick.document)
        document = workspace.document(reference)
        lines = Lines.of(document.text)
        text = document.text[lines.start(pick.first - 1) : lines.start(pick.last)]
        label = Label(reference.path, (), is_outlined(reference.path), f"lines {pick.first}-{pick.last}")
        if not text.strip():
            return None, (Notice("no-lines", f"there is no longer any text on {label.only}", reference.path),)
        return self._draft(pick.id, label, reference.priority, pick.pinned, text, reference.path, pick.first)

    def _draft(
        self, id_: str, label: Label, priority: int, pinned: bool, text: str, place: str, first: int | None
    ) -> tuple[Draft, tuple[Notice, ...]]:
        shown, notices = guarded(text, place, self.secrets, first)
        size = span(self.counter, shown)
        draft = Draft(id_, label, priority, pinned, size, lambda: shown, secrets=len(notices))
        return draft, notices
