"""The paths that git tracks, read from its index without git: versions 2 to 4, split, sparse, SHA-1 and SHA-256."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha1
from struct import error as struct_error
from struct import pack, unpack_from
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.root import Root

# The index of a repository with a million files.
_MOST: Final = 256 * 1024 * 1024
_NAME: Final = "index"
_HEAD: Final = 12
# Times, numbers, mode and size of an entry, before its id.
_FIXED: Final = 40
_FILE: Final = 0o100644
_WORD: Final = 8
_BITS: Final = 64


def tracked_paths(own: Root, id_bytes: int) -> bytes:
    """A git folder's indexed paths, each followed by NUL, empty if unreadable. An id has `id_bytes` bytes."""
    try:
        names, base, gone = _parse_index(own.read(_NAME, _MOST).data, id_bytes)
        if base:
            shared, _, _ = _parse_index(own.read(f"sharedindex.{base}", _MOST).data, id_bytes)
            kept = (name for place, name in enumerate(shared) if place not in gone)
            # An entry without a name replaces an entry of the shared index, and keeps its path.
            names = sorted({*kept, *filter(None, names)})
    except (ContextError, ValueError, IndexError, struct_error):
        return b""
    return b"".join(name + b"\0" for name in names if not name.endswith(b"/"))


def index_bytes(paths: Iterable[str]) -> bytes:
    """The bytes of a git index that tracks these paths and records nothing else about them."""
    entries: list[bytes] = []
    for name in sorted(path.encode("utf-8", "surrogateescape") for path in paths):
        entry = bytes(24) + pack(">I", _FILE) + bytes(32) + pack(">H", min(len(name), 0xFFF)) + name
        entries.append(entry + bytes(_WORD - len(entry) % _WORD))
    data = pack(">4sII", b"DIRC", 2, len(entries)) + b"".join(entries)
    return data + sha1(data, usedforsecurity=False).digest()


def _parse_index(data: bytes, id_bytes: int) -> tuple[Sequence[bytes], str, frozenset[int]]:
    """The names in an index, the id of its shared index ("" for none), and the positions there that it deletes."""
    sign, version, count = unpack_from(">4sII", data)
    if sign != b"DIRC" or version not in (2, 3, 4):
        return (), "", frozenset()
    names, place = (_read_packed if version == 4 else _read_padded)(data, count, _FIXED + id_bytes)
    end = len(data) - id_bytes
    while place + _WORD <= end:
        kind, size = unpack_from(">4sI", data, place)
        place += _WORD
        if kind == b"link":
            base = data[place : place + id_bytes].hex()
            gone = frozenset(_read_bitmap(data, place + id_bytes)) if size > id_bytes else frozenset()
            return names, base if base.strip("0") else "", gone
        place += size
    return names, "", frozenset()


def _read_padded(data: bytes, count: int, fixed: int) -> tuple[list[bytes], int]:
    """The names of index version 2 or 3, and the offset after them. `fixed` bytes precede the flags of an entry."""
    names, place, find = list[bytes](), _HEAD, data.find
    for _ in range(count):
        # The first byte of the flags says whether more flags follow.
        start = place + fixed + (4 if data[place + fixed] & 0x40 else 2)
        end = find(b"\0", start)
        if end < 0:
            raise ValueError
        names.append(data[start:end])
        place += (end - place + _WORD) & -_WORD
    return names, place


def _read_packed(data: bytes, count: int, fixed: int) -> tuple[list[bytes], int]:
    """As `_read_padded` for version 4, where each name replaces some bytes at the end of the previous name."""
    names, place, name = list[bytes](), _HEAD, b""
    for _ in range(count):
        start = place + fixed + (4 if data[place + fixed] & 0x40 else 2)
        drop, start = _read_number(data, start)
        end = data.index(b"\0", start)
        name = name[: len(name) - drop] + data[start:end]
        names.append(name)
        place = end + 1
    return names, place


def _read_number(data: bytes, place: int) -> tuple[int, int]:
    """The number at offset `place`, seven bits per byte, and the offset after it."""
    byte = data[place]
    number = byte & 0x7F
    while byte & 0x80:
        place += 1
        byte = data[place]
        number = (number + 1) << 7 | byte & 0x7F
    return number, place + 1


def _read_bitmap(data: bytes, place: int) -> Iterator[int]:
    """The positions of the set bits in a compressed bitmap (EWAH) at offset `place`."""
    size, words = unpack_from(">II", data, place)
    place, end, bit = place + _WORD, place + _WORD + words * _WORD, 0
    while place < end:
        (run,) = unpack_from(">Q", data, place)
        place += _WORD
        length = (run >> 1 & 0xFFFF_FFFF) * _BITS
        if run & 1:
            yield from range(bit, min(bit + length, size))
        bit += length
        for _ in range(run >> 33):
            (word,) = unpack_from(">Q", data, place)
            place += _WORD
            yield from (bit + each for each in range(_BITS) if word >> each & 1)
            bit += _BITS
