"""The tree block: the project's files as a text at the start of the payload, folded to stay small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ctxtui.core.base.plain import plain_line
from ctxtui.core.payload.formats import Label
from ctxtui.core.payload.types import TREE_ID, Draft, Tree
from ctxtui.core.text.metadata.reference import LAST_PRIORITY
from ctxtui.core.text.secrets import redact
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import span
from ctxtui.workspace.workspace import Workspace

_MOST_LINES: Final = 400
_MOST_AT_ROOT: Final = 40
# Entries per folder and depth, from wide to narrow: the first pair with few enough lines applies.
_FOLDS: Final = ((40, 64), (20, 64), (10, 6), (10, 4), (10, 3), (10, 2), (10, 1))


def tree_draft(workspace: Workspace, tree: Tree, drafts: Sequence[Draft], counter: TokenCounter) -> tuple[Draft, ...]:
    """The draft of the tree block, none without files. `drafts` are the picked documents."""
    shown = full_tree(workspace) if tree == "all" else picked_tree(workspace, drafts)
    label = Label("project tree", markdown=False, language="text")
    return (Draft(TREE_ID, label, LAST_PRIORITY, False, span(counter, shown), lambda: shown),) if shown else ()


def picked_tree(workspace: Workspace, drafts: Sequence[Draft]) -> str:
    """The tree of the files in drafts, as `file_tree` writes it."""
    sources = (draft.label.source for draft in drafts)
    return file_tree(_name(workspace), (path for path in sources if path in workspace.by_path))


def full_tree(workspace: Workspace) -> str:
    """The tree of all listed files, made once per snapshot."""
    return workspace.once(TREE_ID, lambda: file_tree(_name(workspace), (each.path for each in workspace.references)))


def _name(workspace: Workspace) -> str:
    return workspace.root.name or "project"


@dataclass(slots=True)
class _Folder:
    """A folder while the tree is made. `count` is the number of files at any depth."""

    files: list[str] = field(default_factory=list)
    folders: dict[str, _Folder] = field(default_factory=dict)
    count: int = 0


def file_tree(name: str, paths: Iterable[str]) -> str:
    """The files of a project in lines below its name, with long folders folded to the first entries and a count.

    Folders come first, both by name. Names are made plain, and credentials in them redacted. Ends with a line feed,
    and is empty without files.
    """
    root = _Folder()
    for path in sorted(set(paths)):
        *above, file = path.split("/")
        folder = root
        folder.count += 1
        for part in above:
            folder = folder.folders.setdefault(part, _Folder())
            folder.count += 1
        folder.files.append(file)
    if not root.count:
        return ""
    lines: list[str] = []
    for most, depth in _FOLDS:
        lines = [f"{plain_line(name)}/", *_lines(root, "", most, depth)]
        if len(lines) <= _MOST_LINES:
            break
    return redact("".join(f"{line}\n" for line in lines[: _MOST_LINES + 1]))[0]


def _lines(folder: _Folder, indent: str, most: int, depth: int) -> Iterator[str]:
    """The lines of a folder's content, with `most` entries of each kind per folder and `depth` levels of folders."""
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
    """The first `most` rows, then a row that counts the others as `words`. A single other row is shown itself."""
    if len(rows) <= most + 1:
        return list(rows)
    return [*rows[:most], (f"… {len(rows) - most:,} {words}", None)]


def _chain(name: str, folder: _Folder) -> tuple[str, _Folder]:
    """A folder's name joined with those of the only folders nested in it, and the innermost of these folders."""
    words = plain_line(name)
    while not folder.files and len(folder.folders) == 1:
        ((name, folder),) = folder.folders.items()
        words += f"/{plain_line(name)}"
    return f"{words}/", folder
