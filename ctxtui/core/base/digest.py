"""Digests of contents and of the installed code, parts of every cache key."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Final

# The other code decides how files are read, counted and judged.
_FRONT_ENDS: Final = frozenset(("__pycache__", "cli", "docs", "fleet", "mcp", "serve", "tui"))
_LIBRARIES: Final = ("markdown_it", "pyromark", "re2", "tiktoken", "yaml")


def digest_of(data: bytes | memoryview) -> bytes:
    return blake2b(data, digest_size=16).digest()


def text_digest(text: str) -> bytes:
    return digest_of(text.encode("utf-8", "surrogatepass"))


@cache
def program_digest() -> bytes:
    """A digest of the versions of Python, this program without its front ends, and its text libraries.

    A file's version is its size and times, not its content. Random if the files cannot be listed.
    """
    parts = [f"{sys.version} {sys.byteorder}"]
    try:
        for folder in sorted(Path(__file__).parent.parent.parent.iterdir()):
            if folder.name not in _FRONT_ENDS and folder.is_dir():
                parts += sorted(_file_versions(folder))
        for name in _LIBRARIES:
            spec = find_spec(name)
            parts.append(_file_version(spec.origin, Path(spec.origin).stat()) if spec and spec.origin else "")
    except OSError:
        return os.urandom(16)
    return text_digest("\0".join(parts))


def _file_versions(folder: str | Path) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                yield _file_version(entry.path, entry.stat())
            elif entry.name != "__pycache__":
                yield from _file_versions(entry.path)


def _file_version(file: str, status: os.stat_result) -> str:
    return f"{file} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_size}"
