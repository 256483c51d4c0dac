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


def is_agreed(kind: str, digest: str) -> bool:
    """Whether the user agreed to content of this kind, such as a template, with this digest."""
    try:
        record = json.loads(read_file(_file(kind, digest), _MAX_BYTES).data)
    except (ContextError, ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.get("digest") == digest


def keep_agreed(kind: str, digest: str, told: Mapping[str, str]) -> None:
    """Record the user's consent. `told` are names and values to store with it. Raises ContextError (unavailable)."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    record = {"digest": digest, **told, "at": at}
    write_atomic(_file(kind, digest), json.dumps(record).encode(), mode=0o600)


def own_key() -> bytes:
    """This user's secret key for digests of possible secrets. If it cannot be stored, each process has its own."""
    return _key_in(own_state() / "key")


@cache
def _key_in(file: Path) -> bytes:
    with suppress(ContextError):
        return _read_key(file)
    made = os.urandom(_KEY_BYTES)
    with suppress(ContextError, OSError):
        # If several processes create a key at once, all use the first.
        if not Root(private_folder(file.parent)).create(file.name, made, PRIVATE):
            return _read_key(file)
    return made


def _read_key(file: Path) -> bytes:
    kept = read_file(file, _MAX_BYTES).data
    if len(kept) != _KEY_BYTES:
        write_atomic(file, kept := os.urandom(_KEY_BYTES), PRIVATE)
    return kept


def _file(kind: str, digest: str) -> Path:
    return own_state() / kind / f"{digest}.json"
