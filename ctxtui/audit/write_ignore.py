"""Adds a finding to what the configuration ignores: says what would be written, and writes it on request."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ctxtui.audit.types import Finding, Ignore
from ctxtui.core.data.bounds import DataProblem
from ctxtui.core.data.toml import load_toml
from ctxtui.core.errors import ContextError, Gone
from ctxtui.core.files.root import Root
from ctxtui.core.plain import plain_line
from ctxtui.session.config import PROJECT_FILE, SHARED_FILE

_TABLES = ((PROJECT_FILE, "rules.ignore"), (SHARED_FILE, "tool.ctxtui.rules.ignore"))
_SPECIAL = re.compile(r"[*?\[\]{}!\\]")
_MOST_PATHS = 20


@dataclass(frozen=True, slots=True)
class Addition:
    """What would be written: the file, its text before (None if there is no file) and after, and what is added."""

    path: str
    before: str | None
    after: str
    added: str


def ignore_entry(finding: Finding, reason: str, table: str = "rules.ignore") -> str:
    """The TOML that ignores a finding at all its places; raises ContextError (invalid_request) without a reason."""
    why = plain_line(reason).strip()
    if not why:
        raise ContextError("invalid_request", "an ignore needs a reason", hint="say why it can be ignored")
    paths = list(_globs(finding))
    lines = [f"[[{table}]]", f"rules = [{_text(finding.rule)}]"]
    lines += [f"paths = [{', '.join(map(_text, paths))}]"] if paths else []
    return "\n".join([*lines, f"reason = {_text(why)}"]) + "\n"


def propose_ignore(root: Root, finding: Finding, reason: str) -> Addition:
    """The text to write to ignore a finding, in the project file that already has such entries.

    Raises ContextError (invalid_request) without a reason, or if an entry cannot be added at the end of that file.
    """
    texts = {path: _read(root, path) for path, _ in _TABLES}
    has_shared = f"[[{_TABLES[1][1]}]]" in (texts[SHARED_FILE] or "")
    path, table = _TABLES[1 if has_shared and f"[[{_TABLES[0][1]}]]" not in (texts[PROJECT_FILE] or "") else 0]
    before, added = texts[path], ignore_entry(finding, reason, table)
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    after = f"{before or ''}{gap}{added}"
    try:
        load_toml(after)
    except DataProblem as problem:
        hint = f"add these lines by hand: {added.strip()}"
        message = f"cannot add an entry at the end of {path}: {problem}"
        raise ContextError("invalid_request", message, hint=hint) from problem
    return Addition(path, before, after, added)


def write_ignore(root: Root, addition: Addition) -> None:
    """Write the proposed text; raises ContextError (invalid_request) if the file has changed since."""
    if _read(root, addition.path) != addition.before:
        raise ContextError("invalid_request", f"{addition.path} has changed since the audit", hint="audit again")
    root.write(addition.path, addition.after.encode())


def located(root: Root, ignores: Iterable[Ignore]) -> tuple[Ignore, ...]:
    """The ignores of a configuration, each with the project file and line of its reason."""
    texts = [(path, text.splitlines()) for path, _ in _TABLES if (text := _readable(root, path)) and "ignore" in text]
    return tuple(_located(texts, each) for each in ignores)


def _located(texts: Iterable[tuple[str, list[str]]], ignore: Ignore) -> Ignore:
    for path, lines in texts:
        for number, line in enumerate(lines, 1):
            if ignore.reason in line:
                return replace(ignore, path=path, line=number)
    return ignore


def _globs(finding: Finding) -> Iterator[str]:
    paths = list(dict.fromkeys(place.path for place in finding.places)) or [finding.path or ""]
    if len(paths) > _MOST_PATHS:
        folder = posixpath.commonpath(paths)
        yield f"{_SPECIAL.sub('?', folder)}/**" if folder else "**"
    elif paths[0]:
        yield from (_SPECIAL.sub("?", path) for path in paths)


def _read(root: Root, path: str) -> str | None:
    try:
        return root.read(path).data.decode()
    except Gone:
        return None
    except UnicodeDecodeError as error:
        raise ContextError("invalid_request", f"{path} is not valid UTF-8", hint="save it as UTF-8") from error


def _readable(root: Root, path: str) -> str | None:
    try:
        return _read(root, path)
    except ContextError:
        return None


def _text(text: str) -> str:
    """A string in TOML: as JSON writes it, without control characters."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
