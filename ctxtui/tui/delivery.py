"""Delivery: sends the payload to a file or the clipboard, and says what was lost."""

from __future__ import annotations

from pathlib import Path

from ctxtui.core.files.root import write_named
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.types import Payload
from ctxtui.core.wording import plural
from ctxtui.session.export import check_export
from ctxtui.session.session import Session


def finished(session: Session) -> Payload:
    """The payload, ready to export; raises ContextError if it must not be exported."""
    payload = session.payload()
    check_export(session, payload)
    return payload


def write_to(session: Session, path: Path, force: bool = False) -> str:
    """Write the payload to a file, whole or not at all; raises as `write_named` does."""
    payload = finished(session)
    write_named(path, payload.data(), force=force)
    return f"wrote {_size(session, payload)} to {path}{_losses(payload)}"


def described(session: Session, payload: Payload) -> str:
    """The size of a payload, and what was lost."""
    return f"{_size(session, payload)}{_losses(payload)}"


def copy_out(session: Session) -> str:
    """Copy the payload to the clipboard."""
    # Only needed for copying.
    from ctxtui.session.clipboard import copy  # noqa: PLC0415

    payload = finished(session)
    return f"{copy(payload.text, project=session.workspace.root)}, {_size(session, payload)}{_losses(payload)}"


def _size(session: Session, payload: Payload) -> str:
    sign = "" if session.budget.counter.exact else "≈ "
    return f"{sign}{plural(payload.tokens, 'token')}"


def _losses(payload: Payload) -> str:
    words = [
        f"{len(ids)} {word}"
        for ids, word in ((payload.truncated, "cut"), (payload.omitted, "left out"), (payload.missing, "missing"))
        if ids
    ]
    if payload.secrets:
        words.append(plural(payload.secrets, "secret"))
    return f" ({', '.join(words)})" if words else ""


def suggested_name(session: Session) -> str:
    """The file name that an export dialog suggests."""
    template = session.selection.template
    return f"context{template.suffix if template else FORMATS[session.selection.format].suffix}"
