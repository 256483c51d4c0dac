"""Listing: which files below a root are listed, the same for every walk, and the cached walk."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Any, Final, NamedTuple

from ctxtui.core.base.notices import OnNotice, collecting
from ctxtui.core.base.packed import pack
from ctxtui.core.disk.cache import user_cache
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.trace import Trace
from ctxtui.core.disk.walk import Found, Walker

_KIND: Final = "walks"
PASSING: Final = frozenset({"unreadable-folder", "too-many-files"})
"""The causes of these notices may end without a change of any folder."""
AGENTS: Final = "agents"
"""The source of files that coding agents load."""
CONTEXT: Final = ".context"
CATALOG: Final = "catalog"
ENTRIES: Final = "entries"
PLAIN: Final = "files"
"""The source of files that are not context but are in the same folders."""


class SourceTraits(NamedTuple):
    """The hidden `folders` that belong to a source, and whether it has a loader of its own besides the agents."""

    folders: tuple[str, ...] = ()
    has_loader: bool = False


SOURCES: Final = {
    AGENTS: SourceTraits(),
    CONTEXT: SourceTraits((".context",), has_loader=True),
    CATALOG: SourceTraits(has_loader=True),
    ENTRIES: SourceTraits(has_loader=True),
    PLAIN: SourceTraits(),
}
"""The sources in the order of the tree. The hidden folders of agents are in their own table."""

SOURCE_FOLDERS: Final = frozenset(folder for traits in SOURCES.values() for folder in traits.folders)

# The folders in the packaged table of agents. A test compares them.
_OF_AGENTS: Final = (
    ".agent .agents .ai .aiassistant .augment .claude .claude-plugin .cline .clinerules .codex .codex-plugin"
    " .continue .curated .cursor .cursor-plugin .devin .experimental .factory .gemini .github .junie .kilo"
    " .kilocode .kimi-code .kiro .opencode .openhands .pi .qwen .roo .rovodev .system .vibe .windsurf"
)
CONTEXT_FOLDERS: Final = SOURCE_FOLDERS.union(_OF_AGENTS.split())
"""The hidden folders with files for models."""

Keep = Callable[[Path, Sequence[Found]], list[Found]]


def keep_context(_root: Path, files: Sequence[Found]) -> list[Found]:
    """Drop `ignored` files, except those in folders of CONTEXT_FOLDERS and hidden Markdown files."""
    return [file for file in files if not file.ignored or _is_context(file.path)]


def choose_all(_root: Path, files: Sequence[Found]) -> list[Found]:
    return list(files)


def _is_context(path: str) -> bool:
    from ctxtui.core.text.markdown.scan import SUFFIXES  # noqa: PLC0415 - a walk alone needs no Markdown

    *folders, name = path.split("/")
    return bool(CONTEXT_FOLDERS.intersection(folders)) or (name.startswith(".") and name.endswith(SUFFIXES))


@dataclass(frozen=True, slots=True)
class Listing:
    """The `hidden` folders that a walk enters, whether it enters ignored folders, and which files it keeps.

    `keep` receives the resolved root and the files found. `choose` selects the files that one search is about from
    the kept files. `name` distinguishes listings of the same root.
    """

    hidden: frozenset[str] = CONTEXT_FOLDERS
    with_ignored: bool = False
    keep: Keep = keep_context
    name: str = ""
    choose: Keep = choose_all

    def walk(self, root: Root, on_notice: OnNotice, trace: Trace | None = None) -> list[Found]:
        """The files below a root in path order, before `keep` and `choose`. `trace` records the dependencies."""
        return Walker(root, self.hidden, on_notice, trace=trace).walk(self.with_ignored)


DEFAULT_LISTING: Final = Listing()


def cached_walk(root: Root, listing: Listing, on_notice: OnNotice) -> list[Found]:
    """The files that `listing.walk` finds, cached while their dependencies hold."""
    began = time.time_ns()
    words = (str(root.path), *sorted(listing.hidden), str(listing.with_ignored))
    cache, name = user_cache(), "\0".join(words).encode("utf-8", "surrogatepass")
    # Elsewhere, the version of a folder does not tell when it was last changed.
    known = cache.snapshot_value(_KIND, name) if os.name == "posix" else None
    if known is not None and (files := _files_if_unchanged(root, known, on_notice)) is not None:
        return files
    notices, note = collecting(on_notice)
    trace = Trace()
    found = listing.walk(root, note, trace)
    if os.name == "posix" and trace.is_settled(began) and not any(each.code in PASSING for each in notices):
        rows = [(each.path, each.real, each.ignored) for each in found]
        cache.keep_snapshot(_KIND, name, pack((trace, notices, rows)))
    return found


def _files_if_unchanged(root: Root, known: Any, on_notice: OnNotice) -> list[Found] | None:
    """The files of the cached walk `known` with their versions now, or None if a new walk could differ.

    Repeats the notices of the walk.
    """
    trace, notices, rows = known
    found, top, look, is_file = list[Found](), str(root.path), os.stat, stat.S_ISREG
    try:
        if not trace.holds():
            return None
        for path, real, ignored in rows:
            status = look(f"{top}/{path}")
            if not is_file(status.st_mode):
                return None
            found.append(Found(intern(path), intern(real), Stamp.of(status), ignored))
    except (OSError, ValueError):
        return None
    for notice in notices:
        on_notice(notice)
    return found
