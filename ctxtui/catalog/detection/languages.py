"""Signals in source files: imports and characteristic code, by patterns, for the languages of known domains."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_LONGEST = 200
_TRIPLE = re.compile(r'("""|\'\'\')[\s\S]*?\1')
_PY_COMMENT = re.compile(r"(?m)(?:^|\s)#.*$")
_PY_FROM = re.compile(r"(?m)^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(?:\(([^)]{0,4000})\)|(.+))")
_PY_IMPORT = re.compile(r"(?m)^[ \t]*(import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w. ]+)*)")
_PY_CODE = re.compile(
    r"(?m)^[ \t]*(@[\w.]+\(?|class[ \t]+\w+[ \t]*\([^()\n]{0,120}\):?|async def\b|\w+[ \t]*=[ \t]*\w+\(\w*\)?)"
)
_CALL = re.compile(r"(?<![\w.])[\w.]++\(")
_TS_IMPORT = re.compile(r"(?m)^[ \t]*((?:import|export)\b[^;'\"]{0,600}?['\"][^'\"\n]+['\"])")
_TS_REQUIRE = re.compile(r"\brequire\(\s*['\"][^'\"\n]+['\"]\s*\)")
_TS_CODE = re.compile(
    r"@\w+\(|\bstandalone:\s*true|\bnew [A-Z]\w*(?:<[^>\n]{0,60}>)?\(|\bclass \w+[^{\n]{0,80}"
    r"|\b(?:signal|computed|effect)\("
)
_CS_USING = re.compile(
    r"(?m)^[ \t]*(@?(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?[\w.]+[ \t]*;?)[ \t]*\r?$"
)
_CS_CODE = re.compile(
    r"\[[A-Z]\w*(?:\([^\]\n]{0,80})?\]|\bclass \w+[^{\n]{0,80}|(?<![\w.])[\w.]++(?:<[\w.<>, ]{0,60}>)?\(\)?"
)
_TAG = re.compile(r"<[a-z]+-[\w-]*|@(?:if|for|switch)\b|@page\b|@inject\b")
_PROJECT_FILE = re.compile(
    r"<(?:PackageReference|TargetFramework|Project|FrameworkReference)\b[^>\n]{0,300}>(?:[^<\n]{1,80}</\w+>)?"
)


@dataclass(frozen=True, slots=True)
class Found:
    """Imports and pieces of code of one file."""

    imports: tuple[str, ...] = ()
    code: tuple[str, ...] = ()


def read_python(text: str) -> Found:
    """Imports outside strings; decorators, classes with bases, constructors and calls."""
    text = _PY_COMMENT.sub("", _TRIPLE.sub("''", text))
    imports = [
        f"from {match[1]} import {' '.join((match[2] or match[3]).split())}"
        for match in _PY_FROM.finditer(text)
        if not match[1].startswith(".")
    ]
    imports += [match[1] for match in _PY_IMPORT.finditer(text)]
    code = [match[1] for match in _PY_CODE.finditer(text)] + _CALL.findall(text)
    return Found(_tidy(imports), _tidy(code))


def read_notebook(text: str) -> Found:
    """The code cells of a Jupyter notebook."""
    try:
        cells = json.loads(text).get("cells", [])
        sources = [cell.get("source", "") for cell in cells if cell.get("cell_type") == "code"]
        return read_python("\n".join("".join(source) for source in sources))
    except (ValueError, AttributeError, TypeError, RecursionError):
        return Found()


def read_typescript(text: str) -> Found:
    """Imports of packages, decorators, constructors, classes and signals."""
    imports = [
        each for each in (*_TS_IMPORT.findall(text), *_TS_REQUIRE.findall(text)) if not re.search(r"['\"][./]", each)
    ]
    return Found(_tidy(imports), _tidy(_TS_CODE.findall(text)))


def read_markup(text: str) -> Found:
    """Elements with a hyphen, and the control flow of templates; `@using` of Razor files."""
    return Found(_tidy(_CS_USING.findall(text)), _tidy(_TAG.findall(text)))


def read_csharp(text: str) -> Found:
    """`using` lines, attributes, classes and calls."""
    return Found(_tidy(_CS_USING.findall(text)), _tidy(_CS_CODE.findall(text)))


def read_project_file(text: str) -> Found:
    """The framework and the packages of a .NET project."""
    return Found((), _tidy(_PROJECT_FILE.findall(text)))


def read_package_json(text: str) -> Found:
    """The dependencies of `package.json`, verbatim."""
    try:
        return Found((), _tidy(list(_dependencies(json.loads(text)))))
    except (ValueError, RecursionError):
        return Found()


def _dependencies(package: object) -> Iterator[str]:
    for key in ("dependencies", "devDependencies", "peerDependencies"):
        group = package.get(key) if isinstance(package, dict) else None
        for name, version in group.items() if isinstance(group, dict) else ():
            yield f'"{name}": "{version}"'


def read_tsconfig(text: str) -> Found:
    """Whether TypeScript is strict."""
    return Found((), _tidy(re.findall(r'"strict"\s*:\s*true', text)))


def _tidy(texts: list[str]) -> tuple[str, ...]:
    """Each text once, on one line, not too long."""
    return tuple(dict.fromkeys(" ".join(text.split())[:_LONGEST] for text in texts))


# By extension or by name.
READERS: dict[str, Callable[[str], Found]] = {
    ".py": read_python,
    ".ipynb": read_notebook,
    **dict.fromkeys((".ts", ".tsx", ".js", ".jsx", ".mjs"), read_typescript),
    **dict.fromkeys((".html", ".razor", ".cshtml"), read_markup),
    ".cs": read_csharp,
    **dict.fromkeys((".csproj", ".fsproj", ".vbproj", ".props"), read_project_file),
    "package.json": read_package_json,
    "tsconfig.json": read_tsconfig,
}
