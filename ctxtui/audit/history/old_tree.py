"""The project files of an old commit, as a walk of the folder would have found them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from ctxtui.agents import Agent, agent_files
from ctxtui.core.disk.git.git import LINK, SUBMODULE, GitFile
from ctxtui.core.disk.walk import MAX_FILES
from ctxtui.core.documents.listing import AGENTS, PLAIN, SOURCES
from ctxtui.core.text.markdown.scan import is_markdown

NUMBER_BYTES = 32
_MAX_HOPS = 40

LinkText = Callable[[str], str | None]
"""Returns the target of a link by its blob id."""


class FileStep(NamedTuple):
    """A changed path. `after` is its new file, None if removed. `old_path` is set if the file moved."""

    path: str
    after: GitFile | None
    old_path: str | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """Blob ids by path, and the real paths of linked files."""

    ids: Mapping[str, str]
    linked: Mapping[str, str] = field(default_factory=dict)

    def real(self, path: str) -> str:
        return self.linked.get(path, path)

    def one_path_each(self, paths: Iterable[str], preferred: Collection[str] = ()) -> frozenset[str]:
        """Choose one path per file: a preferred path, else the real path, else the first by name."""
        if not self.linked:
            return frozenset(paths)
        ranked = sorted(paths, key=lambda path: (path not in preferred, path in self.linked, path))
        return frozenset({self.real(path): path for path in reversed(ranked)}.values())


class Tree:
    """A project's files at one commit. `put` leads to another commit. `number` is equal for equal files.

    Links within the project are followed. `link_text` gives a link's target by blob id.
    """

    def __init__(self, files: Mapping[str, GitFile], link_text: LinkText) -> None:
        self._link_text = link_text
        self.files = dict(files)
        self._ordered = sorted(files)
        self._ids = {path: file.id for path, file in files.items() if file.mode not in (LINK, SUBMODULE)}
        self._links = {path: link_text(file.id) or "" for path, file in files.items() if file.mode == LINK}
        self._linked: Mapping[str, str] | None = None
        self.number = sum(_number(path, file) for path, file in files.items())

    def copy(self) -> Tree:
        return Tree(self.files, self._link_text)

    @property
    def past(self) -> Past:
        """The current files, valid until the next change."""
        linked = self.linked
        return Past(
            self._ids | {path: self._ids[real] for path, real in linked.items()} if linked else self._ids, linked
        )

    @property
    def linked(self) -> Mapping[str, str]:
        """The real path of each path that leads through a link."""
        if not self._links:
            return {}
        if self._linked is None:
            modules = submodules(self.files)
            reached = (pair for link in sorted(self._links) for pair in self._reached(link, modules))
            self._linked = dict(islice(reached, max(0, MAX_FILES - len(self._ids))))
        return self._linked

    def put(self, changes: Iterable[FileStep]) -> list[FileStep]:
        """Set, remove or move files. Returns the inverse changes, without moves."""
        undo: list[FileStep] = []
        for path, after, old_path in changes:
            undo += [FileStep(old_path, self._put(old_path, None))] if old_path else []
            undo.append(FileStep(path, self._put(path, after)))
        return undo[::-1]

    def _put(self, path: str, file: GitFile | None) -> GitFile | None:
        """Set a file, or remove it if None. Returns the file that was there, or None."""
        old = self.files.pop(path, None)
        place = bisect_left(self._ordered, path)
        if file is None and old is not None:
            del self._ordered[place]
        if file is not None:
            self.files[path] = file
            if old is None:
                self._ordered.insert(place, path)
        self.number += (_number(path, file) if file else 0) - (_number(path, old) if old else 0)
        if not (old and file and old.mode not in (LINK, SUBMODULE) and file.mode not in (LINK, SUBMODULE)):
            self._linked = None
        self._ids.pop(path, None)
        self._links.pop(path, None)
        if file is not None and file.mode == LINK:
            self._links[path] = self._link_text(file.id) or ""
        elif file is not None and file.mode != SUBMODULE:
            self._ids[path] = file.id
        return old

    def _reached(self, link: str, modules: Collection[str]) -> Iterator[tuple[str, str]]:
        """The paths that lead to a file through a link, each with its real path."""
        real = self._resolve(link, modules)
        if real in self._ids:
            yield link, str(real)
        elif real and not f"{link}/".startswith(f"{real}/"):
            start = bisect_left(self._ordered, f"{real}/")
            for inner in self._ordered[start : bisect_left(self._ordered, f"{real}0", start)]:
                target = self._resolve(inner, modules) if inner in self._links else inner
                if target in self._ids:
                    yield link + inner[len(real) :], str(target)

    def _resolve(self, path: str, modules: Collection[str]) -> str | None:
        """The real path, or None if it leaves the project, is broken or is circular."""
        waiting, done = path.split("/")[::-1], list[str]()
        hops = 0
        while waiting:
            if not self._is_folder("/".join(done), modules):
                return None
            step = waiting.pop()
            if step == "..":
                if not done:
                    return None
                done.pop()
            elif step not in ("", "."):
                done.append(step)
                target = self._links.get("/".join(done))
                if target is not None:
                    hops += 1
                    if hops > _MAX_HOPS or not target or target.startswith("/"):
                        return None
                    done.pop()
                    waiting += target.split("/")[::-1]
        return "/".join(done)

    def _is_folder(self, path: str, modules: Collection[str]) -> bool:
        if not path or path in modules:
            return True
        place = bisect_left(self._ordered, f"{path}/")
        return place < len(self._ordered) and self._ordered[place].startswith(f"{path}/")


def _number(path: str, file: GitFile) -> int:
    """A number for a file's path, mode and content. The sum over all files of a state identifies the state."""
    digest = blake2b(f"{path}\0{file.mode}{file.id}".encode(), digest_size=NUMBER_BYTES).digest()
    return int.from_bytes(digest)


def submodules(tree: Mapping[str, GitFile]) -> list[str]:
    return [path for path, file in tree.items() if file.mode == SUBMODULE]


def sources_by_path(
    paths: Iterable[str], known: Mapping[str, str], table: Sequence[Agent] | None = None
) -> dict[str, str]:
    """Guess the sources of files of other commits from their paths.

    A path keeps its `known` current source. Markdown belongs to the source that has a hidden folder above it, or to
    the only source of the Markdown beside it. Agent files go by their names. All other files are plain.
    """
    every = list(paths)
    by_hidden = {folder: source for source, traits in SOURCES.items() for folder in traits.folders}
    beside_own = SOURCES.keys() - {AGENTS, PLAIN, *by_hidden.values()}
    agents = agent_files(every, table)
    folders: dict[str, set[str]] = {}
    for path, source in known.items():
        if is_markdown(path):
            folders.setdefault(path.rpartition("/")[0], set()).add(source)

    def source_of(path: str) -> str:
        folder = path.rpartition("/")[0]
        if is_markdown(path):
            own = next((by_hidden[part] for part in folder.split("/") if part in by_hidden), "")
            beside = folders.get(folder, set())
            if own or (len(beside) == 1 and beside <= beside_own):
                return own or next(iter(beside))
        return AGENTS if path in agents else PLAIN

    return {path: known.get(path) or source_of(path) for path in every}
