"""What servers listed when they were last weighed, kept in the user's cache folder by the digest of their launch."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from ctxtui.audit.weigh.types import Definition, Listing
from ctxtui.core.errors import ContextError
from ctxtui.core.files.root import read_file, write_atomic

_FORM = 1
_MAX_BYTES = 32 * 1024 * 1024


def cached(digest: str) -> Listing | None:
    """The listing of a launch; None if it was never weighed, or if the record cannot be read."""
    try:
        record = json.loads(read_file(_file(digest), _MAX_BYTES).data)
        return _listing(record) if record["form"] == _FORM else None
    except (ContextError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def keep(digest: str, listing: Listing) -> None:
    """Keep a listing, unless it repeats what its server was given; a cache that cannot be written is not used."""
    if listing.repeated:
        return
    record = {"form": _FORM, **asdict(listing), "at": listing.at.isoformat()}
    with suppress(ContextError, ValueError, RecursionError):
        write_atomic(_file(digest), json.dumps(record).encode(), mode=0o600)


def _listing(record: dict[str, Any]) -> Listing:
    values = {key: value for key, value in record.items() if key != "form"}
    tools = tuple(Definition(**tool) for tool in values.pop("tools"))
    at = datetime.fromisoformat(values.pop("at"))
    return Listing(at, tools, **values | {"repeated": ()})


def _file(digest: str) -> Path:
    return user_cache_path("ctxtui") / "mcp" / f"{digest}.json"
