"""Starts counted in a model's own tokens, as well as its vocabulary is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from ctxtui.agents import Start
from ctxtui.agents.types import AT_START
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.tokens.counter import Label, TokenCounter
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.core.tokens.whole import Whole, count_whole
from ctxtui.session.agent_start import listing_text

MOST_CHARACTERS: Final = 1_000_000
"""Larger starts stay estimates: a reconstructed vocabulary takes seconds for this many characters.

The bound does not depend on earlier counts, so a second call gives the same result.
"""

Read = Callable[[str], str | None]

_KNOWN: Final[tuple[Label, ...]] = ("reconstructed", "measured")
"""Labels that are better than an estimate, weakest first. A sum has the weakest label of its parts."""


def start_texts(start: Start, read: Read) -> tuple[str, ...] | None:
    """The texts of a start: the entering text of each file, and the listing. None if a file has vanished.

    The text that agents put between them is unknown.
    """
    texts = []
    for entry in start.entries:
        if entry.moment in AT_START:
            whole = read(entry.path)
            if whole is None:
                return None
            texts.append(entry.text(whole))
    listed = listing_text(start)
    return (*texts, listed) if listed else tuple(texts)


def whole_starts(
    starts: Iterable[Start], read: Read, counter: TokenCounter, ledger: Ledger | None = None, check: Check = go_on
) -> tuple[Start, ...]:
    """The starts with `whole` set where all their text is known better than by an estimate.

    `read` returns a file's text. The ledger caches slow counts, so that only changed texts are counted again. `check`
    is called before every text. Its exceptions end the work.
    """
    if counter.exact or counter.weights is None:
        return tuple(starts)
    counting = _Counting(counter, ledger, check)
    return tuple(replace(start, whole=counting.whole(start_texts(start, read))) for start in starts)


class _Counting:
    """Counts every text once."""

    def __init__(self, counter: TokenCounter, ledger: Ledger | None, check: Check) -> None:
        self._counter, self._ledger, self._check = counter, ledger, check
        self._known: dict[str, Whole] = {}

    def whole(self, texts: Sequence[str] | None) -> Whole | None:
        """The sum of some texts, None if one can only be estimated or they are too long."""
        if texts is None or sum(map(len, texts)) > MOST_CHARACTERS:
            return None
        counts = list(self._counts(texts))
        labels = {each.label for each in counts}
        label = next((each for each in _KNOWN if each in labels), None)
        if label is None or not labels.issubset(_KNOWN):
            return None
        return Whole(sum(each.tokens for each in counts), label, sum(each.basis_tokens for each in counts))

    def _counts(self, texts: Sequence[str]) -> Iterator[Whole]:
        """The count of each text up to the first that can only be estimated."""
        for text in texts:
            if text not in self._known:
                self._check()
                self._known[text] = count_whole(text, self._counter, self._ledger)
            yield self._known[text]
            if self._known[text].label not in _KNOWN:
                return
