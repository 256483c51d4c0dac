"""Tests, and their subjects by name, in every language, without a grammar."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from posixpath import basename, dirname
from typing import Final

from ctxtui.workspace.related.places import is_inside
from ctxtui.workspace.related.python_modules import ENDINGS as PYTHON
from ctxtui.workspace.related.script_modules import ENDINGS as SCRIPTS

_FOLDER: Final = re.compile(
    r"__tests?(?:_\w+)?__|tests?|specs?|e2e|testing|[a-z]+[_-]tests?|[\w.]*(?:\.|(?-i:(?<=[a-z])(?=T)))tests?"
    r"|[\w.]+\.specs",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Naming:
    """The test naming of a language. The only matching group of a pattern is the tested file's name.

    `index` are names of files that stand for their folder, `folders` hold tests without a sign in their name. With
    `apart`, a declaration and its code are two files, and a test covers both.
    """

    endings: tuple[str, ...]
    tests: re.Pattern[str]
    index: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    apart: bool = False


# Capitals separate words: `UserTest` is a test, `latest` is not.
_WORDS: Final = r"(.+?)[._-]?(?:(?:Unit|Integration)?(?:Tests?|TestCase|Specs?)|(?<=[a-z\d])IT)|Tests?([A-Z].*)"
_SIGNS: Final = r"(.+)[._-](?:unit)?(?:tests?|spec)|(?:tests?|unit)[._-](.+)"
_LANGUAGES: Final = (
    _Naming(PYTHON, re.compile(r"test_(.+)|(.+)_test", re.I), frozenset({"__init__", "index"})),
    _Naming(
        SCRIPTS,
        re.compile(r"(.+)[._-](?:test|spec|e2e)", re.I),
        frozenset({"__init__", "index"}),
        frozenset({"__tests__", "__test__"}),
    ),
    _Naming((".go",), re.compile("(.+)_test")),
    _Naming((".rs",), re.compile("(.+)_tests?|tests?_(.+)|(tests)"), frozenset({"mod"}), frozenset({"tests"})),
    _Naming((".java", ".kt", ".kts", ".groovy", ".scala"), re.compile(_WORDS)),
    _Naming((".cs", ".fs", ".vb"), re.compile(rf"{_WORDS}|(.+?)(?:Facts|Fixture)")),
    _Naming((".swift",), re.compile(_WORDS)),
    _Naming((".php",), re.compile(_WORDS)),
    _Naming((".rb",), re.compile(r"(.+)_(?:spec|test)|test_(.+)")),
    _Naming((".ex", ".exs"), re.compile("(.+)_test")),
    _Naming((".dart",), re.compile("(.+)_test")),
    _Naming((".lua",), re.compile("(.+)[_.](?:spec|test)|test_(.+)")),
    _Naming(
        (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".m", ".mm"),
        re.compile(f"{_SIGNS}|{_WORDS}"),
        apart=True,
    ),
)
_BY_ENDING: Final = {ending: naming for naming in _LANGUAGES for ending in naming.endings}


def is_test(path: str) -> bool:
    """Whether a file is a test, or in a folder of tests."""
    return _called_after(path) is not None or _outermost(path) is not None


def has_naming(path: str) -> bool:
    """Whether a file is code of a language whose tests have usual names."""
    return _naming(path) is not None


def tests_by_name(paths: Iterable[str], imports: Callable[[str], Collection[str]]) -> dict[str, list[str]]:
    """The tests named after each file, by its path. Of files with one name, imported ones count, else the nearest."""
    tests: list[tuple[str, str, _Naming]] = []
    named: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path in paths:
        naming = _naming(path)
        if naming is None:
            continue
        if after := _called_after(path):
            tests.append((path, after, naming))
        elif _outermost(path) is None:
            named[naming.endings[0], _own_name(path, naming)].append(path)
    found: defaultdict[str, list[str]] = defaultdict(list)
    for test, name, naming in tests:
        for path in _tested_files(test, named.get((naming.endings[0], name), ()), imports(test), naming):
            found[path].append(test)
    return found


def _tested_files(test: str, files: Collection[str], imported: Collection[str], naming: _Naming) -> Collection[str]:
    """The files that a test tests, among `files` with the name in its name: imported files, else the only nearest."""
    seen = [path for path in files if path in imported]
    if seen or not files:
        return seen
    outer = _outermost(test)
    # The test's folder as seen from inside the outermost folder of tests around it.
    below = dirname(test)[len(outer) + 1 if outer else 0 :].partition("/")[2] if outer is not None else ""
    inside = [path for path in files if outer is not None and is_inside(path, outer)]
    nearest = [
        [path for path in files if dirname(path) in (dirname(test), f"{outer}/{below}".strip("/"))],
        # `src/main/java/shop` is the counterpart of `src/test/java/shop`.
        [path for path in inside if below and f"/{dirname(path)}".endswith(f"/{below}")],
        inside,
    ]
    for near in nearest:
        # A declaration and its code differ in their endings.
        if near and len(near) == (len(set(map(_ending, near))) if naming.apart else 1):
            return near
    return ()


@lru_cache(100_000)
def _called_after(path: str) -> str | None:
    """The lower-case name of the tested file, or None."""
    naming = _naming(path)
    if naming is None:
        return None
    stem = basename(path).rpartition(".")[0]
    if match := naming.tests.fullmatch(stem):
        return next(name for name in match.groups() if name).lower()
    return stem.lower() if basename(dirname(path)) in naming.folders else None


def _own_name(path: str, naming: _Naming) -> str:
    """The name that tests of a file contain: its own, or its folder's if the file stands for the folder."""
    stem = basename(path).lower().partition(".")[0]
    return basename(dirname(path)).lower() if stem in naming.index else stem.lstrip("_")


@lru_cache(100_000)
def _outermost(path: str) -> str | None:
    """The parent of the outermost folder of tests around a file, or None."""
    parts = path.split("/")[:-1]
    place = next((place for place, part in enumerate(parts) if _FOLDER.fullmatch(part)), None)
    return None if place is None else "/".join(parts[:place])


def _naming(path: str) -> _Naming | None:
    return _BY_ENDING.get(_ending(path))


def _ending(path: str) -> str:
    return f".{basename(path).rpartition('.')[2]}"
