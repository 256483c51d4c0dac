"""The bill for the first request of each start, and the share that the transcript explains."""

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


class TokenRange(NamedTuple):
    """Minimum, lower median and maximum of some numbers."""

    low: int
    median: int
    high: int

    @classmethod
    def of(cls, numbers: Iterable[int]) -> TokenRange | None:
        ordered = sorted(numbers)
        return cls(ordered[0], ordered[(len(ordered) - 1) // 2], ordered[-1]) if ordered else None


@dataclass(frozen=True, slots=True)
class Cost:
    """The first request of a start, in tokens.

    The agent recorded `billed`. `counter` counted the rest, which is an estimate for models without a public
    tokenizer. `predicted` is our figure for the project's files, None elsewhere. Recorded text is `explained`, by
    kind, or the agent's own, `fixed`.
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
        """The tokens of text from the project, the user and the conversation."""
        return sum(self.explained.values())

    @property
    def fixed_tokens(self) -> int:
        """The tokens of the agent's own text, if it is recorded."""
        return sum(self.fixed.values())

    @property
    def unexplained(self) -> int:
        """Billed tokens without recorded text, negative if an estimate is too high."""
        return self.billed.total - self.explained_tokens - self.fixed_tokens


class Costs:
    """Counts starts, and each text once per counter."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._counts: dict[tuple[str, str], int] = {}

    def of(self, start: Start, predicted: Sequence[Predicted] | None) -> Cost | None:
        """The cost of a start, with our prediction if there is one, or None without a recorded bill."""
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
        """The counter for a model, or the audit's counter if its tokenizer is unknown."""
        family = family_of(model)
        return family.counter(plain_line(model)) if family.is_known else self._counter

    def counting(self, counter: TokenCounter) -> Callable[[str], int]:
        def count(text: str) -> int:
            key = counter.name, text
            if key not in self._counts:
                self._counts[key] = counter.count(text)
            return self._counts[key]

        return count
