"""The budget: a limit in tokens, and the tokenizer or model that counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from ctxtui.core.base.errors import invalid
from ctxtui.core.tokens.arguments import a_text, tokens, wrong
from ctxtui.core.tokens.by_name import get_counter, model_counter
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER, TokenCounter

ONE_MODEL: Final = "a model determines its tokenizer"


class Unchanged:
    """The default of arguments for which None has a meaning."""


UNCHANGED: Final = Unchanged()


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit in tokens or None, and the `window` of the model with a `reserve` for the answer, both in tokens."""

    limit: int | None = None
    tokenizer: str = DEFAULT_TOKENIZER
    model: str | None = None
    window: int | None = None
    reserve: int = 0

    @property
    def counter(self) -> TokenCounter:
        """The counter of the model, else of the tokenizer. Raises ContextError for an unknown tokenizer."""
        return model_counter(self.model) if self.model else get_counter(self.tokenizer)

    @property
    def effective(self) -> int | None:
        """The limit, or the window less the reserve if that is smaller, in tokens. None with neither."""
        room = None if self.window is None else max(0, self.window - self.reserve)
        limits = [limit for limit in (self.limit, room) if limit is not None]
        return min(limits) if limits else None

    def with_budget(
        self,
        limit: int | str | Unchanged | None = UNCHANGED,
        *,
        tokenizer: str | Unchanged = UNCHANGED,
        model: str | Unchanged | None = UNCHANGED,
        reserve: int | str | Unchanged = UNCHANGED,
    ) -> Budget:
        """The budget with the given values. A model sets its window, a tokenizer or the model None removes both.

        Raises as `Session.with_budget` does.
        """
        if isinstance(model, str) and isinstance(tokenizer, str):
            raise invalid(ONE_MODEL, hint="give one of them")
        changes: dict[str, object] = {}
        if not isinstance(limit, Unchanged):
            changes["limit"] = _parsed_tokens(limit)
        if not isinstance(reserve, Unchanged):
            changes["reserve"] = _parsed_tokens(reserve) or 0
        if not isinstance(tokenizer, Unchanged):
            changes |= {"tokenizer": a_text(tokenizer, "tokenizer"), "model": None, "window": None}
        if isinstance(model, str):
            # Only a chosen model needs the price data.
            from ctxtui.core.tokens.models import find_model  # noqa: PLC0415

            changes |= {"model": model, "window": find_model(model).window}
        elif model is None:
            changes |= {"model": None, "window": None}
        elif not isinstance(model, Unchanged):
            raise wrong("model", "a model's name or None", model)
        budget = replace(self, **changes)  # type: ignore[arg-type]
        # Raises for an unknown tokenizer.
        _ = budget.counter
        return budget


def _parsed_tokens(limit: int | str | None) -> int | None:
    value = None if limit is None else tokens(limit, "a limit")
    if value is not None and value < 0:
        raise invalid(f"a limit cannot be negative: {value}")
    return value
