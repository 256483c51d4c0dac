"""Results made of repositories in memory, as a run appends them."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ctxtui.core.base.digest import text_digest
from ctxtui.fleet.results.schema import reading
from ctxtui.fleet.types import ContextFile, Outcome, TextBlock
from tests.fleet.kept import keep


def blocks(*words: str) -> tuple[TextBlock, ...]:
    """Blocks with some texts, ten tokens for each character, two lines apart."""
    return tuple(
        TextBlock(text_digest(word), 1 + 2 * place, 10 * len(word), word) for place, word in enumerate(words)
    )


def file(path: str, *words: str, start: int | None = None, kind: str = "rule") -> ContextFile:
    """A file of such blocks, all of it at the start of an agent unless `start` has its tokens."""
    made = blocks(*words)
    tokens = sum(block.tokens for block in made)
    return ContextFile(path, kind, text_digest("\n".join(words)), tokens, tokens if start is None else start, made)


@contextmanager
def results(folder: Path, *runs: Iterable[Outcome], tokenizer: str = "o200k_base") -> Iterator[sqlite3.Connection]:
    """New results with some runs, opened to be read."""
    path = folder / "fleet.db"
    path.unlink(missing_ok=True)
    with reading(keep(path, *runs, tokenizer=tokenizer)) as connection:
        yield connection
