"""No class is a whole program, and none is cut in two by inheriting from a class made for it alone."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import ctxtui

_MOST_LINES = 340
_ONLY_SUBCLASSES = {
    "_BlockDumper": "PyYAML takes the way to write texts as a class",
    "ContextNotFound": "callers tell it apart, and every other name that does not exist is NotFound",
    "ChoosyBoard": "a protocol that asks more than the one below it",
    "RecordingIndex": "an index that remembers its questions, for code that takes an index",
}


def _classes() -> Iterator[type]:
    for module in walk_packages(ctxtui.__path__, "ctxtui."):
        if not module.name.endswith("__main__"):
            for each in vars(import_module(module.name)).values():
                if isinstance(each, type) and each.__module__ == module.name:
                    yield each


def test_no_class_is_longer_than_people_can_hold_in_mind() -> None:
    lengths = {
        f"{file.name}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for file in Path(ctxtui.__path__[0]).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    assert len(lengths) > 100
    assert {name: lines for name, lines in lengths.items() if lines > _MOST_LINES} == {}


def test_no_class_has_one_subclass_only() -> None:
    below: dict[type, list[str]] = {}
    for kind in _classes():
        for base in kind.__bases__:
            below.setdefault(base, []).append(kind.__name__)
    only = [kinds[0] for base, kinds in below.items() if base.__module__.startswith("ctxtui.") and len(kinds) == 1]
    assert sorted(only) == sorted(_ONLY_SUBCLASSES)
