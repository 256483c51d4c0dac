"""Mentions of a file in other files of the project, and notes that the project generates it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import agent_folder
from ctxtui.core.base.errors import ContextError

# Workflows, scripts and instructions that may use a file.
_USERS = re.compile(
    r"\.(?:ya?ml|json|jsonc|toml|sh|bash|py|rb|go|rs|js|mjs|cjs|ts|mts|md|mdc|mdx)$|(?:^|/)(?:Make|Just|Task)file$"
)
_MOST_FILES = 5_000
_MOST_BYTES = 256 * 1024
_LEAST_NAME = 5
_DIVIDED = re.compile("[-_]")
# Characters between a verb and a name, bounded for long lines.
_NEAR = ".{0,200}?"
_READS = r"\b(?i:read|open|load|follow)\b"
_MAKES = r"\b(?:auto-?)?(?:generat|creat|produc|writ)(?:e[sd]?|ing|ten)\b"


def named_nowhere(
    audited: Audited, paths: Iterable[str], is_searched: Callable[[str], bool] = bool
) -> frozenset[str]:
    """The files that no other project file names, among workflows, scripts, settings and Markdown.

    Of the 5,000 first such files, those with `is_searched` paths are read, 256 KB of each.
    """
    unnamed = {path: re.compile(_name_pattern(path).encode("utf-8", "surrogateescape")) for path in paths}
    files = _searched_files(audited, is_searched) if unnamed else ()
    for other, data in files:
        unnamed = {path: pattern for path, pattern in unnamed.items() if path == other or not pattern.search(data)}
        if not unnamed:
            break
    return frozenset(unnamed)


def is_companion(audited: Audited, path: str) -> bool:
    """Whether another file in the same agent's folder, which some agent reads, names this file."""
    name, pattern = agent_folder(path), re.compile(_name_pattern(path))
    if not name:
        return False
    folder = f"{path.rpartition(f'{name}/')[0]}{name}/"
    others = (each for each in audited.ever_read if each.startswith(folder) and each != path)
    return any(pattern.search(audited.text(each) or "") for each in others)


def is_named_in_agents_folder(audited: Audited, path: str) -> bool:
    """Whether a text that some agent reads names a file of `.agents`, or tells to read all files of its folder.

    False for files elsewhere. Several agents share this folder, so that its files may be for an agent that has no
    rule for them.
    """
    _, found, name = path.rpartition(".agents/")
    if not found:
        return False
    folder, name = posixpath.split(f"{found}{name}")
    here = re.escape(folder)
    pattern = re.compile(rf"{here}/{re.escape(name)}(?![\w-])|{_READS}{_NEAR}{here}/(?![\w.])")
    texts = (audited.text(each) or "" for each in audited.ever_read if each != path)
    # Most texts do not name the folder, and the pattern takes a thousand times as long to see it.
    return any(f"{folder}/" in text and pattern.search(text) is not None for text in texts)


def _name_pattern(path: str) -> str:
    """A pattern for a file's name, or for the name without extension if that is hardly a usual word."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    name = re.escape(stem if len(stem) >= _LEAST_NAME and _DIVIDED.search(stem) else posixpath.basename(path))
    # The name comes first: a pattern that begins with a literal is found thirty times as fast.
    return rf"{name}(?![\w-])(?<![\w.-]{name})"


def made_by_project(audited: Audited, names: Iterable[str]) -> frozenset[str]:
    """The `names` of which a line of a context file or of the README says that the project generates them."""
    bases = {name: posixpath.basename(name) for name in names}
    if not bases:
        return frozenset()
    made = set[str]()
    wanted = set(bases.values())
    paths = dict.fromkeys((*(each.path for each in audited.references), *audited.by_name.get("README.md", ())[:1]))
    for text in _texts(audited, paths):
        if named := [base for base in wanted - made if base in text]:
            lines = text.splitlines()
            made.update(base for base in named if _is_made(base, lines))
        if made == wanted:
            break
    return frozenset(name for name, base in bases.items() if base in made)


def _is_made(name: str, lines: Iterable[str]) -> bool:
    """Whether a line says `writes plan.md`, `plan.md is created`, or similar."""
    word = re.escape(name)
    makes = re.compile(
        rf"{_MAKES}{_NEAR}{word}|{word}\W{{0,3}}\s(?:is|are|was|gets?|(?:will|can) be)\s{_NEAR}{_MAKES}",
        re.IGNORECASE,
    )
    return any(name in line and makes.search(line) for line in lines)


def _texts(audited: Audited, paths: Iterable[str]) -> Iterator[str]:
    """The readable texts. Not cached, because nearly all are read only for this."""
    by_path, reader = audited.workspace.by_path, audited.workspace.reader
    for path in paths:
        try:
            reference = by_path.get(path)
            yield (audited.text(path) or "") if reference is None else reader.read_once(reference).text
        except ContextError as error:
            audited.note_unreadable(error, path)


def _searched_files(audited: Audited, is_searched: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """The first bytes of files that may use others and whose path `is_searched`, workflows first."""
    root = audited.workspace.reader.root
    wanted = sorted(filter(_USERS.search, audited.paths), key=lambda path: (not path.startswith(".github/"), path))
    for path in filter(is_searched, islice(wanted, _MOST_FILES)):
        try:
            yield path, root.read(path, _MOST_BYTES).data
        except ContextError:
            continue
