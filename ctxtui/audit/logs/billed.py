"""What the first request of each start was billed, and how much of that the transcript explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from ctxtui.audit.logs.predict import Predicted
from ctxtui.audit.logs.types import FIXED, Billed, Start
from ctxtui.core.base.plain import plain_line
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.families import family_of


class Range(NamedTuple):
    """The least, the middle and the most of several numbers."""

    low: int
    median: int
    high: int

    @classmethod
    def of(cls, numbers: Iterable[int]) -> Range | None:
        """The range of some numbers; None if there are none."""
        ordered = sorted(numbers)
        return cls(ordered[0], ordered[(len(ordered) - 1) // 2], ordered[-1]) if ordered else None


@dataclass(frozen=True, slots=True)
class Cost:
    """The first request of one start, in tokens.

    `billed` is what the agent recorded, all else is counted with `counter`: for a model whose tokenizer is not
    public an estimate. `predicted` is our own figure for the project's files, None elsewhere. What the transcript
    records is `explained`, by kind, or `fixed`, the agent's own.
    """

    time: datetime
    version: str
    model: str
    counter: TokenCounter
    billed: Billed
    predicted: int | None
    explained: Mapping[str, int]
    fixed: Mapping[str, int]

    @property
    def explained_tokens(self) -> int:
        """The tokens of the text that the project, the user and the conversation brought."""
        return sum(self.explained.values())

    @property
    def fixed_tokens(self) -> int:
        """The tokens of the agent's own text, as far as it is recorded."""
        return sum(self.fixed.values())

    @property
    def unexplained(self) -> int:
        """The billed tokens of which the transcript shows no text; below 0 if an estimate is too high."""
        return self.billed.total - self.explained_tokens - self.fixed_tokens


class Costs:
    """Counts starts, every text once with each counter."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._counts: dict[tuple[str, str], int] = {}

    def of(self, start: Start, predicted: Sequence[Predicted] | None) -> Cost | None:
        """The cost of a start, with our own figure if there is one; None if no bill was recorded."""
        if start.billed is None:
            return None
        counter = self.counter(start.model)
        count = self.counting(counter)
        kinds: Counter[str] = Counter()
        for sent in start.sent:
            kinds[sent.kind] += sent.tokens(count)
        return Cost(
            start.time,
            start.version,
            start.model,
            counter,
            start.billed,
            None if predicted is None else sum(count(each.text) for each in predicted),
            {kind: tokens for kind, tokens in kinds.items() if tokens and kind not in FIXED},
            {kind: tokens for kind, tokens in kinds.items() if tokens and kind in FIXED},
        )

    def counter(self, model: str) -> TokenCounter:
        """The counter for a model; the one of the audit if nothing is known about its tokenizer."""
        family = family_of(model)
        return family.counter(plain_line(model)) if family.is_known else self._counter

    def counting(self, counter: TokenCounter) -> Callable[[str], int]:
        """A function that counts each text once."""

        def count(text: str) -> int:
            key = counter.name, text
            if key not in self._counts:
                self._counts[key] = counter.count(text)
            return self._counts[key]

        return count
