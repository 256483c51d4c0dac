"""Scope rules that always load to their folder or language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial

from ctxtui.agents.frontmatter import globs_of
from ctxtui.agents.types import AT_START, MOMENTS, Row
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.frontmatter import match_files
from ctxtui.audit.rules.remedies import document_of, set_keys
from ctxtui.audit.slim.change import Change, Loaded
from ctxtui.audit.types import Finding

# Plain text for YAML and for lenient readers in agents.
_PLAIN = re.compile(r"[A-Za-z0-9_./][\w./-]*(?:/\*{1,2}[\w./*-]*)?")

_FOLDER = re.compile(r"[\w.-]+/")

_START = MOMENTS.index(AT_START[-1])
_TOUCH = MOMENTS.index("touch")
_KEYS = ("globs", "paths", "applyTo", "fileMatchPattern")


def scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def scopes(audited: Audited, findings: Iterable[Finding]) -> Iterator[Change]:
    """A draft for each rule that could have a scope, or whose globs are ignored."""
    for finding in findings:
        if finding.rule == "could-be-scoped" and finding.path:
            yield from _scope(audited, finding.path, (finding.subject,), f"`{finding.subject}`")
        elif finding.rule == "globs-ignored" and finding.path:
            yield from _scope(audited, finding.path, _given(audited, finding.path), "the files that it names")


def _given(audited: Audited, path: str) -> tuple[str, ...]:
    """The globs of a rule under any agent's key. Empty if it sets `alwaysApply: true` and one has no folder."""
    metas = [audited.files.meta(path, row) or {} for row in _rows(audited, path)]
    globs = next((globs for meta in metas for key in _KEYS if (globs := globs_of(meta.get(key, ())))), ())
    is_always = any(meta.get("alwaysApply") == "true" for meta in metas)
    return () if is_always and not all(_FOLDER.match(glob) for glob in globs) else globs


def _rows(audited: Audited, path: str) -> Iterator[Row]:
    """The rows with globs by which agents always load a file."""
    for context in audited.real_agents:
        for charge in context.at(*AT_START):
            if charge.path == path and charge.row.globs and not charge.imported_by:
                yield charge.row


def _scope(audited: Audited, path: str, globs: tuple[str, ...], where: str) -> Iterator[Change]:
    document = document_of(audited, path)
    values: dict[str, str | tuple[str, ...]] = {}
    # A rule for files that do not exist would never load.
    for row in _rows(audited, path) if match_files(audited, globs) else ():
        values |= _values(audited, path, row, globs)
    steps = set_keys(document, values) if document and values else None
    if steps and document:
        lost = f"Sessions that touch no file under {', '.join(f'`{glob}`' for glob in globs)} no longer see it."
        is_safe = partial(_is_honored, real=audited.real(path))
        yield Change("scope", document.path, f"Load {document.path} only for {where}", steps, lost, is_safe)


def _is_honored(before: Loaded, after: Loaded, real: str) -> bool:
    """Whether agents that always loaded the file at `real` still load it, and at least one now only for its scope."""
    readers = [key for key, moment in before.items() if key[1] == real and moment <= _START]
    moments = [after.get(key, len(MOMENTS)) for key in readers]
    return all(moment <= _TOUCH for moment in moments) and _TOUCH in moments


def _values(audited: Audited, path: str, row: Row, globs: tuple[str, ...]) -> dict[str, str | tuple[str, ...]]:
    """Frontmatter values by which a row loads a file only for `globs`, by key. Empty if the row has no such way."""
    meta = audited.files.meta(path, row) or {}
    values: dict[str, str | tuple[str, ...]] = {}
    for test, moment in row.load:
        parts = [part.partition("=") for part in test.split(" & ") if part]
        # Copilot CLI lists a rule with a pattern, and asks the model to read it for such files.
        if moment == "touch" or (moment == "listed" and any(key in row.globs for key, _, _ in parts)):
            key = next((key for key, _, _ in parts if key in row.globs), row.globs[0])
            as_list = key == "paths" or any(part == (key, "=", "[*]") for part in parts)
            values |= {name: wanted for name, sign, wanted in parts if sign and name != key}
            return values | {key: globs if as_list else scalar(",".join(globs))}
        # An earlier case must not apply, so `true` becomes `false`.
        values |= {name: "false" for name, _, wanted in parts if wanted == "true" and meta.get(name) == "true"}
    return {}
