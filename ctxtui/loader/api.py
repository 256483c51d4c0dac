"""The entry points of the loader specification, `load_context` and `load_context_file`, and their cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.lru import Memo
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.content import Content, Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.text.secrets import SecretFound, Secrets
from ctxtui.core.tokens.arguments import a_counter, a_function, a_path, a_text, an_instance, shown, texts, tokens
from ctxtui.core.tokens.counter import HEURISTIC, TokenCounter
from ctxtui.loader.assembly import Assembled, assemble, summary_key
from ctxtui.loader.discovery import ContextNotFound, ContextPlace, find_context
from ctxtui.loader.read import LoadedFile, load_file
from ctxtui.loader.types import CONTEXT_DIR, DEFAULT_PRIORITY, ContextFile, LoadedContext, missing, ordered

_FILE_CHARACTERS = 32 * 1024 * 1024
_SUMMARY_CHARACTERS = 8 * 1024 * 1024


class ContextCache:
    """Keeps parsed files and summaries between loads (loader specification 8). Thread-safe.

    A file is read again if its time or size changed or the time is very recent, and parsed again if its bytes
    changed. Its problems are reported at each load.
    """

    def __init__(self) -> None:
        self._files: Memo[tuple[str, bytes, TokenCounter], LoadedFile] = Memo(_FILE_CHARACTERS, _weight)
        self._stamped: Memo[tuple[str, Stamp, TokenCounter], LoadedFile] = Memo(_FILE_CHARACTERS, _weight)
        self._summaries: Memo[bytes, Assembled] = Memo(_SUMMARY_CHARACTERS, lambda each: len(each.summary) + 512)

    def file(
        self,
        path: str,
        stamp: Stamp,
        counter: TokenCounter,
        read: Callable[[], Content],
        make: Callable[[Content], LoadedFile],
    ) -> LoadedFile:
        """A file as it is on disk. `read` and `make` run if this version is not cached."""

        def fresh() -> LoadedFile:
            content = read()
            return self._files.get((path, digest_of(content.data), counter), lambda: make(content))

        return fresh() if stamp.is_young() else self._stamped.get((path, stamp, counter), fresh)

    def summary(self, key: bytes, make: Callable[[], Assembled]) -> Assembled:
        """The summary for a combined hash of contents and options."""
        return self._summaries.get(key, make)


def _weight(loaded: LoadedFile) -> int:
    return 2 * len(loaded.file.content) + 1024


DEFAULT_BUDGET = 8000


@dataclass(frozen=True, slots=True)
class LoaderOptions:
    """The project folder, budget and format options (loader specification 1.1).

    `root_dir` None means the current folder. `token_budget` is the maximum number of tokens of the summary. `counter`
    None means the specification's heuristic of four characters per token. `priority_order` names files with or
    without `.md`. There is no cache by default. Without `on_notice`, notices go to the logger `ctxtui`. A budget may
    be written as `"8k"`, a counter given by its name, one file as a single string. Secrets are kept unless `secrets`
    is "redact" or "fail". Raises TypeError for values of the wrong type, ContextError (invalid_request) for an
    unreadable budget, an unknown counter and an unknown value of `secrets`.
    """

    root_dir: str | os.PathLike[str] | None = None
    context_dir: str = CONTEXT_DIR
    token_budget: int = DEFAULT_BUDGET
    priority_order: Sequence[str] = DEFAULT_PRIORITY
    counter: TokenCounter | None = None
    cache: ContextCache | None = None
    on_notice: OnNotice | None = None
    secrets: Secrets = "keep"

    def __post_init__(self) -> None:
        if self.root_dir is not None:
            a_path(self.root_dir, "root_dir")
        a_text(self.context_dir, "context_dir")
        object.__setattr__(self, "token_budget", tokens(self.token_budget, "token_budget"))
        object.__setattr__(self, "priority_order", texts(self.priority_order, "priority_order"))
        if self.counter is not None:
            object.__setattr__(self, "counter", a_counter(self.counter))
        an_instance(self.cache, (ContextCache, type(None)), "cache", "a ContextCache or None")
        a_function(self.on_notice, "on_notice")
        if self.secrets not in get_args(Secrets):
            raise invalid(f"secrets cannot be {shown(self.secrets)}", hint=f"one of {', '.join(get_args(Secrets))}")


def load_context(options: LoaderOptions | str | os.PathLike[str] | None = None) -> LoadedContext:
    """Discover, read, parse and assemble the context of a project (loader specification 1.2).

    A path means the options with that `root_dir`. Raises ContextNotFound if no directory is found, ContextError if it
    cannot be listed or the budget is negative, TypeError for anything but options or a path. An unreadable file is a
    notice and never stops the others. An expected file is also listed as missing.
    """
    if options is None or isinstance(options, str | os.PathLike):
        options = LoaderOptions(options)
    an_instance(options, LoaderOptions, "options", "LoaderOptions or the path of a project")
    if options.token_budget < 0:
        raise invalid(f"a budget of {plural(options.token_budget, 'token')}", hint="0 or more")
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
    path: str | os.PathLike[str], *, counter: TokenCounter | str | None = None, on_notice: OnNotice | None = None
) -> ContextFile:
    """Read and parse one file (loader specification 1.3). Raises ContextNotFound, ContextError if unreadable."""
    given = Path(a_path(path, "path"))
    counted = HEURISTIC if counter is None else a_counter(counter)
    try:
        real = Path(os.path.realpath(given))
        if not real.exists():
            raise ContextNotFound(f"{given} does not exist")
    except (OSError, ValueError) as error:
        raise invalid(f"{given} cannot be accessed") from error
    content = Root(real.parent).read(real.name)
    loaded = load_file(content, str(given.absolute()), given.name, counted)
    for notice in loaded.notices:
        (on_notice or log_notice)(notice)
    return loaded.file


def _files(
    place: ContextPlace, options: LoaderOptions, counter: TokenCounter, tell: OnNotice
) -> Iterator[LoadedFile]:
    """The readable files in loading order. Problems go to `tell`. Raises SecretFound if `secrets` is "fail"."""
    for name in ordered(place.names(), options.priority_order):
        try:
            loaded = _file(place, name, counter, options)
        except SecretFound:
            raise
        except ContextError as error:
            tell(Notice("unreadable-file", f"{error.message}; it is left out", place.shown(name)))
            continue
        for notice in loaded.notices:
            tell(notice)
        yield loaded


def _file(place: ContextPlace, name: str, counter: TokenCounter, options: LoaderOptions) -> LoadedFile:
    """One file, from the cache if the options have a cache. Raises ContextError if it cannot be read."""
    inner = place.path(name)
    full = str(place.root.path / inner)

    def load(content: Content) -> LoadedFile:
        return load_file(content, full, place.shown(name), counter, options.secrets)

    if options.cache is None:
        return load(place.root.read(inner))
    try:
        stamp = Stamp.of(place.root.resolve(inner).stat())
    except OSError as error:
        raise ContextError("unavailable", f"{inner} cannot be read: {error.strerror}") from error
    key = f"{options.secrets} {full}"
    return options.cache.file(key, stamp, counter, lambda: place.root.read(inner), load)
