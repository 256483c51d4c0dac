"""The standard library's `dataclass`, made in a fifth of the time where it is frozen and has slots.

The standard library compiles six methods of each such class, and that was a third of the time that imports took. Here
only `__init__` is compiled; what the other methods do is the same for all classes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar

Made = TypeVar("Made")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # so that type checkers know what it makes
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, **others):
        """As `dataclasses.dataclass`, with the same options."""

        def make(cls):
            if frozen and slots and not others and not _inherits(cls):
                return _frozen_with_slots(cls, eq)
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, eq=eq, **others)

        return make if cls is None else make(cls)


def _inherits(cls: type) -> bool:
    return any(dataclasses.is_dataclass(base) for base in cls.__mro__[1:])


def _frozen_with_slots(cls: type[Made], eq: bool) -> type[Made]:
    # A class that defines `__eq__` alone has a `__hash__` of None.
    given = {name for name, value in cls.__dict__.items() if value is not None}
    # The standard library would make a text of the signature, which takes longer than all the rest.
    cls.__doc__ = cls.__doc__ or cls.__name__
    made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    fields = dataclasses.fields(made)  # type: ignore[arg-type]
    if any(each.kw_only for each in fields):
        raise TypeError(f"{cls.__qualname__}: no field may be given by name only")
    # Subclasses made by the standard library ask for this.
    made.__dataclass_params__.frozen = True  # type: ignore[attr-defined]
    methods = {
        "__init__": _init(made, fields),
        "__repr__": _repr(tuple(each.name for each in fields if each.repr)),
        "__setattr__": _refuse_assignment,
        "__delattr__": _refuse_deletion,
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    if eq:
        methods |= _comparisons(fields)
    for name, method in methods.items():
        if name not in given:
            setattr(made, name, method)
    return made


def _init(cls: type, fields: tuple[dataclasses.Field[Any], ...]) -> Callable[..., None]:
    # What the descriptor of a slot does is not stopped by a frozen class, and quicker than `object.__setattr__`.
    names: dict[str, Any] = {f"_set_{each.name}": cls.__dict__[each.name].__set__ for each in fields}
    parameters, body = ["self"], ["pass"]
    for each in fields:
        name, value = each.name, each.name
        parameter = name
        if each.default is not dataclasses.MISSING:
            names[f"_default_{name}"] = each.default
            parameter, value = f"{name}=_default_{name}", name if each.init else f"_default_{name}"
        elif each.default_factory is not dataclasses.MISSING:
            names[f"_make_{name}"], names["_not_given"] = each.default_factory, _NOT_GIVEN
            parameter, value = f"{name}=_not_given", f"_make_{name}()"
            if each.init:
                value += f" if {name} is _not_given else {name}"
        elif not each.init:
            continue
        if each.init:
            parameters.append(parameter)
        body.append(f"_set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}): {'; '.join(body)}", names)  # noqa: S102 - as the standard library does
    init: Callable[..., None] = names["__init__"]
    init.__annotations__ = {**{each.name: each.type for each in fields if each.init}, "return": None}
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    return init


class _NotGiven:
    def __repr__(self) -> str:
        return "<factory>"


_NOT_GIVEN = _NotGiven()


def _comparisons(fields: tuple[dataclasses.Field[Any], ...]) -> dict[str, Callable[..., Any]]:
    compared = _values(each.name for each in fields if each.compare)
    counted = _values(each.name for each in fields if (each.compare if each.hash is None else each.hash))

    def equals(self: object, other: object) -> bool:
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: object) -> int:
        return hash(counted(self))

    return {"__eq__": equals, "__hash__": hashed}


def _values(names: Iterable[str]) -> Callable[[object], tuple[Any, ...]]:
    """What takes the values of those names out of an object."""
    all_names = tuple(names)
    if len(all_names) > 1:
        return attrgetter(*all_names)
    return lambda value: tuple(getattr(value, name) for name in all_names)


def _repr(names: tuple[str, ...]) -> Callable[[object], str]:
    @recursive_repr()
    def shown(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({values})"

    return shown


def _refuse_assignment(_: object, name: str, __: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(_: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _restore(self: Any, state: list[object]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
