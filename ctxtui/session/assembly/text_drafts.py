"""Drafts of query results and of snippets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.cache import Cache
from ctxtui.core.documents.source import RECORD
from ctxtui.core.payload.formats import Label
from ctxtui.core.payload.types import Draft
from ctxtui.core.text.markdown.scan import is_outlined
from ctxtui.core.text.secrets import Cut, Secret, Secrets, find_besides, lines_at, redacted, told
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import span
from ctxtui.session.picks import QueryPick, SnippetPick
from ctxtui.session.queries.answers import Answer
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TextDrafter:
    """Makes drafts of texts for one counter and one policy for secrets."""

    counter: TokenCounter
    secrets: Secrets
    cache: Cache

    def query(self, pick: QueryPick, answer: Answer) -> tuple[tuple[Draft, ...], tuple[Notice, ...]]:
        """The result of a query as one block or one block per item. An empty result has no block, but a notice."""
        if not answer.text.strip():
            nothing = Notice("empty-query", f"{pick.name} finds nothing now")
            return (), answer.notices if answer.failed else (*answer.notices, nothing)
        drafts: list[Draft] = []
        notices = list(answer.notices)
        for id_, label, text, place, hidden in _blocks(pick, answer):
            found = find_besides(text, hidden, self.cache)
            draft, told_of = self._draft(id_, label, RECORD, pick.pinned, text, place, found, [None] * len(found))
            drafts.append(draft)
            notices += told_of
        return tuple(drafts), tuple(notices)

    def snippet(self, pick: SnippetPick, workspace: Workspace) -> tuple[tuple[Draft, ...], tuple[Notice, ...]]:
        """The draft of picked lines. Empty, with a notice, if they are gone. Raises as `Workspace.document` does."""
        reference = workspace.require(pick.document)
        document = workspace.document(reference)
        cut = Cut.of(document.text, [document.lines.span(pick.first, pick.last)])
        label = Label(reference.path, (), is_outlined(reference.path), f"lines {pick.first}-{pick.last}")
        if not cut.text.strip():
            return (), (Notice("no-lines", f"there is no longer any text on {label.only}", reference.path),)
        damage = (document.damage,) if document.damage else ()
        found = cut.secrets(self.cache)
        at = lines_at(document.text, [cut.back(secret.start) for secret in found])
        draft, said = self._draft(
            pick.id, label, reference.priority, pick.pinned, cut.text, reference.path, found, at
        )
        return (draft,), (*said, *damage)

    def _draft(
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
        notices = told(found, place, self.secrets, lines)
        shown = redacted(text, found, 0, len(text))[0] if self.secrets == "redact" else text
        size = span(self.counter, shown)
        draft = Draft(id_, label, priority, pinned, size, lambda: shown, secrets=len(notices))
        return draft, notices


def _blocks(pick: QueryPick, answer: Answer) -> Iterator[tuple[str, Label, str, str, Sequence[Secret]]]:
    """For each block of an answer: its id, label, text, name for notices, and its item's `hidden` secrets."""
    label = Label(pick.label, markdown=answer.language is None, language=answer.language)
    if answer.apart:
        for item in answer.items:
            shown = replace(label, source=item.source, only=pick.label)
            yield pick.block(item.id), shown, item.text, item.source, item.hidden
        return
    starts = accumulate((len(item.text) for item in answer.items), initial=0)
    hidden = [
        replace(each, start=start + each.start, end=start + each.end)
        for item, start in zip(answer.items, starts, strict=False)
        for each in item.hidden
    ]
    yield pick.id, label, answer.text, f"query {pick.name}", hidden
