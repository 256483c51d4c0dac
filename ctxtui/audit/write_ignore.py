"""Add a finding to the ignore list of the configuration, with a preview."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ctxtui.audit.dismissed import filter_ignored
from ctxtui.audit.fixes import Written, diff_of
from ctxtui.audit.rule_settings import IGNORE, tuned
from ctxtui.audit.rules import RULES
from ctxtui.audit.types import Finding, Ignore, Settings
from ctxtui.core.base.errors import ContextError, Gone, invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.disk.root import Root
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.lines import toml_lines
from ctxtui.core.text.data.toml import load_toml
from ctxtui.session.saved.config import PROJECT_FILE, SHARED_FILE

_RULES = {PROJECT_FILE: "rules", SHARED_FILE: "tool.ctxtui.rules"}
_SPECIAL = re.compile(r"[*?\[\]{}!\\]")
_MOST_PATHS = 20


@dataclass(frozen=True, slots=True)
class Addition:
    """A proposed change: the file, its text before (None if missing) and after, and the entry."""

    path: str
    before: str | None
    after: str
    added: str

    @property
    def written(self) -> Written:
        """The change as a value that can be undone."""
        return Written(self.path, None if self.before is None else self.before.encode(), self.after.encode())

    @property
    def diff(self) -> str:
        return diff_of([self.written])


def ignore_entry(finding: Finding, reason: str, table: str = "rules.ignore") -> str:
    """The TOML in `table` that ignores a finding everywhere. ContextError (invalid_request) without a reason."""
    why = plain_line(reason).strip()
    if not why:
        raise invalid("an ignore needs a reason", hint="say why it can be ignored")
    paths = list(_globs(finding))
    lines = [f"[[{table}]]", f"rules = [{_toml_string(finding.rule)}]"]
    lines += [f"paths = [{', '.join(map(_toml_string, paths))}]"] if paths else []
    return "\n".join([*lines, f"reason = {_toml_string(why)}"]) + "\n"


def would_be_ignored(finding: Finding, findings: Iterable[Finding]) -> list[Finding]:
    """The findings that an ignore of `finding` would dismiss. Each place of a finding counts as one."""
    places = (
        replace(each, path=place.path) if place else each for each in findings for place in each.places or (None,)
    )
    return filter_ignored(places, [Ignore("", tuple(_globs(finding)), (finding.rule,))]).ignored


def propose_ignore(root: Root, finding: Finding, reason: str) -> Addition:
    """Propose an ignore entry. Raises ContextError (invalid_request) without a reason, or if none can be added."""
    texts = {path: _read(root, path) for path in _RULES}
    # The private project file overrides the shared file.
    has_shared, has_own = (_has_ignores(path, texts[path] or "") for path in (SHARED_FILE, PROJECT_FILE))
    path = SHARED_FILE if has_shared and not has_own else PROJECT_FILE
    before, added = texts[path], ignore_entry(finding, reason, f"{_RULES[path]}.ignore")
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    after = f"{before or ''}{gap}{added}"
    try:
        tuned(Settings(), _rules(path, after), [rule.id for rule in RULES])
    except (DataProblem, ContextError) as problem:
        hint = f"add these lines by hand: {added.strip()}"
        raise invalid(f"cannot add an entry at the end of {path}: {problem}", hint=hint) from problem
    return Addition(path, before, after, added)


def write_ignore(root: Root, addition: Addition) -> None:
    """Write the proposed text. Raises ContextError (invalid_request) if the file has changed since."""
    path, before, after = addition.path, addition.written.before, addition.after.encode()
    if not (root.create(path, after) if before is None else root.exchange(path, before, after)):
        raise invalid(f"{path} has changed since the audit", hint="audit again")


def located(root: Root, ignores: Iterable[Ignore]) -> tuple[Ignore, ...]:
    """Give each configured ignore, in order, its project file and line, from 1. Those of the user stay unchanged."""
    for path in _RULES:
        try:
            text = _read(root, path) or ""
        except ContextError:
            continue
        if _has_ignores(path, text):
            steps = (*_RULES[path].split("."), IGNORE)
            line_of = toml_lines(text)
            return tuple(
                replace(each, path=path, line=line_of((*steps, place, "reason")))
                for place, each in enumerate(ignores)
            )
    return tuple(ignores)


def _has_ignores(path: str, text: str) -> bool:
    try:
        return IGNORE in _rules(path, text)
    except DataProblem:
        return False


def _rules(path: str, text: str) -> Mapping[str, Any]:
    """The rules table in the text of a configuration file. Raises DataProblem."""
    table: Any = load_toml(text)
    for name in _RULES[path].split("."):
        table = table.get(name) if isinstance(table, Mapping) else None
    return table if isinstance(table, Mapping) else {}


def _globs(finding: Finding) -> Iterator[str]:
    """The paths of a finding as globs, or their common folder beyond 20 paths. None for a finding without a path."""
    paths = list(dict.fromkeys(place.path for place in finding.places)) or [finding.path or ""]
    if len(paths) > _MOST_PATHS:
        folder = posixpath.commonpath(paths)
        yield f"{_SPECIAL.sub('?', folder)}/**" if folder else "**"
    elif paths[0]:
        yield from (_SPECIAL.sub("?", path) for path in paths)


def _read(root: Root, path: str) -> str | None:
    """The text of a file, or None without a file. Raises ContextError if it is unreadable or not valid UTF-8."""
    try:
        return root.read(path).data.decode()
    except Gone:
        return None
    except UnicodeDecodeError as error:
        raise invalid(f"{path} is not valid UTF-8", hint="save it as UTF-8") from error


def _toml_string(text: str) -> str:
    """A TOML string: JSON without control characters."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
