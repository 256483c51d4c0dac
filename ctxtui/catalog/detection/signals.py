"""Signals: what a project folder shows about itself, read within bounds and without running anything."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ctxtui.catalog.detection.languages import READERS, Found
from ctxtui.catalog.types import DetectionSignals
from ctxtui.core.errors import ContextError
from ctxtui.core.files.root import Root

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


@dataclass(slots=True)
class _Gathered:
    """The signals found so far, each once, in order."""

    imports: dict[str, None] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)
    code: dict[str, None] = field(default_factory=dict)
    config: dict[str, None] = field(default_factory=dict)

    def add(self, found: Found) -> None:
        _fill(self.imports, found.imports)
        _fill(self.code, found.code)


def _fill(kept: dict[str, None], texts: Iterable[str]) -> None:
    for text in texts:
        if len(kept) >= _KEPT:
            return
        kept[text] = None


def collect_signals(
    project: str | os.PathLike[str], *, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
) -> DetectionSignals:
    """The signals of a Python, TypeScript or .NET project folder (catalog specification 5).

    At most `seconds`, 20,000 files and 32 MB are read, files near the top first; installed packages
    and build results are skipped. Nothing is executed, links are not followed, and a folder that cannot
    be read gives no signals.
    """
    root = Root(project)
    end = clock() + seconds
    gathered = _Gathered()
    budget = _BYTES
    count = 0
    for path in _walk(root.path, lambda: clock() > end):
        name = path.rpartition("/")[2]
        _fill(gathered.files, [path])
        if _is_config(name) and path.count("/") < _CONFIG_DEPTH:
            _fill(gathered.config, [path])
        read = READERS.get(name[max(name.rfind("."), 0) :].lower()) or READERS.get(name)
        if read is None or count >= _READ or budget <= 0 or clock() > end:
            continue
        text = _text(root, path)
        count += 1
        budget -= len(text)
        gathered.add(read(text))
    return DetectionSignals(
        *(tuple(each) for each in (gathered.imports, gathered.files, gathered.code, gathered.config))
    )


def _text(root: Root, path: str) -> str:
    try:
        return root.read(path, _BYTES_EACH).data.decode("utf-8", "replace")
    except ContextError:
        return ""


def _walk(top: Path, is_late: Callable[[], bool]) -> Iterator[str]:
    """The files of a project, level by level, so that the bounds cut what lies deepest."""
    level = [("", top)]
    left = _FILES
    for _ in range(_DEPTH):
        below: list[tuple[str, Path]] = []
        for prefix, place in level:
            if is_late():
                return
            files, folders = _listed(place)
            for entry in files[:left]:
                yield prefix + entry.name
            left -= len(files)
            if left <= 0:
                return
            below += [(f"{prefix}{entry.name}/", Path(entry.path)) for entry in folders]
        level = below


def _listed(place: Path) -> tuple[list[os.DirEntry[str]], list[os.DirEntry[str]]]:
    """The visible files and folders of a folder by name; nothing for an installed environment."""
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
