"""Fixes: shown as a diff, written whole or not at all, and undone if the file has not changed since."""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from ctxtui.audit.types import Fix
from ctxtui.core.errors import ContextError
from ctxtui.core.files.root import Root
from ctxtui.core.files.text import decode
from ctxtui.core.tokens.ledger import digest_of

_BOM = codecs.BOM_UTF8


@dataclass(frozen=True, slots=True)
class Written:
    """A file that fixes changed: its bytes before and after, which undoing needs."""

    path: str
    before: bytes
    after: bytes


def preview(root: Root, fixes: Iterable[Fix]) -> str:
    """The changes of fixes as a unified diff, with paths relative to the project; raises as `apply` does."""
    return "".join(diff(change) for change in _changes(root, fixes))


def apply(root: Root, fixes: Iterable[Fix]) -> tuple[Written, ...]:
    """Write fixes, all of one file at once, and change nothing else in it; returns what `undo` needs.

    Raises ContextError (invalid_request) before anything is written if a file has changed since it was
    audited, or is not valid UTF-8, and (unavailable) if one cannot be read or written; files written
    before that stay written, and the error names them.
    """
    changes = list(_changes(root, fixes))
    written: list[Written] = []
    for change in changes:
        _replace(root, change.path, change.before, change.after, written)
        written.append(change)
    return tuple(written)


def undo(root: Root, written: Sequence[Written]) -> None:
    """Undo fixes; raises ContextError (invalid_request) if a file has changed since it was written."""
    for change in written:
        _require(root, change.path, change.after)
    undone: list[Written] = []
    for change in reversed(written):
        _replace(root, change.path, change.after, change.before, undone)
        undone.append(change)


def _changes(root: Root, fixes: Iterable[Fix]) -> Iterator[Written]:
    # Links to one file count as one file, and a fix given twice is made once.
    by_place: defaultdict[Path, dict[tuple[int, int], Fix]] = defaultdict(dict)
    for fix in fixes:
        by_place[root.resolve(fix.path)][fix.start, fix.end] = fix
    for wanted in by_place.values():
        path = next(iter(wanted.values())).path
        before = root.read(path).data
        if any(digest_of(before) != fix.digest for fix in wanted.values()):
            raise _changed(path)
        yield Written(path, before, _fixed(path, before, sorted(wanted.values(), key=lambda fix: fix.start)))


def _fixed(path: str, before: bytes, fixes: Sequence[Fix]) -> bytes:
    text, _ = decode(before, path)
    mark = _BOM if before.startswith(_BOM) else b""
    if mark + text.encode() != before:
        raise ContextError("invalid_request", f"{path} is not valid UTF-8", hint="save it as UTF-8, then audit again")
    pieces, position = [], 0
    for fix in fixes:
        pieces += [text[position : fix.start], fix.text]
        position = fix.end
    return mark + "".join([*pieces, text[position:]]).encode()


def _replace(root: Root, path: str, before: bytes, after: bytes, done: Sequence[Written]) -> None:
    """Write one file if it is unchanged; an error names the files already written."""
    try:
        _require(root, path, before)
        root.write(path, after)
    except ContextError as error:
        names = ", ".join(change.path for change in done)
        hint = f"already written: {names}" if done else error.hint
        raise ContextError(error.category, error.message, error.retryable, hint) from error


def _require(root: Root, path: str, content: bytes) -> None:
    if root.read(path).data != content:
        raise _changed(path)


def _changed(path: str) -> ContextError:
    return ContextError("invalid_request", f"{path} has changed since it was audited", hint="audit again")


def diff(change: Written) -> str:
    """A change as a unified diff, with the path relative to the project."""
    before, after = (_lines(data, change.path) for data in (change.before, change.after))
    lines = unified_diff(before, after, f"a/{change.path}", f"b/{change.path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes, path: str) -> list[str]:
    return [line for line in re.split(r"(?<=\n)", decode(data, path)[0]) if line]
