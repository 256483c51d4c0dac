"""File changes: preview as a diff, write atomically, undo while the files are unchanged."""

from __future__ import annotations

import codecs
import shlex
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ctxtui.audit.roles import folders_above
from ctxtui.audit.types import Edit, Fix, NewFile, Removal, Rename, Step
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError, Gone, invalid
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.git_diff import whole_versions
from ctxtui.core.text.decode import decode, decode_as_utf8, diff
from ctxtui.core.text.secrets import find_in_cut, redacted

_BOM = codecs.BOM_UTF8
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class Written:
    """A changed file, with its bytes before and after for undo (None if there was no file).

    `mode` are the permissions of a removed or moved file, `made` the folders for a new file, innermost first.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    made: tuple[str, ...] = ()


def preview(root: Root, steps: Iterable[Step]) -> str:
    """The changes as a unified diff with relative paths. Raises as `apply` does."""
    return diff_of(planned(root, steps))


def diff_of(changes: Iterable[Written]) -> str:
    """The changes as a unified diff without secrets."""
    return "".join(map(_diff, changes))


def apply(root: Root, steps: Iterable[Step]) -> tuple[Written, ...]:
    """Write changes and return the values that `undo` needs. Each file is written once.

    Raises ContextError (invalid_request) before anything is written if a file has changed since its audit, is
    read-only or not valid UTF-8, has overlapping changes, exists although it is new, or is a link to remove, and
    (unavailable) if a file cannot be read or written. Files written before the error are restored, or named if they
    cannot be.
    """
    return write(root, planned(root, steps))


def write(root: Root, changes: Sequence[Written]) -> tuple[Written, ...]:
    """Write planned changes and return them. A failure restores the files written before. Raises as `apply` does."""
    written: list[Written] = []
    for change in changes:
        try:
            _replace(root, change.path, change.before, change.after, change.mode)
        except ContextError as error:
            left = ", ".join(_restore(root, written))
            hint = f"already written: {left}" if left else error.hint
            raise ContextError(error.category, error.message, error.retryable, hint) from error
        written.append(change)
    return tuple(written)


def undo(root: Root, written: Sequence[Written]) -> None:
    """Undo changes. Raises ContextError (invalid_request) if a file has changed since."""
    for change in written:
        if _data_or_none(root, change.path) not in (change.after, change.before):
            raise _changed_error(change.path)
    undone: list[str] = []
    for change in reversed(written):
        try:
            _undo_one(root, change)
        except ContextError as error:
            hint = f"already undone: {', '.join(undone)}" if undone else error.hint
            raise ContextError(error.category, error.message, error.retryable, hint) from error
        undone.append(change.path)


def is_undone(root: Root, written: Iterable[Written]) -> bool:
    """Whether all files have their content from before a change. Raises ContextError if unreadable."""
    return all(_data_or_none(root, change.path) == change.before for change in written)


def planned(root: Root, steps: Iterable[Step]) -> tuple[Written, ...]:
    """Turn steps into file changes, without writing: new files first, removals last. Raises as `apply` does."""
    # Links to one file count as one file, and repeated steps are dropped.
    by_place: defaultdict[Path, dict[Step, None]] = defaultdict(dict)
    for step in steps:
        by_place[root.resolve(step.path)][step] = None
    changes = [change for wanted in by_place.values() for change in _planned(root, list(wanted))]
    return tuple(sorted(changes, key=lambda change: (change.before is not None) + (change.after is None)))


def _planned(root: Root, steps: Sequence[Step]) -> Iterator[Written]:
    """The changes by the steps at one path: several edits, or one other step. A rename is two changes."""
    path = steps[0].path
    edits = [step for step in steps if isinstance(step, Fix | Edit)]
    if len(edits) == len(steps):
        before = _unchanged_data(root, path, {edit.digest for edit in edits})
        yield Written(path, before, _edited(path, before, edits))
        return
    if len(steps) > 1:
        raise _overlap_error(path)
    (step,) = steps
    if root.leads_on(path):
        raise invalid(f"{path} is a link, or is reached through one", hint="change it by hand")
    if isinstance(step, Rename):
        data = root.read(path).data
        yield _new_file(root, step.to, data, root.mode(path))
        yield Written(path, _unchanged_data(root, path, {digest_of(data)}), None, root.mode(path))
    elif isinstance(step, Removal):
        yield Written(path, _unchanged_data(root, path, {step.digest}), None, root.mode(path))
    else:
        assert isinstance(step, NewFile)
        yield _new_file(root, path, step.text.encode())


def _new_file(root: Root, path: str, data: bytes, mode: int | None = None) -> Written:
    if root.exists(path):
        raise _exists_error(path)
    return Written(path, None, data, mode, tuple(folder for folder in folders_above(path) if not root.exists(folder)))


def _unchanged_data(root: Root, path: str, digests: set[bytes]) -> bytes:
    """The bytes of a file. Raises ContextError (invalid_request) if it is read-only or has another digest."""
    data = root.read(path).data
    if digests != {digest_of(data)}:
        raise _changed_error(path)
    # A replacement would ignore the permissions of the file.
    if not root.mode(path) & _WRITABLE:
        raise invalid(f"{path} is read-only", hint="make it writable, then audit again")
    return data


def _edited(path: str, before: bytes, edits: Sequence[Fix | Edit]) -> bytes:
    """The bytes after all edits. An edit at offset -1 removes the byte order mark."""
    text, _ = decode(before, path)
    mark = _BOM if before.startswith(_BOM) else b""
    keeps_mark = all(edit.start >= 0 for edit in edits)
    if mark + text.encode() != before:
        raise invalid(f"{path} is not valid UTF-8", hint="save it as UTF-8, then audit again")
    changes = sorted({(edit.start, edit.end, edit.text) for edit in edits if edit.start >= 0})
    pieces, position = [], 0
    for start, end, replacement in changes:
        if start < position:
            raise _overlap_error(path)
        pieces += [text[position:start], replacement]
        position = end
    return mark * keeps_mark + "".join([*pieces, text[position:]]).encode()


def _replace(root: Root, path: str, before: bytes | None, after: bytes | None, mode: int | None = None) -> None:
    """Replace bytes `before` by `after`, None for no file. Raises ContextError (invalid_request) for other bytes."""
    if before is None:
        if after is not None and not root.create(path, after, mode):
            raise _exists_error(path)
    elif not (root.remove(path, before) if after is None else root.exchange(path, before, after)):
        raise _changed_error(path)


def _undo_one(root: Root, change: Written) -> None:
    """Undo one change, unless it was undone already, and remove the folders made for it.

    Raises ContextError if the file has changed since.
    """
    if _data_or_none(root, change.path) != change.before:
        _replace(root, change.path, change.after, change.before, change.mode)
        for folder in change.made:
            root.remove_empty_folder(folder)


def _restore(root: Root, written: Sequence[Written]) -> list[str]:
    """Undo the changes made before an error. Returns the paths that cannot be restored."""
    left = []
    for change in reversed(written):
        try:
            _undo_one(root, change)
        except ContextError:
            left.append(change.path)
    return left


def _data_or_none(root: Root, path: str) -> bytes | None:
    try:
        return root.read(path).data
    except Gone:
        return None


def _changed_error(path: str) -> ContextError:
    return invalid(f"{path} has changed since it was audited", hint="audit again")


def _exists_error(path: str) -> ContextError:
    return invalid(f"{path} already exists", hint="rename it, then audit again")


def _overlap_error(path: str) -> ContextError:
    message = f"two changes of {path} concern the same lines"
    return invalid(message, hint="write one of them, then audit again")


def _diff(change: Written) -> str:
    text = diff(change.path, change.before, change.after)
    before = decode_as_utf8(change.before or b"", change.path)
    return redacted(text, find_in_cut(text, whole_versions(text, before)), 0, len(text))[0]


def commands(steps: Iterable[Step]) -> tuple[str, ...]:
    """The shell commands that do the same as the steps, run in the project's folder. Empty if a step has none."""
    lines = tuple(map(_command, steps))
    return lines if all(lines) else ()


def _command(step: Step) -> str:
    if isinstance(step, Rename):
        return f"git mv {shlex.quote(step.path)} {shlex.quote(step.to)}"
    return f"printf '%s' {shlex.quote(step.text)} > {shlex.quote(step.path)}" if isinstance(step, NewFile) else ""
