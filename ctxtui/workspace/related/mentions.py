"""Files named in documents: by a path, a base name that only one file of the project has, or a dotted module."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from posixpath import basename, dirname, join, normpath
from typing import Final

from ctxtui.core.cancel import Check
from ctxtui.core.metadata.reference import Reference
from ctxtui.workspace.related.places import is_aside
from ctxtui.workspace.related.texts import Contents

ENDINGS: Final = (".md", ".mdx", ".mdc", ".markdown", ".rst", ".adoc")

# They name what changed, and tell nothing of it.
_LOGS: Final = re.compile(r"(?:change|release)[ _-]?(?:log|notes|s)?|history|news", re.IGNORECASE)

# Names that tutorials give to the files of their readers.
_USUAL: Final = re.compile(
    r"index|main|app|server|client|config|settings|utils?|types?|test|setup|page|__\w+__", re.I
)


def mentions(documents: Iterable[Reference], contents: Contents, check: Check) -> dict[str, list[tuple[str, str]]]:
    """The documents that name something like a file, and how they name it, by its base name."""
    found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for reference in documents:
        if not reference.path.lower().endswith(ENDINGS) or _is_log(reference.path):
            continue
        check()
        for name in contents.names(reference):
            found[basename(name)].append((reference.path, name))
    return found


def _is_log(path: str) -> bool:
    return _LOGS.fullmatch(basename(path).partition(".")[0]) is not None


def naming(
    path: str, module: str, mentioned: Mapping[str, list[tuple[str, str]]], named: Callable[[str], list[str]]
) -> Iterator[str]:
    """The documents that name a file or its module; `named` gives the files of the project with a base name."""
    if "." in module:
        yield from (document for document, word in mentioned.get(module, ()) if word == module)
    name = basename(path)
    for document, word in mentioned.get(name, ()):
        if document != path and _is_meant(path, document, word, named(name)):
            yield document


def _is_meant(path: str, document: str, word: str, same: list[str]) -> bool:
    if word.startswith("//"):
        # A page of the file on the web.
        return "/" in path and word.endswith(f"/{path}")
    word = word.lstrip("~").lstrip("/")
    if normpath(join(dirname(document), word)) == path or ("/" in word and normpath(word) == path):
        return True
    # What examples and fixtures are called, other projects have too.
    if is_aside(dirname(path), dirname(document)) or ("/" not in word and _USUAL.fullmatch(word.partition(".")[0])):
        return False
    return [each for each in same if f"/{each}".endswith(f"/{word}")] == [path]


def by_base_name(paths: Iterable[str]) -> dict[str, list[str]]:
    """The files of a project by their base names."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        found[basename(path)].append(path)
    return found
