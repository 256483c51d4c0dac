"""What servers listed when they were last weighed, kept in the cache by the digest of their launch."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from ctxtui.audit.weigh.types import Definition, Listing
from ctxtui.core.base.packed import pack
from ctxtui.core.disk.cache import user_cache

_KIND: Final = "servers"
# A newer program need not start a server again: increase this if the form of a listing changes.
_FORM: Final = b"1"


def cached(digest: str) -> Listing | None:
    """The listing of a launch; None if it was never weighed."""
    try:
        record = dict(user_cache().take(_KIND, digest.encode(), _FORM))
        tools = tuple(Definition(**tool) for tool in record.pop("tools"))
        return Listing(tools=tools, **record | {"repeated": ()})
    except (ValueError, TypeError, KeyError):
        return None


def keep(digest: str, listing: Listing) -> None:
    """Keep a listing, unless it repeats what its server was given."""
    if not listing.repeated:
        user_cache().put(_KIND, digest.encode(), pack(asdict(listing)), version=_FORM)
