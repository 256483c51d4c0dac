"""Words that choose documents: an id or a path, a folder, a pattern. A `!` before a word drops its matches."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.target import Target
from ctxtui.core.base.wording import near
from ctxtui.core.text.globs import compile_glob, is_pattern, literal
from ctxtui.core.text.metadata.reference import Reference, composed
from ctxtui.workspace.plain_files import large_left_notice
from ctxtui.workspace.resolve import below_root, document_at, folder_at, resolve, resolve_exact, resolve_section
from ctxtui.workspace.workspace import Workspace

MAX_PATTERN: Final = 1_000
"""The maximum number of characters of a pattern."""

_EXCLUDES: Final = "!"
# The name of a passage in `retrieve`.
_RETRIEVED: Final = re.compile(r"(?:filesystem|mcp):.+#L\d+-L\d+$", re.DOTALL)
_LISTED: Final = "ctxtui ls lists what can be picked"


@dataclass(frozen=True, slots=True)
class Choice:
    """The target of a word by its name, or documents in the order of the workspace.

    With `takes_away`, documents are dropped instead of picked. The notices report documents that are left out.
    """

    target: Target | None = None
    references: tuple[Reference, ...] = ()
    takes_away: bool = False
    notices: tuple[Notice, ...] = ()

    @property
    def ids(self) -> list[str]:
        return [str(self.target)] if self.target else [each.id for each in self.references]


def choose(workspace: Workspace, word: str, directory: Path | None = None) -> Choice:
    """The documents that a typed word picks or, after `!`, drops.

    Large data is left out with a notice, unless the word names the file or a folder that holds nothing else.

    Tried in order: a document by its id or path, a folder, a section, a pattern, each relative to `directory` (the
    current directory) and then to the root, then guesses of `resolve`. The longest existing beginning of a pattern is
    literal. Raises NotFound with the nearest names if it finds nothing, ContextError (invalid_request) if it is
    ambiguous or too long.
    """
    if _RETRIEVED.match(word) and not _is_name(workspace, word, directory):
        word = word.partition(":")[2]
    if word.startswith(_EXCLUDES) and len(word) > 1 and not _is_name(workspace, word, directory):
        return _excluded(workspace, word, directory)
    if named := _named(workspace, word, directory):
        return Choice(named)
    is_folder = bool(_named_folders(workspace, word, directory))
    for found in _documents_named(workspace, word, directory):
        usual = tuple(each for each in found if each.large is None)
        if usual:
            large = [each for each in found if each.large]
            return Choice(None, usual, notices=(large_left_notice(large, word),) if large else ())
        if is_folder and found:
            return Choice(None, tuple(found))
    if is_pattern(word):
        raise NotFound(f"{word} finds no file", hint=_pattern_hint(workspace, word, directory))
    return Choice(resolve(workspace, word, directory))


class Named(NamedTuple):
    """A word that is the name of a document, section or folder, and its path below the root."""

    word: str
    place: str
    is_folder: bool


def named_by(workspace: Workspace, word: str, directory: Path | None = None) -> Named | None:
    """The document, section or folder with exactly that name, or None."""
    target = _named(workspace, word, directory)
    if target is not None:
        return Named(word, workspace.by_id[target.document].path, False)
    folders = _named_folders(workspace, word, directory)
    return Named(word, folders[0] or ".", True) if folders else None


def _is_name(workspace: Workspace, word: str, directory: Path | None) -> bool:
    if resolve_exact(workspace, word, directory) is not None:
        return True
    return bool(_named_folders(workspace, word.partition("/")[0], directory))


def _excluded(workspace: Workspace, word: str, directory: Path | None) -> Choice:
    """The documents that a word with `!` drops, large data included. A pattern may find none, with a notice.

    Raises as `choose` does.
    """
    name = word.removeprefix(_EXCLUDES)
    if named := _named(workspace, name, directory):
        return Choice(named, takes_away=True)
    found = next(_documents_named(workspace, name, directory), ())
    if found or is_pattern(name):
        told = () if found else (Notice("no-match", f"{word} finds no file, so it takes nothing away"),)
        return Choice(None, tuple(found), True, told)
    return Choice(resolve(workspace, name, directory), takes_away=True)


def _named(workspace: Workspace, word: str, directory: Path | None) -> Target | None:
    """The document or section with exactly that name, or None. Raises as `resolve` for an unknown section."""
    owner = resolve_exact(workspace, word, directory)
    if owner is not None:
        return Target(owner)
    if _named_folders(workspace, word, directory):
        return None
    return resolve_section(workspace, word, directory)


def _documents_named(workspace: Workspace, word: str, directory: Path | None) -> Iterator[Sequence[Reference]]:
    """The documents below each folder with that name, or without one, the word's matches as a pattern.

    First from `directory`, then from the root. Raises ContextError (invalid_request) if the word is too long.
    """
    if len(word) > MAX_PATTERN:
        raise invalid(f"a pattern has at most {MAX_PATTERN:,} characters")
    if folders := _named_folders(workspace, word, directory):
        yield from (_below(workspace, [folder]) for folder in folders)
    elif is_pattern(word):
        here = below_root(workspace, ".", directory) or ""
        places = dict.fromkeys(_places(workspace, word, directory))
        yield from filter(None, (_matched(workspace, [_as_pattern(workspace, place, here)]) for place in places))


def _places(workspace: Workspace, word: str, directory: Path | None) -> Iterator[str]:
    """A word as a path below the root: relative to the directory, then to the root. A `/` at the end stays.

    The path need not exist.
    """
    end = "/" if word.endswith("/") else ""
    if word.startswith("/"):
        below = below_root(workspace, word, directory)
        if below is not None:
            yield below + end
        return
    here = below_root(workspace, ".", directory)
    for folder in (here, "."):
        if folder is not None and word and "\0" not in word:
            place = os.path.normpath(f"{folder}/{word}")
            if place != ".." and not place.startswith("../"):
                yield place + end


def _named_folders(workspace: Workspace, word: str, directory: Path | None) -> list[str]:
    """The folders with exactly that name: relative to the directory, then to the root."""
    found = (folder_at(workspace, place) for place in dict.fromkeys(_places(workspace, word, directory)))
    return [folder for folder in found if folder is not None]


def _below(workspace: Workspace, folders: Iterable[str]) -> list[Reference]:
    starts = tuple(f"{folder}/" if folder else "" for folder in folders)
    return [each for each in workspace.references if any(path.startswith(starts) for path in each.paths)]


def _matched(workspace: Workspace, patterns: Sequence[str]) -> list[Reference]:
    glob = compile_glob(*patterns)
    return [each for each in workspace.references if any(glob.matches(composed(path)) for path in each.paths)]


def _as_pattern(workspace: Workspace, place: str, here: str = "") -> str:
    """A path as a pattern. Its beginning is literal as far as it is in `here` or exists, even with wildcards.

    A `/` at the end means everything below.
    """
    parts = place.rstrip("/").split("/")
    fixed = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(parts, here.split("/"), strict=False)))
    for count in range(len(parts), fixed, -1):
        start = "/".join(parts[:count])
        if not is_pattern(start):
            break
        if folder_at(workspace, start) is not None or workspace.reader.root.exists(start):
            fixed = count
            break
    end = ["**"] if place.endswith("/") else []
    return composed("/".join([*map(literal, parts[:fixed]), *parts[fixed:], *end]))


def matching(workspace: Workspace, *words: str) -> list[Reference]:
    """The documents that words from the root mean, in workspace order: an id or a path, a folder, or else a pattern.

    A word that matches nothing adds nothing. `!` is an ordinary character here. Large data counts.
    """
    ids: set[str] = set()
    folders: list[str] = []
    patterns: list[str] = []
    for word in words:
        place = os.path.normpath(word) + ("/" if word.endswith("/") else "")
        found = workspace.by_id.get(word) or document_at(workspace, place)
        if found is not None:
            ids.add(found.id)
        elif (folder := folder_at(workspace, place)) is not None:
            folders.append(folder)
        elif is_pattern(word):
            patterns.append(_as_pattern(workspace, place))
    below = _below(workspace, folders) if folders else ()
    ids.update(each.id for each in (*below, *(_matched(workspace, patterns) if patterns else ())))
    return [each for each in workspace.references if each.id in ids]


def own_word(workspace: Workspace, reference: Reference) -> str:
    """A word that means one document in `matching` and, if possible, nothing once that document is gone.

    A literal pattern of the path where that is unambiguous, else the id.
    """
    word = literal(reference.path)
    is_free = reference.path.isascii() and not (word in workspace.by_id or document_at(workspace, word))
    return word if word != reference.path and is_free and _as_pattern(workspace, word) == word else reference.id


def _pattern_hint(workspace: Workspace, word: str, directory: Path | None) -> str:
    """A hint for a pattern that finds nothing to pick: large data, folders, or the nearest names."""
    if any(True for _ in _documents_named(workspace, word, directory)):
        return "it finds only large data: pick it by its path"
    if any(True for _ in _documents_named(workspace, f"{word}/", directory)):
        return f"it matches only folders: {word.rstrip('/')}/ picks what is in them"
    parts = word.rstrip("/").split("/")
    fixed = parts[: next(place for place, part in enumerate(parts) if is_pattern(part))]
    for depth in range(1, len(fixed) + 1):
        if "/".join(fixed[:depth]) not in workspace.folders:
            return near("/".join(fixed[:depth]), workspace.folders) or _LISTED
    bare = re.sub(r"[*?!{}\[\]]", "", parts[-1])
    return near(bare, [each.path for each in workspace.references]) or _LISTED
