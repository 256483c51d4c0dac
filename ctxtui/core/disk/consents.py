"""The user's consents, stored by digest in their own state folder, never in a project."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.own_folders import PRIVATE, own_state, private_folder
from ctxtui.core.disk.root import Root, read_file, write_atomic

_MAX_BYTES = 64 * 1024
_KEY_BYTES = 32


def has_consent(kind: str, digest: str) -> bool:
    """Whether the user agreed to content of this kind, such as a template. False for an unreadable record."""
    try:
        record = json.loads(read_file(_consent_file(kind, digest), _MAX_BYTES).data)
    except (ContextError, ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.get("digest") == digest


def record_consent(kind: str, digest: str, details: Mapping[str, str]) -> None:
    """Store the user's consent with the time and `details` for people. Raises ContextError (unavailable)."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    record = {"digest": digest, **details, "at": at}
    write_atomic(_consent_file(kind, digest), json.dumps(record).encode(), PRIVATE)


def own_key() -> bytes:
    """This user's secret key of 32 bytes, created and stored on first use. Unstorable, it differs in each process."""
    return _stored_key(own_state() / "key")


@cache
def _stored_key(file: Path) -> bytes:
    """The key in a file, created if missing. If it cannot be stored, a random key for this process."""
    with suppress(ContextError):
        return _read_or_replace_key(file)
    key = os.urandom(_KEY_BYTES)
    with suppress(ContextError, OSError):
        # If several processes create a key at once, all use the first.
        if not Root(private_folder(file.parent)).create(file.name, key, PRIVATE):
            return _read_or_replace_key(file)
    return key


def _read_or_replace_key(file: Path) -> bytes:
    key = read_file(file, _MAX_BYTES).data
    if len(key) != _KEY_BYTES:
        write_atomic(file, key := os.urandom(_KEY_BYTES), PRIVATE)
    return key


def _consent_file(kind: str, digest: str) -> Path:
    return own_state() / kind / f"{digest}.json"
