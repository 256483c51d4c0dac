"""A file prepared for the index: its chunks as terms, or the reason why it has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.text.code.cached import cache_kind
from ctxtui.core.text.code.languages import LANGUAGES
from ctxtui.core.text.decode import binary_ending, decode
from ctxtui.core.text.secrets import blank, find_secrets
from ctxtui.retrieval.index.chunks import Chunk, chunks
from ctxtui.retrieval.index.tokenizer import Words
from ctxtui.retrieval.secret_files import is_secret_file

MAX_BYTES: Final = 2 * 1024 * 1024
# A version that no file has, so that the file is checked again.
UNKNOWN: Final = Stamp(0, 0, -1)


@dataclass(frozen=True, slots=True)
class Row:
    """One chunk: its lines, from 0, the end excluded, and the terms of path, heading, text, or metadata (`aside`)."""

    start: int
    end: int
    place: str
    heading: str
    body: str
    aside: str

    @property
    def length(self) -> int:
        """The approximate number of words in the text."""
        return self.body.count(" ") + self.aside.count(" ") + 1


@dataclass(frozen=True, slots=True)
class Prepared:
    """One version of a file for the index. `problem` is a notice code, "" for none."""

    path: str
    stamp: Stamp
    rows: tuple[Row, ...] = ()
    problem: str = ""


class PrepareJob(NamedTuple):
    """Files for a worker process to prepare below the root that `way` opens, with the same grammars as here."""

    way: tuple[str, str, str]
    grammars: tuple[str | None, ...]
    files: Sequence[tuple[str, Stamp]]


def grammars() -> tuple[str | None, ...]:
    """The identity of each language's grammar, None without one. A prepared file depends on them."""
    return tuple(cache_kind("", language) for language in LANGUAGES)


def prepare_in_worker(job: PrepareJob) -> list[Prepared]:
    """The job of a worker process: `prepare` files. Raises ContextError (unavailable) if it finds other grammars."""
    if job.grammars != grammars():
        raise ContextError("unavailable", "a process found other grammars")
    root = Root.from_way(*job.way)
    return [prepare(root, path, stamp, _words()) for path, stamp in job.files]


@cache
def _words() -> Words:
    return Words()


def prepare(root: Root, path: str, stamp: Stamp, words: Words) -> Prepared:
    """Read a file and split it into chunks without its secrets.

    The result has a `problem` for a secret, large or unreadable file. A file without text has none, and no chunks.
    """
    if is_secret_file(path):
        return Prepared(path, stamp, problem="secret-file")
    if binary_ending(path):
        return Prepared(path, stamp)
    if stamp.size > MAX_BYTES:
        return Prepared(path, stamp, problem="too-large")
    try:
        content = root.read(path, MAX_BYTES)
    except ContextError as error:
        # A file that may return at any moment is tried again each time.
        return Prepared(path, UNKNOWN if error.category == "unavailable" else stamp, problem="unreadable-file")
    try:
        text, _ = decode(content.data, path)
    except ContextError:
        return Prepared(path, content.stamp)
    # Headings appear again in the trails of the chunks below them.
    name_words = cache(words.of)
    found = chunks(path, blank(text, find_secrets(text)))
    rows = tuple(_row(chunk, words.of(chunk.text), [path, *chunk.trail], name_words) for chunk in found)
    # Another change might leave the same stamp on a file that is so young.
    return Prepared(path, UNKNOWN if content.stamp.is_young() else content.stamp, rows)


def _row(chunk: Chunk, text: str, above: Iterable[str], name_words: Callable[[str], str]) -> Row:
    place = " ".join(map(name_words, above))
    if chunk.is_aside:
        return Row(chunk.start, chunk.end, place, "", "", text)
    return Row(chunk.start, chunk.end, place, name_words(chunk.heading), text, "")
