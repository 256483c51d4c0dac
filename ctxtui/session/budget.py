"""The budget: a limit in tokens, a tokenizer, and what a chosen model adds to both."""

from __future__ import annotations

from dataclasses import dataclass

from ctxtui.core.tokens.by_name import get_counter, model_counter
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER, TokenCounter


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit in tokens of the chosen tokenizer or model; None means no limit.

    `window` is the chosen model's, `reserve` the part of it kept free for the answer.
    """

    limit: int | None = None
    tokenizer: str = DEFAULT_TOKENIZER
    model: str | None = None
    window: int | None = None
    reserve: int = 0

    @property
    def counter(self) -> TokenCounter:
        """The counter for all sizes."""
        return model_counter(self.model) if self.model else get_counter(self.tokenizer)

    @property
    def effective(self) -> int | None:
        """The limit in force: the smaller of the budget and the window less the reserve."""
        room = None if self.window is None else max(0, self.window - self.reserve)
        limits = [limit for limit in (self.limit, room) if limit is not None]
        return min(limits) if limits else None
