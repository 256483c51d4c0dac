"""What the user has agreed to: kept by digest in their own state folder, never in a project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from platformdirs import user_state_path

from ctxtui.core.errors import ContextError
from ctxtui.core.files.root import read_file, write_atomic

_MAX_BYTES = 64 * 1024


def is_agreed(kind: str, digest: str) -> bool:
    """Whether the user has said yes to exactly the thing with this digest."""
    try:
        record = json.loads(read_file(_file(kind, digest), _MAX_BYTES).data)
    except (ContextError, ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.get("digest") == digest


def keep_agreed(kind: str, digest: str, told: Mapping[str, str]) -> None:
    """Keep the user's yes, with what was shown; raises ContextError (unavailable) if it cannot be kept."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    record = {"digest": digest, **told, "at": at}
    write_atomic(_file(kind, digest), json.dumps(record).encode(), mode=0o600)


def _file(kind: str, digest: str) -> Path:
    return user_state_path("ctxtui") / kind / f"{digest}.json"
