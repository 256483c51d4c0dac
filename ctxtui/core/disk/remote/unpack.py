"""Write the files of a commit into a folder as they are in git: no filter, no hook, nothing outside the folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from ctxtui.core.base.cancel import Check
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.content import MAX_BYTES
from ctxtui.core.disk.git.git import LINK, SUBMODULE, GitFile, Repository
from ctxtui.core.disk.lay_out import refusal, write_file, write_link

MOST_FILES: Final = 200_000
MOST_BYTES: Final = 2 * 1024**3

_MOST_TOLD: Final = 20


def unpack(repository: Repository, commit: str, folder: Path, check: Check) -> tuple[int, tuple[str, ...]]:
    """Write the files of a commit. Returns their bytes, and a line with the reason for each omitted file.

    Raises ContextError (invalid_request) beyond 200,000 files or 2 GB, and as `Repository.run` does.
    """
    files = repository.tree(commit)
    if len(files) > MOST_FILES:
        raise ContextError("invalid_request", f"the project has {len(files):,} files; {MOST_FILES:,} are fetched")
    left_out: list[str] = []
    wanted: dict[str, list[str]] = {}
    for path, file in files.items():
        reason = _refusal(path, file)
        if reason:
            left_out.append(f"{path}: {reason}")
        else:
            wanted.setdefault(file.id, []).append(path)
    links: list[tuple[str, bytes]] = []
    size = 0
    for id_, data in repository.contents(wanted):
        check()
        for path in wanted.pop(id_):
            size += len(data)
            if size > MOST_BYTES:
                raise ContextError("invalid_request", f"the project has over {MOST_BYTES // 1024**3} GB of files")
            if files[path].mode == LINK:
                links.append((path, data))
            else:
                left_out += _told(path, write_file(folder, path, data))
    left_out += [f"{path}: larger than {MAX_BYTES // 1024**2} MB" for paths in wanted.values() for path in paths]
    # Links come last, so that no file can be written through a link.
    for path, target in links:
        left_out += _told(path, write_link(folder, path, target))
    return size, _few(left_out)


def _refusal(path: str, file: GitFile) -> str:
    return "a submodule; fetch it by its own address" if file.mode == SUBMODULE else refusal(path)


def _told(path: str, reason: str) -> Iterator[str]:
    if reason:
        yield f"{path}: {reason}"


def _few(left_out: Iterable[str]) -> tuple[str, ...]:
    """The first lines, and the number of the others."""
    lines = [plain_line(line) for line in left_out]
    rest = len(lines) - _MOST_TOLD
    return (*lines[:_MOST_TOLD], *((f"{plural(rest, 'more file')}",) if rest > 0 else ()))
