"""Write changes of a plan, with an undo record in the user's state folder."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from ctxtui.audit.fixes import Written, is_undone, planned, undo, write
from ctxtui.audit.slim.change import Change
from ctxtui.audit.types import Step
from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.disk.root import Root, read_file, write_atomic
from ctxtui.core.disk.state_folder import next_numbered_path, numbered_files, state_folder

_ENDING: Final = ".json"


@dataclass(frozen=True, slots=True)
class Record:
    """Changes that were written together: titles, and the files before and after."""

    titles: tuple[str, ...]
    written: tuple[Written, ...]
    file: Path


def write_changes(root: Root, changes: Sequence[Change]) -> Record:
    """Write changes of a plan, as `write_recorded` does."""
    steps = [step for change in changes for step in change.steps]
    return write_recorded(root, tuple(change.title for change in changes), steps)


def write_recorded(root: Root, titles: tuple[str, ...], steps: Iterable[Step]) -> Record:
    """Write steps and a record for `undo_last`. Raises ContextError as `fixes.apply` does, without a record.

    The record is written first, so that changes of a killed process can be undone.
    """
    files, place = planned(root, steps), next_numbered_path(_folder(root), _ENDING)
    record = Record(titles, files, place)
    kept = [{**asdict(each), "before": _encoded(each.before), "after": _encoded(each.after)} for each in files]
    write_atomic(place, json.dumps({"titles": titles, "files": kept}).encode(), mode=0o600)
    try:
        write(root, files)
    except ContextError:
        if is_undone(root, files):
            _remove_record(record)
        raise
    return record


def undo_last(root: Root) -> Record:
    """Undo the last changes. Raises NotFound without any, ContextError (invalid_request) for a changed file."""
    record = last_record(root)
    if record is None:
        raise NotFound("no change of this project to undo", hint="ctxtui audit --slim shows what could be changed")
    undo_written(root, record.written)
    return record


def undo_written(root: Root, written: Sequence[Written]) -> None:
    """Undo written files, and drop their record if it is the last. Raises as `fixes.undo` does."""
    undo(root, written)
    record = last_record(root)
    if record is not None and record.written == tuple(written):
        _remove_record(record)


def last_record(root: Root) -> Record | None:
    """The last record, or None without any. Raises ContextError (unavailable) if it is unreadable."""
    files = numbered_files(_folder(root), _ENDING)
    if not files:
        return None
    file = files[-1]
    try:
        data = json.loads(read_file(file).data)
        return Record(tuple(data["titles"]), tuple(map(_written, data["files"])), file)
    except (ValueError, KeyError, TypeError) as error:
        message = f"the record of the last change is damaged: {file}"
        raise ContextError("unavailable", message, hint="remove it; no file was changed") from error


def _folder(root: Root) -> Path:
    return state_folder("changes", root.path)


def _written(row: dict[str, Any]) -> Written:
    before, after = _decoded(row["before"]), _decoded(row["after"])
    return Written(row["path"], before, after, row["mode"], tuple(row["made"]))


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode()


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text, validate=True)


def _remove_record(record: Record) -> None:
    Root(record.file.parent).remove(record.file.name)
