"""The selection: the state that undo restores."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property

from ctxtui.core.base.target import Target
from ctxtui.core.payload.types import Over, Prompt, Tree
from ctxtui.core.text.secrets import Secrets
from ctxtui.session.assembly.templates import TemplateName
from ctxtui.session.budget import Budget
from ctxtui.session.picks import AnyPick, GlobPick, Pick, QueryPick, SnippetPick


@dataclass(frozen=True)
class Selection:
    """Ordered picks, prompt, budget, policies, and the format or `template`. `tree` is the tree block's kind."""

    picks: tuple[AnyPick, ...] = ()
    prompt: Prompt | None = None
    budget: Budget = field(default_factory=Budget)
    format: str = "markdown"
    over: Over = "cut"
    secrets: Secrets = "redact"
    template: TemplateName | None = None
    tree: Tree | None = None

    @cached_property
    def _by_id(self) -> dict[str, AnyPick]:
        return {pick.id: pick for pick in self.picks}

    def document_pick(self, id_: str) -> Pick | None:
        pick = self._by_id.get(id_)
        return pick if isinstance(pick, Pick) else None

    def other_pick(self, id_: str) -> QueryPick | SnippetPick | GlobPick | None:
        """The query, snippet or pattern with this id, else the query whose block has this id, else None."""
        pick = self._by_id.get(id_)
        if pick is None:
            owner = self._by_id.get(Target.of_block(id_).document)
            return owner if isinstance(owner, QueryPick) else None
        return None if isinstance(pick, Pick) else pick

    @property
    def is_empty(self) -> bool:
        """Whether a payload would be empty."""
        return not self.picks and self.prompt is None and self.tree is None and self.template is None

    @property
    def output(self) -> str:
        """The name of the format or template, for people."""
        return f"template {self.template.title}" if self.template else self.format

    @cached_property
    def written(self) -> Selection:
        """The selection as a recipe has it: without picks that patterns bring."""
        picks = tuple(pick for pick in self.picks if not isinstance(pick, Pick) or pick.of is None)
        return self if len(picks) == len(self.picks) else replace(self, picks=picks)

    @cached_property
    def patterns(self) -> tuple[GlobPick, ...]:
        return tuple(pick for pick in self.picks if isinstance(pick, GlobPick))

    @cached_property
    def queries(self) -> tuple[QueryPick, ...]:
        return tuple(pick for pick in self.picks if isinstance(pick, QueryPick))

    def with_pick(self, pick: AnyPick) -> Selection:
        """The selection with a pick that takes the place of the pick with its id, or is added at the end."""
        if pick.id not in self._by_id:
            return replace(self, picks=(*self.picks, pick))
        return replace(self, picks=tuple(pick if each.id == pick.id else each for each in self.picks))

    def without(self, ids: Collection[str]) -> Selection:
        dropped = frozenset(ids)
        return replace(self, picks=tuple(pick for pick in self.picks if pick.id not in dropped))
