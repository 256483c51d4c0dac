"""Tests: which files are tests, and whose they are by their names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from posixpath import basename, dirname
from typing import Final

from ctxtui.workspace.related.places import is_inside
from ctxtui.workspace.related.python_modules import ENDINGS as PYTHON
from ctxtui.workspace.related.script_modules import ENDINGS as SCRIPTS

_FOLDER: Final = re.compile(r"__tests?(?:_\w+)?__|tests?|specs?|e2e|testing|[a-z]+[_-]tests?", re.IGNORECASE)
_PYTHON_TEST: Final = re.compile(r"test_(.+)|(.+)_test")
_SCRIPT_TEST: Final = re.compile(r"(.+)[._-](?:test|spec|e2e)")
_INDEX: Final = frozenset({"__init__", "index"})


def is_test(path: str) -> bool:
    """Whether a file is a test, or in a folder of tests."""
    return _called_after(path) is not None or _outermost(path) is not None


def tests_by_name(paths: Iterable[str], imports: Callable[[str], Collection[str]]) -> dict[str, list[str]]:
    """The tests that are called after a file, by its path.

    Of several files with the name, those are meant that the test imports, else the only one in reach of it.
    """
    tests: list[tuple[str, str]] = []
    named: defaultdict[tuple[bool, str], list[str]] = defaultdict(list)
    for path in paths:
        if not path.endswith((*PYTHON, *SCRIPTS)):
            continue
        after = _called_after(path)
        if after:
            tests.append((path, after))
        elif _outermost(path) is None:
            named[path.endswith(PYTHON), _own_name(path)].append(path)
    found: defaultdict[str, list[str]] = defaultdict(list)
    for test, name in tests:
        for path in _meant(test, named.get((test.endswith(PYTHON), name), ()), imports(test)):
            found[path].append(test)
    return found


def _meant(test: str, files: Collection[str], imported: Collection[str]) -> Collection[str]:
    seen = [path for path in files if path in imported]
    if seen or not files:
        return seen
    outer = _outermost(test)
    beside = [path for path in files if dirname(path) in (dirname(test), _mirrored(test))]
    if len(beside) == 1:
        return beside
    reach = [path for path in files if outer is not None and is_inside(path, outer)]
    return reach if len(reach) == 1 else ()


def _mirrored(test: str) -> str | None:
    """The folder whose files the tests in a folder are for if both trees are alike."""
    outer = _outermost(test)
    if outer is None:
        return None
    below = dirname(test)[len(outer) + 1 if outer else 0 :].partition("/")[2]
    return f"{outer}/{below}".strip("/")


def _called_after(path: str) -> str | None:
    """The name of the file that a test is called after, in small letters; None if it is called after none."""
    stem = basename(path).lower().rpartition(".")[0]
    if path.endswith(PYTHON):
        match = _PYTHON_TEST.fullmatch(stem)
        return match[1] or match[2] if match else None
    match = _SCRIPT_TEST.fullmatch(stem)
    if match:
        return match[1]
    return stem if basename(dirname(path)) in ("__tests__", "__test__") else None


def _own_name(path: str) -> str:
    """The name of a file by which tests are called: that of its folder if it is the folder's index."""
    stem = basename(path).lower().partition(".")[0]
    return basename(dirname(path)).lower() if stem in _INDEX else stem.lstrip("_")


def _outermost(path: str) -> str | None:
    """The folder around the outermost folder of tests above a file; None if there is none."""
    parts = path.split("/")[:-1]
    place = next((place for place, part in enumerate(parts) if _FOLDER.fullmatch(part)), None)
    return None if place is None else "/".join(parts[:place])
