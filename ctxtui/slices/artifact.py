"""Artifacts: items that agents publish on a board, as values without shared mutable state (slices specification)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from ctxtui.core.base.errors import invalid
from ctxtui.core.tokens.arguments import a_text, an_instance, shown, texts
from ctxtui.slices.json_data import Payload, copied, plain_data, type_name
from ctxtui.slices.visibility import Public, Viewer, Visibility, a_visibility

PUBLIC: Final = Public()
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Artifact:
    """One item on a board, with its producer, time, run and visibility.

    `payload` is copied and converted to plain data, `created_at` is aware and in UTC, ids may be UUIDs. `meta` holds
    additional data of a board, such as other keys of its file. Queries return it with `embed_meta`. Raises
    ContextError (invalid_request) for a time without offset or a payload that is not plain data, TypeError for values
    of the wrong type.
    """

    id: str
    type: str
    payload: Payload
    produced_by: str
    tags: Collection[str] = ()
    correlation_id: str | None = None
    created_at: datetime = field(default_factory=utc_now)
    visibility: Visibility = PUBLIC
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        a_visibility(self.visibility)
        an_instance(self.meta, Mapping, "meta", "a mapping")
        changes = {
            "id": as_id(self.id),
            "type": type_name(self.type),
            "produced_by": a_text(self.produced_by, "produced_by"),
            "payload": plain_data(self.payload),
            "tags": tuple(dict.fromkeys(texts(self.tags, "tags"))),
            "correlation_id": as_correlation(self.correlation_id),
            "created_at": in_utc(self.created_at, "created_at"),
            "meta": plain_data(self.meta),
        }
        for name, value in changes.items():
            object.__setattr__(self, name, value)

    def copy(self, *, with_meta: bool = True) -> Artifact:
        """Copy the artifact and its payload. Skips validation, because boards copy thousands."""
        twin = object.__new__(Artifact)
        changes = {"payload": copied(self.payload), "meta": copied(self.meta) if with_meta else {}}
        for name in Artifact.__slots__:
            object.__setattr__(twin, name, changes[name] if name in changes else getattr(self, name))
        return twin

    def item(self) -> dict[str, Any]:
        """The artifact as an item of a slice, without visibility and `meta`."""
        return {
            "id": self.id,
            "type": self.type,
            "payload": copied(self.payload),
            "produced_by": self.produced_by,
            "tags": list(self.tags),
            "correlation_id": self.correlation_id,
            "created_at": self.created_at.isoformat(),
        }

    def shows_to(self, viewer: Viewer, now: datetime) -> bool:
        """Whether a viewer may see the artifact at the time `now`."""
        return self.visibility.allows(viewer, now - self.created_at)

    def may_show_to(self, viewer: Viewer) -> bool:
        """Whether a viewer may ever see the artifact."""
        return self.visibility.allows(viewer, timedelta.max)


def an_artifact(value: object) -> Artifact:
    """An artifact to publish. Raises ContextError (invalid_request) for anything else."""
    if not isinstance(value, Artifact):
        raise invalid(f"not an artifact: {shown(value)}", hint="publish an Artifact")
    return value


def as_id(value: str | UUID) -> str:
    """An id as text. Raises ContextError (invalid_request) for an empty id, or anything but a string or UUID."""
    if not isinstance(value, str | UUID) or not str(value):
        raise invalid(f"not an id: {value!r}", hint="ids are strings or UUIDs")
    return str(value)


def as_correlation(value: str | UUID | None) -> str | None:
    """A correlation id as text, or None. Raises as `as_id` does."""
    return None if value is None else as_id(value)


def in_utc(time: datetime, name: str) -> datetime:
    """An aware time in UTC. Raises ContextError (invalid_request) for other times, TypeError for no datetime."""
    an_instance(time, datetime, name, "a datetime with an offset")
    if time.tzinfo is None or time.utcoffset() is None:
        raise invalid(f"{name} has no offset from UTC", hint="add tzinfo, such as UTC")
    try:
        return time.astimezone(UTC)
    except OverflowError as error:
        raise invalid(f"{name} is outside the range of years in UTC") from error
