"""The entry points of seed 002: `load_context` and `load_context_file`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ctxtui.core.errors import ContextError
from ctxtui.core.notices import Notice, OnNotice, log_notice
from ctxtui.core.root import Root, Stamp
from ctxtui.core.tokens.counter import HEURISTIC, TokenCounter
from ctxtui.loader.assembly import Assembled, assemble, summary_key
from ctxtui.loader.cache import ContextCache
from ctxtui.loader.discovery import ContextNotFound, ContextPlace, find_context
from ctxtui.loader.priority import CONTEXT_DIR, DEFAULT_PRIORITY, missing, ordered
from ctxtui.loader.reading import LoadedFile, load_file
from ctxtui.loader.values import ContextFile, LoadedContext

DEFAULT_BUDGET = 8000


@dataclass(frozen=True, slots=True)
class LoaderOptions:
    """What to load and how much of it (seed 002, `LoaderOptions`).

    `root_dir` None is the current folder, `token_budget` the most tokens of the summary, `counter` None the
    seed's heuristic of four characters a token. `priority_order` names files with or without `.md`. There
    is no cache unless one is given; without `on_notice` notices go to the logger `ctxtui`.
    """

    root_dir: str | os.PathLike[str] | None = None
    context_dir: str = CONTEXT_DIR
    token_budget: int = DEFAULT_BUDGET
    priority_order: Sequence[str] = DEFAULT_PRIORITY
    counter: TokenCounter | None = None
    cache: ContextCache | None = None
    on_notice: OnNotice | None = None


def load_context(options: LoaderOptions | None = None) -> LoadedContext:
    """Discover, read, parse and assemble the context of a project (seed 002, `LoadContext`).

    Raises ContextNotFound where no directory is found, ContextError where it may not be listed or the
    budget is negative. One bad file never stops the others: it is a notice, and missing if it was expected.
    """
    options = options or LoaderOptions()
    if options.token_budget < 0:
        raise ContextError("invalid_request", f"a budget of {options.token_budget} tokens", hint="0 or more")
    counter = options.counter or HEURISTIC
    tell = options.on_notice or log_notice
    place = find_context(options.root_dir, options.context_dir, tell)
    files = list(_files(place, options, counter, tell))

    def make() -> Assembled:
        return assemble(files, options.token_budget, counter)

    if options.cache:
        assembled = options.cache.summary(summary_key(files, options.token_budget, counter), make)
    else:
        assembled = make()
    for notice in assembled.notices:
        tell(notice)
    loaded = tuple(each.file for each in files)
    absent = missing((file.name for file in loaded), options.priority_order)
    return LoadedContext(loaded, assembled.summary, assembled.token_count, assembled.truncated, absent)


def load_context_file(
    path: str | os.PathLike[str], *, counter: TokenCounter | None = None, on_notice: OnNotice | None = None
) -> ContextFile:
    """Read and parse one file, wherever it lies (seed 002, `LoadContextFile`).

    Raises ContextNotFound where there is none, ContextError where it cannot be read.
    """
    given = Path(path)
    try:
        real = Path(os.path.realpath(given))
        if not real.exists():
            raise ContextNotFound(f"{given} does not exist")
    except (OSError, ValueError) as error:
        raise ContextError("invalid_request", f"{given} cannot be looked up") from error
    content = Root(real.parent).read(real.name)
    loaded = load_file(content, str(given.absolute()), given.name, counter or HEURISTIC)
    for notice in loaded.notices:
        (on_notice or log_notice)(notice)
    return loaded.file


def _files(
    place: ContextPlace, options: LoaderOptions, counter: TokenCounter, tell: OnNotice
) -> Iterator[LoadedFile]:
    """The files that can be read, in loading order."""
    for name in ordered(place.names(), options.priority_order):
        try:
            loaded = _file(place, name, counter, options.cache)
        except ContextError as error:
            tell(Notice("unreadable-file", f"{error.message}; it is left out", place.shown(name)))
            continue
        for notice in loaded.notices:
            tell(notice)
        yield loaded


def _file(place: ContextPlace, name: str, counter: TokenCounter, cache: ContextCache | None) -> LoadedFile:
    inner = place.path(name)
    full = str(place.root.path / inner)
    if cache is None:
        return load_file(place.root.read(inner), full, place.shown(name), counter)
    try:
        stamp = Stamp.of(place.root.resolve(inner).stat())
    except OSError as error:
        raise ContextError("unavailable", f"{inner} cannot be read: {error.strerror}") from error
    return cache.file(
        full,
        stamp,
        counter,
        lambda: place.root.read(inner),
        lambda content: load_file(content, full, place.shown(name), counter),
    )
