"""Turn a CLAUDE.md that repeats AGENTS.md into an import of it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import partial

from ctxtui.agents.types import MOMENTS
from ctxtui.audit.context import Audited
from ctxtui.audit.slim.change import ChangeDraft, Loaded
from ctxtui.audit.types import Edit
from ctxtui.core.text.markdown.document import Document

_IMPORT = "@AGENTS.md"


def twins(audited: Audited) -> Iterator[ChangeDraft]:
    """Drafts for the files that some agent reads beside an equal AGENTS.md in the same folder.

    Other copies stay. People mirror the text of one agent for another, or make one file from several, on purpose.
    """
    repeats = (repeat for context in audited.real_agents for repeat in context.repeats)
    paths = dict.fromkeys(audited.real(path) for repeat in repeats for path in repeat.paths)
    for path in paths:
        kept = posixpath.join(posixpath.dirname(path), "AGENTS.md")
        if posixpath.basename(path) == "CLAUDE.md" and kept in paths:
            yield from _import(audited, path, kept)


def _import(audited: Audited, path: str, kept: str) -> Iterator[ChangeDraft]:
    one, other = _document(audited, path), _document(audited, kept)
    if one and other and one.text.strip() == other.text.strip():
        steps = (Edit(one.path, 0, len(one.text), f"{_IMPORT}{_end_of(one.text)}", one.digest),)
        lost = f"Nothing here; an agent that reads only {path} and follows no imports would see one line."
        is_safe = partial(_is_kept_for_all, path=path, kept=kept)
        yield ChangeDraft("twin", path, f"Make {path} an import of {kept}", steps, lost, is_safe)


def _document(audited: Audited, path: str) -> Document | None:
    reference = audited.workspace.by_path.get(path)
    return audited.document(reference) if reference else None


def _is_kept_for_all(before: Loaded, after: Loaded, path: str, kept: str) -> bool:
    """Whether every agent that reads a file reads the other one, and no later."""
    moments = [(agent, moment) for (agent, each), moment in before.items() if each == path]
    return all(after.get((agent, kept), len(MOMENTS)) <= moment for agent, moment in moments)


def _end_of(text: str) -> str:
    return "\r\n" if text.endswith("\r\n") else "\n" if text.endswith("\n") else ""
