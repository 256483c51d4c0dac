"""A process that counts files for another one: it is given paths and answers with counts, a line of JSON each.

It ends when its input does, so it never outlives the process that started it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from ctxtui.core.files.count_files import count_files
from ctxtui.core.files.root import Root
from ctxtui.core.notices import Notice
from ctxtui.core.tokens.counter import Count, TokenCounter
from ctxtui.core.tokens.encodings import count_tokens, encoding
from ctxtui.core.tokens.engines import Unusable
from ctxtui.core.tokens.ledger import Entry, Ledger
from ctxtui.core.tokens.weights import Weights


def order(root: Path, ledger: Path | None, counter: TokenCounter, fast: bool) -> dict[str, Any]:
    """The first line for a worker: where to read and how to count."""
    weights = None if counter.weights is None else str(counter.weights)
    place = None if ledger is None else str(ledger)
    return {"root": str(root), "ledger": place, "basis": counter.basis, "weights": weights, "fast": fast}


def row(path: str, found: Entry | Notice) -> list[Any]:
    """A file's counts as plain data, or the message why it has none."""
    if isinstance(found, Notice):
        return [path, found.message]
    stamp, counts = found.stamp, found.counts
    times = [stamp.mtime_ns, stamp.ctime_ns, stamp.size]
    return [path, times, found.digest.hex(), counts.units, counts.pack().hex(), found.damage]


def _answers(told: dict[str, Any], count: Count, lines: Iterator[str]) -> Iterator[list[Any]]:
    root = Root(told["root"])
    ledger = Ledger(Path(told["ledger"]) if told["ledger"] else None, told["root"], lambda _: None)
    weights = Weights(*map(int, told["weights"].split("/"))) if told["weights"] else None
    counter = TokenCounter("", told["basis"], weights)
    for line in lines:
        files = ((path, partial(root.read, path)) for path in json.loads(line))
        yield [row(path, found) for path, found in count_files(files, counter, ledger, count=count)]


def _engine(basis: str, fast: bool) -> Count:
    """What counts tokens, built; raises Unusable if that should be the fast engine and cannot be."""
    if fast:
        from ctxtui.core.tokens.fast import fast_counter  # noqa: PLC0415 - only if it is installed

        return fast_counter(basis)
    encoding(basis)
    return count_tokens


def _lines() -> Iterator[str]:
    """The lines of the input as they come; the process ends with them, even while it counts."""
    lines: SimpleQueue[str] = SimpleQueue()

    def feed() -> None:
        for line in sys.stdin:
            lines.put(line)
        os._exit(0)

    threading.Thread(target=feed, daemon=True).start()
    while True:
        yield lines.get()


def _say(value: object) -> None:
    sys.stdout.write(f"{json.dumps(value)}\n")
    sys.stdout.flush()


def main() -> None:
    """Count what the input asks for, until it ends."""
    # ctrl-c reaches the whole group; it is for the process that started this one to end it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lines = _lines()
    told = json.loads(next(lines))
    try:
        count = _engine(told["basis"], told["fast"])
    except Unusable as error:
        _say([__file__, str(error)])
        return
    _say([__file__, ""])
    for answer in _answers(told, count, lines):
        _say(answer)


if __name__ == "__main__":
    main()
