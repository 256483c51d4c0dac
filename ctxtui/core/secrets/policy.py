"""What is done with the secrets in a text that leaves: they are replaced, kept, or stop the export."""

from __future__ import annotations

from typing import Literal

from ctxtui.core.errors import ContextError
from ctxtui.core.notices import Notice
from ctxtui.core.secrets.guard import find_secrets, redacted

Secrets = Literal["redact", "keep", "fail"]


class SecretFound(ContextError):
    """A credential where secrets are to fail: nothing may be exported."""


def guarded(text: str, place: str, secrets: Secrets, first: int | None = 1) -> tuple[str, tuple[Notice, ...]]:
    """The text as it may leave, and a notice for every secret in it, which never holds the secret itself.

    `place` names the text, `first` is the line in it where the text begins, None if it has no lines of its own.
    Raises SecretFound with place and line if secrets are to fail.
    """
    found = find_secrets(text)
    if not found:
        return text, ()
    lines = [None if first is None else first + text.count("\n", 0, secret.start) for secret in found]
    if secrets == "fail":
        where = place if first is None else f"{place}:{lines[0]}"
        message = f"{where} holds a secret ({found[0].rule})"
        raise SecretFound("invalid_request", message, hint="remove it, or choose --secrets redact")
    done = "replaced in the export" if secrets == "redact" else "exported as it is"
    # With a path, the place is told before the message.
    path, where = (None, f" in {place}") if first is None else (place, "")
    notices = tuple(
        Notice("secret", f"a secret ({secret.rule}){where}, {done}", path, line)
        for secret, line in zip(found, lines, strict=True)
    )
    return redacted(text, found, 0, len(text))[0] if secrets == "redact" else text, notices
