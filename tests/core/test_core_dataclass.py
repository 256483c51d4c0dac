"""Our dataclass makes what the standard library's makes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import re
from pathlib import Path
from typing import Any, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxtui
from ctxtui.core import dataclass as ours

Item = TypeVar("Item")
_OPTIONS: Any = {"frozen": True, "slots": True}


def _classes(dataclass: Any) -> dict[str, type]:
    @dataclass(**_OPTIONS)
    class Empty:
        """Nothing."""

    @dataclass(**_OPTIONS)
    class One:
        first: Any

    @dataclass(**_OPTIONS)
    class Full:
        """All kinds of fields."""

        first: Any
        second: Any = 7
        third: list[Any] = dataclasses.field(default_factory=list)
        fourth: Any = dataclasses.field(default=None, repr=False)
        fifth: Any = dataclasses.field(default=(), compare=False, metadata={"is": "ours"})

    @dataclass(**_OPTIONS)
    class Mapped:
        first: Any
        second: Any = dataclasses.field(default_factory=dict, hash=False)
        third: Any = dataclasses.field(default_factory=list, init=False, compare=False)
        fourth: Any = dataclasses.field(default=4, init=False)
        fifth: Any = dataclasses.field(init=False, compare=False, repr=False, default=None)

    @dataclass(frozen=True, slots=True, eq=False)
    class Same:
        first: Any
        second: Any = None

    @dataclass(**_OPTIONS)
    class Checked:
        first: Any
        second: Any = None

        def __post_init__(self) -> None:
            if self.second == 0:
                raise ValueError("zero")

    @dataclass(**_OPTIONS)
    class Own(Generic[Item]):
        first: Any
        second: Any = None

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.first == other.first

        def __repr__(self) -> str:
            return f"<{self.first}>"

    @dataclass(frozen=True, slots=True)
    class Longer(Full):
        sixth: Any = 6

    return {each.__name__: each for each in (Empty, One, Full, Mapped, Same, Checked, Own, Longer)}


_OURS, _THEIRS = _classes(ours.dataclass), _classes(dataclasses.dataclass)
_NAMES = sorted(_OURS)
# Classes that pickle finds by name.
Pickled = ours.dataclass(**_OPTIONS)(type("Pickled", (), {"__annotations__": {"a": "int", "b": "str"}, "b": "x"}))
Pickled.__module__ = __name__

_values = st.one_of(st.none(), st.integers(0, 3), st.text(max_size=3), st.tuples(st.integers(0, 2)), st.just([1]))


def _told(act: Any) -> tuple[str, Any]:
    try:
        return "made", act()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error).__name__, str(error)


@given(st.sampled_from(_NAMES), st.lists(_values, max_size=7), st.lists(_values, max_size=7))
def test_classes_are_made_compared_shown_and_hashed_alike(name: str, one: list[Any], other: list[Any]) -> None:
    def all_of(cls: Any) -> list[Any]:
        made = [_told(lambda args=args: cls(*args)) for args in (one, other)]
        if any(kind != "made" for kind, _ in made):
            return [(kind, str(value).replace("_classes.<locals>.", "")) for kind, value in made]
        first, second = (value for _, value in made)
        is_same = cls.__name__ == "Same"
        return [
            repr(first),
            first == second,
            first == first,
            first != 3,
            is_same or _told(lambda: hash(first)),
            # The standard library's own message about a name that is not a field is a slip.
            [_told(lambda name=each: setattr(first, name, 1)) for each in cls.__match_args__],
            [_told(lambda name=each: delattr(first, name)) for each in cls.__match_args__],
            [getattr(first, each.name) for each in dataclasses.fields(first)],
            repr(copy.copy(first)),
            repr(copy.deepcopy(first)),
            _told(lambda: repr(dataclasses.replace(first, first=9))),
            dataclasses.asdict(first),
            dataclasses.astuple(first),
        ]

    assert all_of(_OURS[name]) == all_of(_THEIRS[name])


@pytest.mark.parametrize("name", _NAMES)
def test_a_class_tells_of_itself_what_the_standard_library_would(name: str) -> None:
    def told(cls: Any) -> list[Any]:
        return [
            str(inspect.signature(cls)),
            inspect.signature(cls).parameters.keys(),
            cls.__init__.__annotations__,
            cls.__match_args__,
            cls.__slots__,
            hasattr(cls, "__dict__") and "__dict__" in dir(cls),
            [
                (each.name, each.type, each.repr, each.compare, dict(each.metadata))
                for each in dataclasses.fields(cls)
            ],
            cls.__dataclass_params__.frozen,
            cls.__qualname__,
            cls.__module__,
            bool(cls.__doc__),
        ]

    assert told(_OURS[name]) == told(_THEIRS[name])


def test_defaults_are_made_for_each_value() -> None:
    full: Any = _OURS["Full"]
    assert full(1).third == []
    assert full(1).third is not full(1).third
    assert full(1, third=[2]).third == [2]


def test_values_survive_pickle() -> None:
    made: Any = Pickled
    assert pickle.loads(pickle.dumps(made(3, "y"))) == made(3, "y")
    assert pickle.loads(pickle.dumps(made(3))) == made(3, "x")


def test_values_that_hold_themselves_are_shown() -> None:
    full: Any = _OURS["Full"]
    value = full(1)
    value.third.append(value)
    assert "third=[...]" in repr(value)


def test_the_standard_library_makes_subclasses() -> None:
    full: Any = _OURS["Full"]

    @dataclasses.dataclass(frozen=True)
    class Mine(full):  # type: ignore[misc]
        own: int = 3

    assert Mine(1).own == 3
    assert Mine(1) == Mine(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Mine(1).own = 4


def test_fields_that_are_given_by_name_only_are_an_error() -> None:
    with pytest.raises(TypeError, match="given by name only"):

        @ours.dataclass(frozen=True, slots=True)
        class Wrong:
            a: int = dataclasses.field(kw_only=True)


def test_other_classes_are_the_standard_librarys() -> None:
    @ours.dataclass
    class Plain:
        a: int = 1

    @ours.dataclass(slots=True)
    class Loose:
        a: int = 1

    plain, loose = Plain(), Loose()
    plain.a = loose.a = 2
    assert (plain, loose) == (Plain(2), Loose(2))


def test_every_frozen_class_with_slots_is_made_here() -> None:
    """Those of the standard library take five times as long, at each start."""
    sources = Path(ctxtui.__file__).parent.rglob("*.py")
    slow = [
        str(each)
        for each in sources
        if re.search(r"^from dataclasses import .*\bdataclass\b", text := each.read_text("utf-8"), re.MULTILINE)
        and "frozen=True, slots=True" in text
    ]
    assert [each for each in slow if not each.endswith("core/dataclass.py")] == []
