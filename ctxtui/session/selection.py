"""The selection: the state that undo restores."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property

from ctxtui.core.payload.types import Over, Prompt
from ctxtui.core.secrets import Secrets
from ctxtui.core.target import Target
from ctxtui.session.budget import Budget
from ctxtui.session.picks import AnyPick, GlobPick, Pick, QueryPick, SnippetPick


@dataclass(frozen=True)
class Selection:
    """The state that undo restores: ordered picks, prompt, budget, format and the policies."""

    picks: tuple[AnyPick, ...] = ()
    prompt: Prompt | None = None
    budget: Budget = field(default_factory=Budget)
    format: str = "markdown"
    over: Over = "cut"
    secrets: Secrets = "redact"

    @cached_property
    def _by_id(self) -> dict[str, AnyPick]:
        return {pick.id: pick for pick in self.picks}

    def find(self, id_: str) -> Pick | None:
        """The pick of a document."""
        found = self._by_id.get(id_)
        return found if isinstance(found, Pick) else None

    def beside(self, id_: str) -> QueryPick | SnippetPick | GlobPick | None:
        """The query, the snippet or the pattern with an id, also with that of one block of the query."""
        found = self._by_id.get(id_) or self._by_id.get(Target.of_block(id_).document)
        if not isinstance(found, QueryPick) and found is not None and found.id != id_:
            return None
        return None if isinstance(found, Pick) else found

    @cached_property
    def written(self) -> Selection:
        """The selection as a recipe has it: without the picks that patterns bring."""
        picks = tuple(pick for pick in self.picks if not isinstance(pick, Pick) or pick.of is None)
        return self if len(picks) == len(self.picks) else replace(self, picks=picks)

    @property
    def queries(self) -> tuple[QueryPick, ...]:
        """The queries among the picks."""
        return tuple(pick for pick in self.picks if isinstance(pick, QueryPick))

    def with_pick(self, pick: AnyPick) -> Selection:
        """With a pick that replaces the one with its id, else is added at the end."""
        if pick.id not in self._by_id:
            return replace(self, picks=(*self.picks, pick))
        return replace(self, picks=tuple(pick if each.id == pick.id else each for each in self.picks))

    def without(self, ids: Collection[str]) -> Selection:
        """Without the picks of some ids."""
        dropped = frozenset(ids)
        return replace(self, picks=tuple(pick for pick in self.picks if pick.id not in dropped))
