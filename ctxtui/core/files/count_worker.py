"""A process that counts files for another one: it is given paths and answers with counts.

Given texts instead, it answers with the tokens of each.

For each further core it forks a worker, which shares its encoder.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from ctxtui.core import frames
from ctxtui.core.cache import Cache
from ctxtui.core.collection import share
from ctxtui.core.files.content import Stamp
from ctxtui.core.files.count_files import Pass, Text, count_files
from ctxtui.core.files.root import Root
from ctxtui.core.notices import Notice
from ctxtui.core.own_input import leave_interrupts, orders
from ctxtui.core.tokens.counter import Count, TokenCounter
from ctxtui.core.tokens.counts import Counts
from ctxtui.core.tokens.encodings import count_tokens, encoding
from ctxtui.core.tokens.engines import Unusable
from ctxtui.core.tokens.ledger import Entry, Ledger
from ctxtui.core.tokens.weights import Weights
from ctxtui.core.turns import let_others_first

TEXTS = "texts"
"""The key of texts to be counted."""

# How long the others may take to end, in seconds.
_GRACE = 0.5
# Metadata, what may be a credential, and a link where only the parser knows whether it is code: to look at it takes
# all that most texts take.
_SAMPLE = "---\na: [b]\n---\n\n# C\n\n> <b>\n> [d](e.md)\n\npassword: 1a2b3c4d5e6f7g8h9i0j\n"


def order(
    root: Path, ledger: Path | None, counter: TokenCounter, fast: bool, passes: Path | None, also: Sequence[Pass]
) -> dict[str, Any]:
    """The first order for a worker: where to read, how to count, and the functions that look at each text as well."""
    weights = None if counter.weights is None else str(counter.weights)
    return {
        "root": str(root),
        "ledger": None if ledger is None else str(ledger),
        "basis": counter.basis,
        "weights": weights,
        "fast": fast,
        "passes": None if passes is None else str(passes),
        "also": [(each.__module__, each.__name__) for each in also],
    }


def row(path: str, found: Entry | Notice) -> list[Any]:
    """A file's counts as plain data, or the message why it has none."""
    if isinstance(found, Notice):
        return [path, found.message]
    stamp, counts = found.stamp, found.counts
    times = [stamp.mtime_ns, stamp.ctime_ns, stamp.size]
    return [path, times, found.digest, counts.units, counts.pack(), found.damage]


def _answers(told: dict[str, Any], count: Count, also: Sequence[Pass], asked: Iterator[Any]) -> Iterator[list[Any]]:
    """For paths their counts, and what else was found in their texts; for texts their tokens."""
    root, counter = Root(told["root"]), _counter(told, count)
    ledger = Ledger(Path(told["ledger"]) if told["ledger"] else None, told["root"], lambda _: None)
    passes = Cache(Path(told["passes"]) if told["passes"] else None)

    def look(text: Text, counts: Counts) -> None:
        for each in also:
            each(text, counts, counter, passes, root)

    on_text = look if also else None
    for wanted in asked:
        if isinstance(wanted, dict):
            yield [count(text, counter.basis) for text in wanted[TEXTS]]
            continue
        with root.in_turn() as near:
            files = ((path, partial(near.read, path)) for path in wanted)
            rows = [row(path, found) for path, found in count_files(files, counter, ledger, on_text, count)]
        yield [rows, passes.taken()]


def _counter(told: dict[str, Any], count: Count) -> TokenCounter:
    weights = Weights(*map(int, told["weights"].split("/"))) if told["weights"] else None
    return TokenCounter("", told["basis"], weights, tokens_of=count)


def _rehearse(told: dict[str, Any], count: Count, also: Sequence[Pass]) -> None:
    """Look at one text, so that what the functions import and build is there before workers are forked."""
    text, counter = Text("sample.md", _SAMPLE, Stamp(0, 0, 0), b"", None), _counter(told, count)
    for each in also:
        each(text, Counts(counter.units(_SAMPLE)), counter, Cache(None), Root(told["root"]))


def _engine(basis: str, fast: bool) -> Count:
    """What counts tokens, built; raises Unusable if that should be the fast engine and cannot be."""
    if fast:
        from ctxtui.core.tokens.fast import fast_counter  # noqa: PLC0415 - only if it is installed

        return fast_counter(basis)
    encoding(basis)
    return count_tokens


def _end(others: Sequence[int]) -> None:
    """End the processes that this one has forked."""
    until = time.monotonic() + _GRACE
    for pid in others:
        while not os.waitpid(pid, os.WNOHANG)[0]:
            if time.monotonic() > until:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.002)


def _fork(channels: Sequence[tuple[int, int]]) -> tuple[list[int], tuple[int, int] | None]:
    """A worker for each channel; returns the ids of those processes, and in each of them its channel."""
    forked = []
    for number, channel in enumerate(channels):
        try:
            pid = os.fork()
        except OSError:
            pid = -1
        if pid == 0:
            # A worker that held another one's end would keep it from ending.
            for other in channels[number + 1 :]:
                _close(other)
            for descriptor in (0, 1):
                os.dup2(2, descriptor)
            return [], channel
        _close(channel)
        if pid > 0:
            forked.append(pid)
    return forked, None


def _close(channel: tuple[int, int]) -> None:
    for descriptor in channel:
        os.close(descriptor)


def main() -> None:
    """Count what the input asks for, until it ends; the arguments are the ends of further channels, in and out."""
    leave_interrupts()
    let_others_first()
    numbers = list(map(int, sys.argv[1:]))
    further = list(zip(numbers[::2], numbers[1::2], strict=True))
    inbox: IO[bytes] = sys.stdin.buffer
    outbox: IO[bytes] = sys.stdout.buffer
    told = frames.read(inbox)
    try:
        count = _engine(told["basis"], told["fast"])
    except Unusable as error:
        frames.write(outbox, [__file__, str(error)])
        return
    also: list[Pass] = [getattr(import_module(module), name) for module, name in told["also"]]
    _rehearse(told, count, also)
    share()
    # No thread has been started yet.
    forked, channel = _fork(further)
    if channel is not None:
        inbox, outbox = os.fdopen(channel[0], "rb"), os.fdopen(channel[1], "wb")
    frames.write(outbox, [__file__, ""])
    asked = orders(partial(frames.read, inbox), partial(_end, forked))
    for answer in _answers(told, count, also, asked):
        frames.write(outbox, answer)


if __name__ == "__main__":
    main()
