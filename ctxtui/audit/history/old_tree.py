"""The files of a project in an old commit, as a walk of its folder would have found them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ctxtui.agents import Agent, agent_files
from ctxtui.audit.costs import PLAIN
from ctxtui.audit.history.start_cache import file_number
from ctxtui.core.disk.git.git import LINK, SUBMODULE, GitFile
from ctxtui.core.disk.walk import MAX_FILES
from ctxtui.core.text.markdown.scan import is_markdown

_MAX_HOPS = 40
_CONTEXT = ".context"

LinkText = Callable[[str], str | None]
"""Returns the text of a link, its target, by the id of its blob."""

Put = tuple[str, GitFile | None]
"""A path, and the file to have there; None for no file."""


@dataclass(frozen=True, slots=True)
class Past:
    """The content ids of files by path, and the real paths of those that a link leads to."""

    ids: Mapping[str, str]
    linked: Mapping[str, str] = field(default_factory=dict)

    def real(self, path: str) -> str:
        """The real path of a path."""
        return self.linked.get(path, path)

    def once(self, paths: Iterable[str], preferred: Collection[str] = ()) -> frozenset[str]:
        """One of several paths to a file: a preferred one, else the real one, else the first by name."""
        if not self.linked:
            return frozenset(paths)
        ranked = sorted(paths, key=lambda path: (path not in preferred, path in self.linked, path))
        return frozenset({self.real(path): path for path in reversed(ranked)}.values())


def past_of(tree: Mapping[str, GitFile], link_text: LinkText) -> Past:
    """The files of a commit's tree; links inside the project are followed as in a walk, submodules are left out."""
    return Tree(tree, link_text).past


class Tree:
    """The files of a project as commits come and go, one after the other.

    `number` identifies the whole state: files with their contents, in no order.
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
        """The same state, to go on from independently."""
        return Tree(self.files, self._link_text)

    @property
    def past(self) -> Past:
        """The files as they are now; valid until the next change."""
        linked = self.linked
        return Past(
            self._ids | {path: self._ids[real] for path, real in linked.items()} if linked else self._ids, linked
        )

    @property
    def linked(self) -> Mapping[str, str]:
        """The real paths of the files that links lead to, by their paths through a link."""
        if not self._links:
            return {}
        if self._linked is None:
            led = _Links(self._ordered, submodules(self.files), self._links)
            reached = (pair for link in sorted(self._links) for pair in led.reached(link, self._ids))
            self._linked = dict(islice(reached, max(0, MAX_FILES - len(self._ids))))
        return self._linked

    def put(self, changes: Iterable[Put]) -> list[Put]:
        """Set or remove files; returns what to `put` to take that back."""
        return [(path, self._put(path, file)) for path, file in changes][::-1]

    def _put(self, path: str, file: GitFile | None) -> GitFile | None:
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


def _number(path: str, file: GitFile) -> int:
    return file_number(path, file.mode + file.id)


def submodules(tree: Mapping[str, GitFile]) -> list[str]:
    """The folders of a tree that are repositories of their own."""
    return [path for path, file in tree.items() if file.mode == SUBMODULE]


def sources_by_path(
    paths: Iterable[str], known: Mapping[str, str], table: Sequence[Agent] | None = None
) -> dict[str, str]:
    """The sources of files of other commits, judged by path alone.

    A path has its `known` current source; otherwise it is an agent's file by its name, is in
    a `.context` directory, or shares a folder with Markdown of one catalog or one entries directory; every
    other file is plain.
    """
    every = list(paths)
    agents = agent_files(every, table)
    folders: dict[str, set[str]] = {}
    for path, source in known.items():
        if is_markdown(path):
            folders.setdefault(path.rpartition("/")[0], set()).add(source)

    def source_of(path: str) -> str:
        folder = path.rpartition("/")[0]
        if is_markdown(path) and _CONTEXT in folder.split("/"):
            return _CONTEXT
        beside = folders.get(folder, set())
        if is_markdown(path) and beside in ({"catalog"}, {"entries"}):
            return next(iter(beside))
        return "agents" if path in agents else PLAIN

    return {path: known.get(path) or source_of(path) for path in every}


class _Links:
    """The links of a tree, their targets, and the files there."""

    def __init__(self, ordered: Sequence[str], modules: Collection[str], links: Mapping[str, str]) -> None:
        self._links = links
        self._ordered = ordered
        self._modules = modules

    def reached(self, link: str, ids: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The paths that one link adds, each with its real path."""
        real = self._resolve(link)
        if real in ids:
            yield link, str(real)
        elif real and not f"{link}/".startswith(f"{real}/"):
            for inner in self._below(real):
                target = self._resolve(inner) if inner in self._links else inner
                if target in ids:
                    yield link + inner[len(real) :], str(target)

    def _resolve(self, path: str) -> str | None:
        """The real path of a path; None if it leads out of the project, nowhere, or in a circle."""
        waiting, done = path.split("/")[::-1], list[str]()
        hops = 0
        while waiting:
            if not self._is_folder("/".join(done)):
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

    def _is_folder(self, path: str) -> bool:
        if not path or path in self._modules:
            return True
        place = bisect_left(self._ordered, f"{path}/")
        return place < len(self._ordered) and self._ordered[place].startswith(f"{path}/")

    def _below(self, folder: str) -> Sequence[str]:
        start = bisect_left(self._ordered, f"{folder}/")
        return self._ordered[start : bisect_left(self._ordered, f"{folder}0", start)]
