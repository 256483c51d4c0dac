"""Files that a text tells the model to run and that do not exist."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import folders_above
from ctxtui.audit.rules.remedies import put_in
from ctxtui.audit.text.commands import SCRIPT, Command, commands_of
from ctxtui.audit.text.near import near_path
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.text.metadata.reference import Reference

_PLACEHOLDER: Final = re.compile(
    r"example|sample|foo|\bbar\b|baz|your|\bmy|xxx|placeholder|path/to|\b(?:some|name|file|module|feature)\b|dummy|new[-_]",
    re.IGNORECASE,
)
_LEADS: Final = re.compile(r"\bcd[ \t]")
_BUILT: Final = frozenset("build dist node_modules out output target tmp temp vendor bin .venv venv".split())


def missing_scripts(audited: Audited) -> Iterator[Finding]:
    """Scripts in commands of code, each once in a file, whose folder exists."""
    for reference in audited.instructions():
        told = set[str]()
        for command in commands_of(audited, reference):
            if command.tool == SCRIPT and command.name not in told:
                told.add(command.name)
                if _is_missing(audited, reference, command):
                    yield _finding(audited, reference, command)


def _is_missing(audited: Audited, reference: Reference, command: Command) -> bool:
    path = posixpath.normpath(command.name)
    folder, name = posixpath.split(path)
    parts = path.split("/")
    if not folder or path.startswith("../") or not _BUILT.isdisjoint(parts) or _PLACEHOLDER.search(path):
        return False
    if any(each.endswith(f"/{path}") for each in audited.by_name.get(name, ())):
        return False
    bases = ("", *folders_above(audited.home(reference.path)))
    places = [posixpath.normpath(posixpath.join(base, path)) for base in bases]
    if any(audited.exists(place) or audited.is_made_later(place) for place in places):
        return False
    # In a folder that the text enters, the path may be another one.
    is_there = any(audited.exists(posixpath.dirname(place)) for place in places)
    return is_there and not _LEADS.search(command.about)


def _finding(audited: Audited, reference: Reference, command: Command) -> Finding:
    path, name = reference.path, command.name
    folder = posixpath.dirname(name)
    severity: Severity = "info" if audited.always_read.isdisjoint(reference.paths) else "warning"
    message = f"runs `{command.written}`, but {name} does not exist"
    many = f"runs {{count}} files that do not exist in {folder}/, such as `{command.written}`"
    evidence, remedy = f"the folder {folder} exists", Remedy("correct the path, or remove the command")
    if meant := near_path(audited, [name]):
        remedy = Remedy(f"write `{meant}`", "", meant, put_in(audited, path, command.line, name, meant))
    return Finding(
        "missing-path",
        severity,
        message,
        path,
        command.line,
        0,
        evidence,
        None,
        name,
        remedy,
        f"{path}: {folder}",
        many,
    )
