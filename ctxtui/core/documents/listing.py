"""Listing: which files below a root are listed, the same for every walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ctxtui.core.base.notices import OnNotice
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.trace import Trace
from ctxtui.core.disk.walk import Found, OnSome, Walker

PLAIN: Final = "files"
"""The source of files that are not context but are in the same folders."""

SOURCES: Final = {"agents": (), ".context": (".context",), "catalog": (), "entries": (), PLAIN: ()}
"""The sources in the order of the tree, and the hidden folders that belong to them, besides those of agents."""

SOURCE_FOLDERS: Final = frozenset(folder for folders in SOURCES.values() for folder in folders)

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
    """Drop ignored files, and hidden files that are not context by name or folder."""
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

    def walk(
        self, root: Root, on_notice: OnNotice, on_some: OnSome | None = None, trace: Trace | None = None
    ) -> list[Found]:
        """All files below a root by path, unfiltered. `on_some` and `trace` as for `Walker`."""
        return Walker(root, self.hidden, on_notice, trace=trace).walk(self.with_ignored, on_some)


DEFAULT_LISTING: Final = Listing()
