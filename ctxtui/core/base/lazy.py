"""Public names imported on first use, visible to `dir()`, completion and `help()` before."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

Get = Callable[[str], object]
List = Callable[[], list[str]]


def lazy_names(package: str, homes: Mapping[str, str], packages: str = "") -> tuple[Get, List]:
    """The `__getattr__` and `__dir__` of a package that imports the names in its `__all__` on demand.

    `homes` maps each module of the package to the names it defines, separated by spaces. `packages` lists
    subpackages.
    """
    modules = {name: f"{package}.{home}" for home, names in homes.items() for name in names.split()}
    below = frozenset(packages.split())

    def get(name: str) -> object:
        if name in below:
            return import_module(f"{package}.{name}")
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return list(sys.modules[package].__all__)

    return get, listed
