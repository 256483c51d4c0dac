"""Visibility of an artifact to agents, as a value of the artifact (slices specification 5)."""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from ctxtui.core.tokens.arguments import an_instance, texts, with_methods


class Viewer(Protocol):
    """A reader of a board: name, labels and tenant."""

    @property
    def name(self) -> str:
        """The agent's name, empty for an anonymous reader."""

    @property
    def labels(self) -> frozenset[str]: ...

    @property
    def tenant(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Identity:
    """The name, labels and tenant of a viewer, and nothing else."""

    name: str = ""
    labels: frozenset[str] = frozenset()
    tenant: str | None = None


class Visibility(Protocol):
    """Decides whether a viewer may see an artifact of some age."""

    def allows(self, viewer: Viewer, age: timedelta) -> bool:
        """Whether the viewer may see an artifact of this age."""


def words(given: str | Collection[str], name: str = "a set of words") -> frozenset[str]:
    """A set of words. A single string is one word. Raises TypeError for anything else."""
    return frozenset(texts(given, name))


def a_visibility(value: Any, name: str = "visibility") -> Any:
    """Return a visibility. Raises TypeError for anything else, also for a class that was not instantiated."""
    return with_methods(value, ("allows",), name, "a visibility such as Public() or Private(['name'])")


@dataclass(frozen=True, slots=True)
class Public:
    """Visible to everyone."""

    def allows(self, viewer: Viewer, age: timedelta) -> bool:  # noqa: ARG002 - the protocol's arguments
        """True for every viewer."""
        return True


@dataclass(frozen=True, slots=True)
class Private:
    """Visible to the named agents only."""

    agents: Collection[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "agents", words(self.agents, "agents"))

    def allows(self, viewer: Viewer, age: timedelta) -> bool:  # noqa: ARG002 - the protocol's arguments
        """Whether the viewer is named."""
        return viewer.name in self.agents


@dataclass(frozen=True, slots=True)
class Labelled:
    """Visible to agents that hold every required label."""

    required_labels: Collection[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "required_labels", words(self.required_labels, "required_labels"))

    def allows(self, viewer: Viewer, age: timedelta) -> bool:  # noqa: ARG002 - the protocol's arguments
        """Whether no required label is missing."""
        return viewer.labels.issuperset(self.required_labels)


@dataclass(frozen=True, slots=True)
class Tenant:
    """Visible to the agents of one tenant. An agent without a tenant belongs to none."""

    tenant_id: str

    def __post_init__(self) -> None:
        an_instance(self.tenant_id, (str, type(None)), "tenant_id", "a string")

    def allows(self, viewer: Viewer, age: timedelta) -> bool:  # noqa: ARG002 - the protocol's arguments
        """Whether the viewer works for that tenant."""
        return viewer.tenant is not None and viewer.tenant == self.tenant_id


@dataclass(frozen=True, slots=True)
class After:
    """Hidden until `ttl` has passed, then visible as `then` says, or to everyone."""

    ttl: timedelta
    then: Visibility | None = None

    def __post_init__(self) -> None:
        an_instance(self.ttl, timedelta, "ttl", "a timedelta, such as timedelta(seconds=3600)")
        if self.then is not None:
            a_visibility(self.then, "then")

    def allows(self, viewer: Viewer, age: timedelta) -> bool:
        """Whether the time has passed and `then` agrees."""
        return age >= self.ttl and (self.then is None or self.then.allows(viewer, age))


# A visibility nested deeper than this is refused.
_DEEPEST = 8


def visibility_data(visibility: Visibility) -> str | dict[str, Any]:
    """A visibility as plain data: `public`, or one key such as `private: [a, b]`. `after` is in seconds.

    Raises ValueError for a kind with no written form.
    """
    match visibility:
        case Public():
            return "public"
        case Private(agents):
            return {"private": sorted(agents)}
        case Labelled(required):
            return {"labelled": sorted(required)}
        case Tenant(tenant):
            return {"tenant": tenant}
        case After(ttl, then):
            return {"after": _seconds(ttl)} | ({} if then is None else {"then": visibility_data(then)})
    raise ValueError(f"{type(visibility).__name__} cannot be written to a file")


def read_visibility(data: object, depth: int = 0) -> Visibility:
    """Read the output of `visibility_data`. Raises ValueError for anything else."""
    if data == "public":
        return Public()
    if not isinstance(data, Mapping) or depth > _DEEPEST:
        raise ValueError(f"not a visibility: {reprlib.repr(data)}")
    match dict(data):
        case {"private": names, **rest} if not rest:
            return Private(_texts(names))
        case {"labelled": labels, **rest} if not rest:
            return Labelled(_texts(labels))
        case {"tenant": str(tenant), **rest} if not rest:
            return Tenant(tenant)
        case {"after": seconds, **rest} if set(rest) <= {"then"}:
            then = read_visibility(rest["then"], depth + 1) if rest else None
            return After(_duration(seconds), then)
    raise ValueError(f"not a visibility: {reprlib.repr(data)}")


def _texts(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"not a list of names: {reprlib.repr(value)}")
    return value


def _seconds(duration: timedelta) -> int | str:
    """Whole seconds as a number. A fraction is text, which keeps every microsecond in any notation."""
    seconds = duration.total_seconds()
    return int(seconds) if seconds.is_integer() else f"{seconds:f}"


def _duration(seconds: object) -> timedelta:
    """The time of a number of seconds, also as text. Raises ValueError for anything else."""
    try:
        if isinstance(seconds, int | float | str) and not isinstance(seconds, bool):
            return timedelta(seconds=float(seconds))
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"not a number of seconds: {reprlib.repr(seconds)}")
