"""Values of the program as bytes and back without loss, by the standard library's pickle.

The cache unpacks only the rows of its own user, sealed with a secret in the state folder. Bytes can only become
values of this program: no code runs.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import is_dataclass
from io import BytesIO
from typing import Any, Final

_ALLOWED: Final = frozenset(
    {("datetime", name) for name in ("date", "datetime", "timedelta", "timezone")}
    | {("array", name) for name in ("array", "_array_reconstructor")}
)


def pack(value: object, shared: Sequence[object] = ()) -> bytes:
    """A value as bytes, empty if it cannot be pickled. Objects in `shared` stay out: give them to `unpack` again."""
    packed = BytesIO()
    pickler = _SharingPickler(packed, shared) if shared else pickle.Pickler(packed, pickle.HIGHEST_PROTOCOL)
    try:
        pickler.dump(value)
    except (TypeError, AttributeError, ValueError, RecursionError, pickle.PicklingError):
        return b""
    return packed.getvalue()


def unpack(packed: bytes, shared: Sequence[object] = ()) -> Any:
    """The value of bytes from `pack` with the same `shared`, None if this version of the program cannot read them."""
    try:
        return _Unpickler(BytesIO(packed), shared).load()
    except Exception:  # noqa: BLE001 - foreign bytes can raise any exception
        return None


class _SharingPickler(pickle.Pickler):
    """Writes the position of an object in `shared` in its place."""

    def __init__(self, file: BytesIO, shared: Sequence[object]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._places = {id(value): place for place, value in enumerate(shared)}

    def persistent_id(self, value: object) -> int | None:
        return self._places.get(id(value))


class _Unpickler(pickle.Unpickler):
    """Reads dataclasses, tuples and texts of this program, times and arrays. All other classes are an error."""

    def __init__(self, file: BytesIO, shared: Sequence[object]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, place: int) -> object:
        return self._shared[place]

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _ALLOWED:
            return super().find_class(module, name)
        found = super().find_class(module, name) if module.startswith("ctxtui.") else None
        if isinstance(found, type) and (is_dataclass(found) or issubclass(found, tuple | str)):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is not a value of this program")
