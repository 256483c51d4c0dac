"""The files related to a file, of four kinds with their tokens, by imports and names in texts, which are cached."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from posixpath import basename, dirname, join, normpath
from typing import Final, Literal, TypeVar

from ctxtui.core.base.batches import grouped
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.code.imports import Import, can_read_imports, imports_of, known_imports
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.secrets import blank, find_secrets
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.related.places import candidates, is_aside
from ctxtui.workspace.related.python_modules import ENDINGS as PYTHON
from ctxtui.workspace.related.python_modules import PythonModules
from ctxtui.workspace.related.script_modules import JsonFiles, ScriptModules
from ctxtui.workspace.related.tests import is_test, tests_by_name
from ctxtui.workspace.workspace import Workspace

_NAMED: Final = re.compile(r"[\w@.+$~/-]++")
_FILE: Final = re.compile(r"(?:[^/]*/)*[^/]+\.[A-Za-z_]\w{0,60}")
_LONGEST: Final = 300
_MOST: Final = 20_000

_NAMES = "names"
ENDINGS: Final = (".md", ".mdx", ".mdc", ".markdown", ".rst", ".adoc")

# Logs list changes and do not explain a file.
_LOGS: Final = re.compile(r"(?:change|release)[ _-]?(?:log|notes|s)?|history|news", re.IGNORECASE)

# Names that tutorials use for their readers' files.
_USUAL: Final = re.compile(
    r"index|main|app|server|client|config|settings|utils?|types?|test|setup|page|__\w+__", re.I
)

Fact = TypeVar("Fact", Import, str)
Kind = Literal["imports", "imported by", "test", "document"]

KINDS: Final[tuple[Kind, ...]] = ("imports", "imported by", "test", "document")
"""The kinds in display order."""

NEEDS: Final = "their imports and what imports them, as a grammar cannot be loaded: install ctxtui again"
"""The hint for related files without a grammar."""


def _names_in(text: str) -> tuple[str, ...]:
    """File names, paths and dotted module names, each once: words with a dot in them. Secrets are blanked first."""
    shown = blank(text, find_secrets(text))
    found = (match[0].rstrip(".").removeprefix("./") for match in _NAMED.finditer(shown))
    usual = (name for name in found if "." in name and len(name) <= _LONGEST and _FILE.fullmatch(name))
    return tuple(dict.fromkeys(usual))[:_MOST]


class Contents:
    """Imports and names in the files of a workspace. Each file version is searched once for all snapshots."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._counter = workspace, get_counter()

    def imports(self, reference: Reference) -> tuple[Import, ...]:
        """The imports of a file, empty if unreadable."""
        path, cache = reference.path, self._workspace.reader.cache
        return self._facts(
            "imports",
            reference,
            lambda digest: known_imports(path, digest, cache),
            lambda document: imports_of(path, document.text, document.digest, cache),
        )

    def names(self, reference: Reference) -> tuple[str, ...]:
        """The names and paths of files in a document, empty if unreadable."""
        cache = self._workspace.reader.cache
        return self._facts(
            _NAMES,
            reference,
            lambda digest: cache.known_fact(_NAMES, digest),
            lambda document: cache.fact(_NAMES, document.digest, lambda: _names_in(document.text)),
        )

    def _facts(
        self,
        kind: str,
        reference: Reference,
        find: Callable[[bytes], tuple[Fact, ...] | None],
        learn: Callable[[Document], tuple[Fact, ...] | None],
    ) -> tuple[Fact, ...]:
        """The facts that `find` knows by a counted file's digest, which is then not read, else those of `learn`."""

        def facts() -> tuple[Fact, ...]:
            counted = self._workspace.reader.known_entry(reference, self._counter)
            known = find(counted.digest) if counted else None
            if known is None:
                with suppress(ContextError):
                    known = learn(self._workspace.document(reference))
            return known or ()

        found: tuple[Fact, ...] = self._workspace.reader.derived.get((kind, reference.path, reference.stamp), facts)
        return found


def mentions(documents: Iterable[Reference], contents: Contents, check: Check) -> dict[str, list[tuple[str, str]]]:
    """The paths of documents with a word that may name a file, and the word, by the base name in the word."""
    found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for reference in documents:
        name = basename(reference.path).partition(".")[0]
        if not reference.path.lower().endswith(ENDINGS) or _LOGS.fullmatch(name):
            continue
        check()
        for name in contents.names(reference):
            found[basename(name)].append((reference.path, name))
    return found


def _is_meant(path: str, document: str, word: str, same: list[str]) -> bool:
    """Whether a word in a document means the file at `path`. `same` are the paths of all files with its base name."""
    if word.startswith("//"):
        # The file's page on the web.
        return "/" in path and word.endswith(f"/{path}")
    word = word.lstrip("~").lstrip("/")
    if normpath(join(dirname(document), word)) == path or ("/" in word and normpath(word) == path):
        return True
    # Other projects use the names of examples and fixtures too.
    if is_aside(dirname(path), dirname(document)) or ("/" not in word and _USUAL.fullmatch(word.partition(".")[0])):
        return False
    return [each for each in same if f"/{each}".endswith(f"/{word}")] == [path]


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The relations of a snapshot's files by path, `mentions` and `named` by base name, `modules` as dotted names."""

    imports: Mapping[str, tuple[str, ...]]
    importers: Mapping[str, list[str]]
    tests: Mapping[str, list[str]]
    mentions: Mapping[str, list[tuple[str, str]]]
    named: Mapping[str, list[str]]
    modules: Mapping[str, str]

    def naming(self, path: str) -> Iterator[str]:
        """The paths of documents that name a file or its module."""
        module, name = self.modules.get(path, ""), basename(path)
        if "." in module:
            yield from (document for document, word in self.mentions.get(module, ()) if word == module)
        for document, word in self.mentions.get(name, ()):
            if document != path and _is_meant(path, document, word, self.named.get(name, [])):
                yield document


def graph_of(workspace: Workspace, check: Check = go_on) -> Graph:
    """The graph of a snapshot, computed once. This takes a second for each thousand changed files.

    `check` is called for every file. Its exception ends the work, and the files read so far stay cached.
    """

    def made() -> Graph:
        try:
            return _graph(workspace, check)
        finally:
            workspace.reader.cache.flush()

    return workspace.once("related", made)


def _graph(workspace: Workspace, check: Check) -> Graph:
    sizes, contents = candidates(workspace), Contents(workspace)
    listed = [each for each in workspace.references if each.path in sizes]
    written = {
        each.path: contents.imports(each) for each in _each_checked(listed, check) if can_read_imports(each.path)
    }
    relative = {dirname(path) for path, each in written.items() if any(found.level for found in each)}
    python, scripts = PythonModules(sizes, relative), ScriptModules(sizes, JsonFiles(workspace))
    imports: dict[str, tuple[str, ...]] = {}
    for path, found in written.items():
        check()
        targets = dict.fromkeys(_targets(path, found, python, scripts))
        # An empty file, such as most `__init__.py`, has no content to relate.
        imports[path] = tuple(target for target in targets if target != path and sizes[target])
    return Graph(
        imports,
        grouped((target, path) for path, targets in imports.items() for target in targets),
        tests_by_name((path for path, size in sizes.items() if size), lambda path: imports.get(path, ())),
        mentions(listed, contents, check),
        grouped((basename(path), path) for path in sizes),
        python.names,
    )


def _each_checked(references: Iterable[Reference], check: Check) -> Iterator[Reference]:
    for reference in references:
        check()
        yield reference


def _targets(path: str, written: Iterable[Import], python: PythonModules, scripts: ScriptModules) -> Iterator[str]:
    for each in written:
        if path.endswith(PYTHON):
            yield from python.resolve(path, each)
        elif target := scripts.resolve(path, each.module):
            yield target


@dataclass(frozen=True, slots=True)
class Related:
    """A file related to another, and its tokens, None if it is unreadable.

    `is_named` marks a test with the name of the other file.
    """

    kind: Kind
    reference: Reference
    tokens: int | None
    is_named: bool = False

    @property
    def id(self) -> str:
        return self.reference.id


def related(
    workspace: Workspace,
    id: str,  # noqa: A002 - the public word for it
    counter: TokenCounter | None = None,
    check: Check = go_on,
) -> tuple[Related, ...]:
    """The files related to a document, each once: imports, importers, tests, documents that name it.

    Imports are read in Python, TypeScript and JavaScript, and only with their grammars. The first call for a snapshot
    reads its code and its Markdown. `check` is called for every file, and its exception ends the work. Raises
    NotFound.
    """
    reference = workspace.require(workspace.target(id).document)
    counter = counter or get_counter()
    graph = graph_of(workspace, check)
    kinds = dict(_paths_and_kinds(graph, reference.path))
    named = set(graph.tests.get(reference.path, ()))
    rows = []
    for path, kind in kinds.items():
        check()
        each = workspace.by_path[path]
        rows.append(Related(kind, each, workspace.tokens_or_none(each, counter), path in named))
    rows.sort(key=lambda each: (KINDS.index(each.kind), not each.is_named))
    return tuple(rows)


def _paths_and_kinds(graph: Graph, path: str) -> Iterator[tuple[str, Kind]]:
    """The related files, weakest kind first. A file may come several times: its last kind counts."""
    for document in graph.naming(path):
        yield document, "document"
    in_tests = is_test(path)
    for each in graph.importers.get(path, ()):
        yield each, "test" if is_test(each) and not in_tests else "imported by"
    for each in graph.tests.get(path, ()):
        yield each, "test"
    for each in graph.imports.get(path, ()):
        yield each, "imports"
