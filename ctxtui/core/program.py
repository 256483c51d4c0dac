"""The state of this program: what it computed may be kept until the program changes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Final

# What decides how texts are read and judged, besides the texts themselves.
_PACKAGES: Final = ("agents", "audit", "catalog", "core")
_LIBRARIES: Final = ("markdown_it", "re2", "tiktoken", "yaml")


@cache
def program_state() -> bytes:
    """A digest of the files of this program, and of libraries that read texts; random if they cannot be listed."""
    try:
        return blake2b("\0".join(_parts()).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    except OSError:
        return os.urandom(16)


def _parts() -> Iterator[str]:
    yield f"{sys.version} {sys.byteorder}"
    package = Path(__file__).parent.parent
    for name in _PACKAGES:
        for folder, _, files in os.walk(package / name):
            yield from (_version(Path(folder, file)) for file in sorted(files) if not file.endswith(".pyc"))
    for name in _LIBRARIES:
        spec = find_spec(name)
        yield _version(Path(spec.origin)) if spec and spec.origin else ""


def _version(file: Path) -> str:
    status = file.stat()
    return f"{file} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_size}"
