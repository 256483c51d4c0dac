"""Drafts of texts that are not parts of a document: results of queries, and single lines of a document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ctxtui.core.dataclass import dataclass
from ctxtui.core.files.text import Lines
from ctxtui.core.markdown.scan import is_outlined
from ctxtui.core.notices import Notice
from ctxtui.core.passes import Passes
from ctxtui.core.payload.formats import Label
from ctxtui.core.payload.types import Draft
from ctxtui.core.secrets import Secrets, find_in_diff, find_secrets, guarded
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
    passes: Passes

    def query(self, pick: QueryPick, answer: Answer) -> tuple[tuple[Draft, ...], tuple[Notice, ...]]:
        """The result of a query as blocks, one or one for each item; none if it is empty."""
        if not answer.text.strip():
            nothing = Notice("empty-query", f"{pick.name} finds nothing now")
            return (), answer.notices if answer.failed else (*answer.notices, nothing)
        drafts: list[Draft] = []
        notices = list(answer.notices)
        for id_, label, text, place in _blocks(pick, answer):
            draft, found = self._draft(id_, label, RECORD, pick.pinned, text, place, None)
            drafts.append(draft)
            notices += found
        return tuple(drafts), tuple(notices)

    def snippet(self, pick: SnippetPick, workspace: Workspace) -> tuple[Draft | None, tuple[Notice, ...]]:
        """The lines of a document; None with a notice if it no longer has them.

        Raises ContextError if the document cannot be read.
        """
        reference = workspace.require(pick.document)
        document = workspace.document(reference)
        text = Lines.of(document.text).text(document.text, pick.first, pick.last)
        label = Label(reference.path, (), is_outlined(reference.path), f"lines {pick.first}-{pick.last}")
        if not text.strip():
            return None, (Notice("no-lines", f"there is no longer any text on {label.only}", reference.path),)
        damage = (document.damage,) if document.damage else ()
        draft, told = self._draft(pick.id, label, reference.priority, pick.pinned, text, reference.path, pick.first)
        return draft, (*told, *damage)

    def _draft(
        self, id_: str, label: Label, priority: int, pinned: bool, text: str, place: str, first: int | None
    ) -> tuple[Draft, tuple[Notice, ...]]:
        find = partial(find_in_diff if label.language == "diff" else find_secrets, passes=self.passes)
        shown, notices = guarded(text, place, self.secrets, first, find)
        size = span(self.counter, shown)
        draft = Draft(id_, label, priority, pinned, size, lambda: shown, secrets=len(notices))
        return draft, notices


def _blocks(pick: QueryPick, answer: Answer) -> Iterator[tuple[str, Label, str, str]]:
    """The id, the label, the text of each block of an answer, and how messages name it."""
    label = Label(pick.label, markdown=answer.language is None, language=answer.language)
    if not answer.apart:
        yield pick.id, label, answer.text, f"query {pick.name}"
        return
    for item in answer.items:
        yield pick.block(item.id), replace(label, source=item.source, only=pick.label), item.text, item.source
