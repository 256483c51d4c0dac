"""Find transcripts: newest first, regular files only, without following links."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.agents import load_table
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.root import Root
from ctxtui.workspace.opening.find_user_files import moved_folder

MAX_LISTED: Final = 20_000
"""The maximum number of files listed per agent."""

_SLUG = re.compile(r"[^A-Za-z0-9]")
_SLUG_LENGTH = 200
_DAY = re.compile(r"\d{2,4}")
_LINES = ".jsonl"
_COMPRESSED = ".jsonl.zst"
_SUBAGENTS = "subagents"
_MAX_DEPTH = 3


class Transcript(NamedTuple):
    """A transcript: path below the transcript folder, modification time in seconds, size in bytes, owner.

    The `owner` of a subagent's transcript is the id of the conversation that started it.
    """

    path: str
    changed: float
    size: int
    owner: str = ""

    @property
    def id(self) -> str:
        return self.path.rpartition("/")[2].removesuffix(_LINES)


@dataclass(slots=True)
class TranscriptList:
    """The transcripts, newest first, and the number of refused links and compressed files."""

    kept: list[Transcript]
    refused: int = 0


def transcripts_place(environment: Mapping[str, str], id_: str, folder: str) -> Path | None:
    """An agent's folder of transcripts below its own, or None if the environment names no home."""
    agent = next(each for each in load_table() if each.id == id_)
    home = _home(environment)
    place = moved_folder(agent, environment) or (home and home / agent.home)
    return place / folder if place else None


def _home(environment: Mapping[str, str]) -> Path | None:
    home = environment.get("HOME") or environment.get("USERPROFILE")
    return Path(home) if home else None


def claude_slug(folder: str) -> str:
    """The transcript folder name of a project. A longer name continues with a hash."""
    return _SLUG.sub("-", folder)[:_SLUG_LENGTH]


def list_claude(root: Root, folders: tuple[str, ...] | None, environment: Mapping[str, str]) -> TranscriptList:
    """The transcripts of working directories and all folders below, or of all, with subagents."""
    slugs = None if folders is None else tuple(map(claude_slug, folders))
    own = environment.get("CLAUDE_CODE_PROJECT_DIR_NAME") if environment.get("CLAUDE_CONFIG_DIR") else None
    listing = TranscriptList([])
    for entry in _entries(root, ""):
        if slugs is None or entry.name == own or entry.name.startswith(slugs):
            _list_project(root, entry, listing)
    return _newest(listing)


def _list_project(root: Root, entry: os.DirEntry[str], listing: TranscriptList) -> None:
    if not _is_folder(entry):
        listing.refused += entry.is_symlink()
        return
    for inner in _entries(root, entry.name):
        path = f"{entry.name}/{inner.name}"
        if inner.name.endswith(_LINES):
            _add(listing, inner, path)
        elif _is_folder(inner):
            _list_subagents(root, f"{path}/{_SUBAGENTS}", inner.name, listing)


def _list_subagents(root: Root, folder: str, owner: str, listing: TranscriptList, depth: int = 0) -> None:
    """The transcripts of a conversation's subagents. Workflows have subfolders."""
    for entry in _entries(root, folder):
        path = f"{folder}/{entry.name}"
        if entry.name.endswith(_LINES):
            _add(listing, entry, path, owner)
        elif depth < _MAX_DEPTH and _is_folder(entry):
            _list_subagents(root, path, owner, listing, depth + 1)


def list_codex(root: Root, _folders: tuple[str, ...] | None, _environment: Mapping[str, str]) -> TranscriptList:
    """The transcripts of all days. Only the first line of a file names its working directory."""
    listing = TranscriptList([])
    folders = [""]
    for _ in range(3):
        folders = [f"{folder}/{name}".lstrip("/") for folder in folders for name in _days(root, folder)]
    for folder in folders:
        for entry in _entries(root, folder):
            if entry.name.startswith("rollout-") and entry.name.endswith((_LINES, _COMPRESSED)):
                _add(listing, entry, f"{folder}/{entry.name}")
        if len(listing.kept) >= MAX_LISTED:
            break
    return _newest(listing)


def _days(root: Root, folder: str) -> list[str]:
    names = (entry.name for entry in _entries(root, folder) if _is_folder(entry))
    return sorted((name for name in names if _DAY.fullmatch(name)), reverse=True)


def _entries(root: Root, folder: str) -> Iterator[os.DirEntry[str]]:
    with suppress(ContextError, OSError), root.scanned(folder) as entries:
        yield from entries


def _is_folder(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        return entry.is_dir(follow_symlinks=False)
    return False


def _add(listing: TranscriptList, entry: os.DirEntry[str], path: str, owner: str = "") -> None:
    with suppress(OSError):
        status = entry.stat(follow_symlinks=False)
        if entry.is_file(follow_symlinks=False) and path.endswith(_LINES):
            if len(listing.kept) < MAX_LISTED:
                listing.kept.append(Transcript(path, status.st_mtime, status.st_size, owner))
        else:
            listing.refused += 1


def _newest(listing: TranscriptList) -> TranscriptList:
    listing.kept.sort(key=lambda kept: (-kept.changed, kept.path))
    return listing
