"""Signals of a project folder, read within bounds and without running anything."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ctxtui.catalog.types import DetectionSignals
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.root import Root

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
SECONDS = 2.0
_FILES = 20_000
_READ = 2_000
_BYTES_EACH = 256 * 1024
_BYTES = 32 * 1024 * 1024
_KEPT = 5_000
_DEPTH = 24
_CONFIG_DEPTH = 4
# Third-party code and build output: neither describes the project.
_SKIPPED = frozenset(
    "node_modules bower_components venv env virtualenv site-packages __pycache__ bin obj dist build out target"
    " packages vendor coverage htmlcov".split()
)
_CONFIG_NAMES = frozenset(
    "pyproject.toml setup.py setup.cfg requirements.txt pipfile poetry.lock uv.lock environment.yml tox.ini"
    " pytest.ini mypy.ini manage.py alembic.ini package.json angular.json nx.json tsconfig.json jest.config.js"
    " jest.config.ts karma.conf.js playwright.config.ts global.json nuget.config appsettings.json dockerfile"
    " docker-compose.yml docker-compose.yaml compose.yaml makefile tiltfile host.json go.mod cargo.toml".split()
)
_CONFIG_ENDINGS = (".csproj", ".fsproj", ".vbproj", ".sln", ".slnx", ".bicep", ".tf")
_CONFIG_STARTS = ("tailwind.config.", "tsconfig.", "requirements-", "appsettings.", "azure-pipelines", "vite.config.")


@dataclass(frozen=True, slots=True)
class FileSignals:
    imports: tuple[str, ...] = ()
    code: tuple[str, ...] = ()


def read_python(text: str) -> FileSignals:
    """Imports outside strings, decorators, classes with bases, constructors and calls."""
    text = _PY_COMMENT.sub("", _TRIPLE.sub("''", text))
    imports = [
        f"from {match[1]} import {' '.join((match[2] or match[3]).split())}"
        for match in _PY_FROM.finditer(text)
        if not match[1].startswith(".")
    ]
    imports += [match[1] for match in _PY_IMPORT.finditer(text)]
    code = [match[1] for match in _PY_CODE.finditer(text)] + _CALL.findall(text)
    return FileSignals(_unique_lines(imports), _unique_lines(code))


def read_notebook(text: str) -> FileSignals:
    """The signals of a notebook's Python cells, none for a damaged notebook."""
    try:
        cells = json.loads(text).get("cells", [])
        sources = [cell.get("source", "") for cell in cells if cell.get("cell_type") == "code"]
        return read_python("\n".join("".join(source) for source in sources))
    except (ValueError, AttributeError, TypeError, RecursionError):
        return FileSignals()


def read_typescript(text: str) -> FileSignals:
    """Imports from packages, not from the project, decorators, classes and signals."""
    found = (*_TS_IMPORT.findall(text), *_TS_REQUIRE.findall(text))
    imports = [each for each in found if not re.search(r"['\"][./]", each)]
    return FileSignals(_unique_lines(imports), _unique_lines(_TS_CODE.findall(text)))


def read_markup(text: str) -> FileSignals:
    """Elements with a hyphen, the control flow of templates, and `@using` of Razor files."""
    return FileSignals(_unique_lines(_CS_USING.findall(text)), _unique_lines(_TAG.findall(text)))


def read_csharp(text: str) -> FileSignals:
    return FileSignals(_unique_lines(_CS_USING.findall(text)), _unique_lines(_CS_CODE.findall(text)))


def read_project_file(text: str) -> FileSignals:
    """The framework and the packages of a .NET project."""
    return FileSignals((), _unique_lines(_PROJECT_FILE.findall(text)))


def read_package_json(text: str) -> FileSignals:
    """The dependencies as lines such as `"react": "^18"`, none for a damaged file."""
    try:
        return FileSignals((), _unique_lines(list(_dependency_lines(json.loads(text)))))
    except (ValueError, RecursionError):
        return FileSignals()


def _dependency_lines(package: object) -> Iterator[str]:
    for key in ("dependencies", "devDependencies", "peerDependencies"):
        group = package.get(key) if isinstance(package, dict) else None
        for name, version in group.items() if isinstance(group, dict) else ():
            yield f'"{name}": "{version}"'


def read_tsconfig(text: str) -> FileSignals:
    return FileSignals((), _unique_lines(re.findall(r'"strict"\s*:\s*true', text)))


def _unique_lines(texts: list[str]) -> tuple[str, ...]:
    """The texts in order, each once, on one line and cut if long."""
    return tuple(dict.fromkeys(" ".join(text.split())[:_LONGEST] for text in texts))


# By extension or by name.
READERS: dict[str, Callable[[str], FileSignals]] = {
    ".py": read_python,
    ".ipynb": read_notebook,
    **dict.fromkeys((".ts", ".tsx", ".js", ".jsx", ".mjs"), read_typescript),
    **dict.fromkeys((".html", ".razor", ".cshtml"), read_markup),
    ".cs": read_csharp,
    **dict.fromkeys((".csproj", ".fsproj", ".vbproj", ".props"), read_project_file),
    "package.json": read_package_json,
    "tsconfig.json": read_tsconfig,
}


def _fill(kept: dict[str, None], texts: Iterable[str]) -> None:
    for text in texts:
        if len(kept) >= _KEPT:
            return
        kept[text] = None


def collect_signals(
    project: str | os.PathLike[str], *, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
) -> DetectionSignals:
    """Collect the signals of a Python, TypeScript or .NET project folder (catalog specification 5).

    At most `seconds`, 20,000 files and 32 MB are read, files near the top first. Installed packages and build results
    are skipped. Nothing is executed, links are not followed, and a folder that cannot be read gives no signals.
    """
    root = Root(project)
    end = clock() + seconds
    kept: tuple[dict[str, None], ...] = ({}, {}, {}, {})
    imports, files, code, config = kept
    budget = _BYTES
    count = 0
    for path in _walk(root.path, lambda: clock() > end):
        name = path.rpartition("/")[2]
        _fill(files, [path])
        if _is_config(name) and path.count("/") < _CONFIG_DEPTH:
            _fill(config, [path])
        read = READERS.get(name[max(name.rfind("."), 0) :].lower()) or READERS.get(name)
        if read is None or count >= _READ or budget <= 0 or clock() > end:
            continue
        text = ""
        with suppress(ContextError):
            text = root.read(path, _BYTES_EACH).data.decode("utf-8", "replace")
        count += 1
        budget -= len(text)
        found = read(text)
        _fill(imports, found.imports)
        _fill(code, found.code)
    return DetectionSignals(*map(tuple, kept))


def _walk(top: Path, is_late: Callable[[], bool]) -> Iterator[str]:
    """The paths of a project's files, level by level, so that the bounds or `is_late` leave out the deepest files."""
    level = [("", top)]
    left = _FILES
    for _ in range(_DEPTH):
        below: list[tuple[str, Path]] = []
        for prefix, place in level:
            if is_late():
                return
            files, folders = _list_folder(place)
            for entry in files[:left]:
                yield prefix + entry.name
            left -= len(files)
            if left <= 0:
                return
            below += [(f"{prefix}{entry.name}/", Path(entry.path)) for entry in folders]
        level = below


def _list_folder(place: Path) -> tuple[list[os.DirEntry[str]], list[os.DirEntry[str]]]:
    """The visible files of a folder, and its folders, both by name. An installed environment has none."""
    try:
        with os.scandir(place) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return [], []
    if any(entry.name == "pyvenv.cfg" for entry in entries):
        return [], []
    shown = [entry for entry in entries if not entry.name.startswith(".") and entry.name.isprintable()]
    files = [entry for entry in shown if entry.is_file(follow_symlinks=False)]
    folders = [entry for entry in shown if entry.is_dir(follow_symlinks=False) and entry.name.lower() not in _SKIPPED]
    return files, folders


def _is_config(name: str) -> bool:
    lower = name.lower()
    return lower in _CONFIG_NAMES or lower.endswith(_CONFIG_ENDINGS) or lower.startswith(_CONFIG_STARTS)
