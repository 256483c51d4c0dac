"""A process that prepares files for the index of another one: it is given paths and answers with terms."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from ctxtui.core import frames
from ctxtui.core.code.kept import kept_as
from ctxtui.core.code.languages import LANGUAGES
from ctxtui.core.collection import collect_rarely
from ctxtui.core.files.content import Stamp
from ctxtui.core.files.root import Root
from ctxtui.core.own_input import leave_interrupts, orders
from ctxtui.core.turns import let_others_first
from ctxtui.retrieval.index.prepare import Prepared, Row, prepare
from ctxtui.retrieval.index.tokenizer import Words


def identity() -> list[Any]:
    """What decides how a file is prepared, besides the file: this program, and the grammars that it finds."""
    return [__file__, [kept_as("", language) for language in LANGUAGES]]


def order(files: Sequence[tuple[str, Stamp]]) -> list[Any]:
    """Files and their versions as plain data."""
    return [(path, stamp.mtime_ns, stamp.ctime_ns, stamp.size) for path, stamp in files]


def unpacked(answer: Sequence[Any]) -> list[Prepared]:
    """The prepared files in an answer."""
    return [Prepared(path, Stamp(*stamp), tuple(Row(*row) for row in rows), why) for path, stamp, rows, why in answer]


def _packed(file: Prepared) -> list[Any]:
    stamp = file.stamp
    rows = [(row.start, row.end, row.place, row.heading, row.body, row.aside) for row in file.rows]
    return [file.path, (stamp.mtime_ns, stamp.ctime_ns, stamp.size), rows, file.problem]


def main() -> None:
    """Prepare what the input asks for, until it ends; the first order names the root."""
    leave_interrupts()
    let_others_first()
    collect_rarely()
    asked, out, words = orders(partial(frames.read, sys.stdin.buffer)), sys.stdout.buffer, Words()
    root = Root.entered(*next(asked))
    frames.write(out, identity())
    for files in asked:
        frames.write(out, [_packed(prepare(root, path, Stamp(*stamp), words)) for path, *stamp in files])


if __name__ == "__main__":
    main()
