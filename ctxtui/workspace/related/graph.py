"""The imports of a project's files, both ways, with its tests and what its documents name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import dirname
from typing import Final

from ctxtui.core.cancel import Check, go_on
from ctxtui.core.code.imports import Import, is_importing
from ctxtui.core.metadata.reference import Reference
from ctxtui.workspace.related.json_files import JsonFiles
from ctxtui.workspace.related.mentions import by_base_name, mentions, naming
from ctxtui.workspace.related.places import candidates
from ctxtui.workspace.related.python_modules import ENDINGS as PYTHON
from ctxtui.workspace.related.python_modules import PythonModules
from ctxtui.workspace.related.script_modules import ScriptModules
from ctxtui.workspace.related.tests import tests_by_name
from ctxtui.workspace.related.texts import Contents
from ctxtui.workspace.workspace import Workspace

_KEY: Final = "related"


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """What relates the files of one snapshot, by their paths; each file once, in the order of the imports."""

    imports: Mapping[str, tuple[str, ...]]
    importers: Mapping[str, tuple[str, ...]]
    tests: Mapping[str, list[str]]
    mentions: Mapping[str, list[tuple[str, str]]]
    named: Mapping[str, list[str]]
    modules: Mapping[str, str]

    def naming(self, path: str) -> Iterator[str]:
        """The documents that name a file."""
        return naming(path, self.modules.get(path, ""), self.mentions, lambda name: self.named.get(name, []))


def graph_of(workspace: Workspace, check: Check = go_on) -> Graph:
    """The graph of a snapshot, computed once; may take a second for each thousand files that changed.

    `check` is called for every file; an exception ends the work, and what was read is known the next time.
    """
    known = workspace.chosen.get(_KEY)
    if known is None:
        try:
            known = workspace.chosen[_KEY] = _graph(workspace, check)
        finally:
            workspace.reader.passes.flush()
    found: Graph = known
    return found


def _graph(workspace: Workspace, check: Check) -> Graph:
    sizes, contents = candidates(workspace), Contents(workspace)
    listed = [each for each in workspace.references if each.path in sizes]
    written = {each.path: contents.imports(each) for each in _checked(listed, check) if is_importing(each.path)}
    relative = {dirname(path) for path, each in written.items() if any(found.level for found in each)}
    python = PythonModules(sizes, relative)
    imports = _resolved(python, ScriptModules(sizes, JsonFiles(workspace)), sizes, written, check)
    importers: defaultdict[str, list[str]] = defaultdict(list)
    for path, targets in imports.items():
        for target in targets:
            importers[target].append(path)
    return Graph(
        imports,
        {path: tuple(found) for path, found in importers.items()},
        tests_by_name((path for path, size in sizes.items() if size), lambda path: imports.get(path, ())),
        mentions(listed, contents, check),
        by_base_name(sizes),
        python.names,
    )


def _checked(references: Iterable[Reference], check: Check) -> Iterator[Reference]:
    for reference in references:
        check()
        yield reference


def _resolved(
    python: PythonModules,
    scripts: ScriptModules,
    sizes: Mapping[str, int],
    written: Mapping[str, tuple[Import, ...]],
    check: Check,
) -> dict[str, tuple[str, ...]]:
    """The files that each file imports, without itself and empty ones."""
    resolved: dict[str, tuple[str, ...]] = {}
    for path, found in written.items():
        check()
        targets: dict[str, None] = {}
        for each in found:
            if path.endswith(PYTHON):
                targets.update(dict.fromkeys(python.resolve(path, each)))
            else:
                targets.update(dict.fromkeys(filter(None, (scripts.resolve(path, each.module),))))
        # An empty file, such as most `__init__.py`, says nothing.
        resolved[path] = tuple(target for target in targets if target != path and sizes[target])
    return resolved
