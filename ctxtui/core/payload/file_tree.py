"""The file tree of a project as text, folded to stay small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ctxtui.core.base.plain import plain_line

_MOST_LINES: Final = 400
_MOST_AT_ROOT: Final = 40
# Entries per folder and depth, from wide to narrow: the first pair with few enough lines applies.
_FOLDS: Final = ((40, 64), (20, 64), (10, 6), (10, 4), (10, 3), (10, 2), (10, 1))


@dataclass(slots=True)
class _Folder:
    files: list[str] = field(default_factory=list)
    folders: dict[str, _Folder] = field(default_factory=dict)
    count: int = 0


def file_tree(name: str, paths: Iterable[str]) -> str:
    """The files of a project in lines below its name, with long folders folded to the first entries and a count.

    Folders come first, both by name. Names are made plain. Ends with a line feed, and is empty without files.
    """
    root = _grown(paths)
    if not root.count:
        return ""
    lines: list[str] = []
    for most, depth in _FOLDS:
        lines = [f"{plain_line(name)}/", *_lines(root, "", most, depth)]
        if len(lines) <= _MOST_LINES:
            break
    return "".join(f"{line}\n" for line in lines[: _MOST_LINES + 1])


def _grown(paths: Iterable[str]) -> _Folder:
    root = _Folder()
    for path in sorted(set(paths)):
        *above, name = path.split("/")
        folder = root
        folder.count += 1
        for part in above:
            folder = folder.folders.setdefault(part, _Folder())
            folder.count += 1
        folder.files.append(name)
    return root


def _lines(folder: _Folder, indent: str, most: int, depth: int) -> Iterator[str]:
    most = most if indent else _MOST_AT_ROOT
    inside = [_chain(name, inner) for name, inner in folder.folders.items()]
    rows: list[tuple[str, _Folder | None]] = [*_first(inside, most, "more folders")]
    rows += _first([(plain_line(name), None) for name in folder.files], most, "more")
    for place, (words, inner) in enumerate(rows):
        is_last = place == len(rows) - 1
        is_folded = inner is not None and depth <= 1
        more = f" … {inner.count:,} more" if inner is not None and is_folded else ""
        yield f"{indent}{'└── ' if is_last else '├── '}{words}{more}"
        if inner is not None and not is_folded:
            yield from _lines(inner, indent + ("    " if is_last else "│   "), most, depth - 1)


def _first(rows: Sequence[tuple[str, _Folder | None]], most: int, words: str) -> list[tuple[str, _Folder | None]]:
    """The first rows and the number of further rows. A single further row is shown, as it takes the same room."""
    if len(rows) <= most + 1:
        return list(rows)
    return [*rows[:most], (f"… {len(rows) - most:,} {words}", None)]


def _chain(name: str, folder: _Folder) -> tuple[str, _Folder]:
    """A chain of folders that each contain only the next, joined in one line."""
    words = plain_line(name)
    while not folder.files and len(folder.folders) == 1:
        ((name, folder),) = folder.folders.items()
        words += f"/{plain_line(name)}"
    return f"{words}/", folder
