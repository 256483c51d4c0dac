"""`python -m tests.fuzz.swap_races [--seconds 30]`: files become links out of the project, or FIFOs, while it is read.

Nothing of what lies outside is ever shown, and nothing waits for ever.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from ctxtui import ContextError, Workspace
from ctxtui.catalog import MarkdownFileContextProvider
from ctxtui.entries import ContextQuery, FileContextProvider
from ctxtui.loader import LoaderOptions, load_context
from ctxtui.retrieval import ContextRetrievalRequest, FilesystemProvider
from tests.fuzz.machine import last_word, quiet, workplace
from tests.fuzz.projects import write

_OUTSIDE: Final = "outsidersecret"
_TEXT: Final = (
    f"---\nid: python/x\nentryId: x\ntitle: {_OUTSIDE}\ntags: [{_OUTSIDE}]\n---\n# {_OUTSIDE}\n\nrefund {_OUTSIDE}\n"
)
_FILES: Final = "AGENTS.md .context/TASKS.md library/python/index.md library/python/x.md notes/x.md docs/x.md".split()
_SWAPPED: Final = (*_FILES, "docs")
_PATIENCE: Final = 20.0
_READS: Final = 30


def _open(project: Path) -> object:
    workspace = Workspace.open(project, on_notice=quiet)
    shown = [(each.title, each.details.values, each.details.tags) for each in workspace.references]
    session = workspace.session()
    for each in workspace.references[:12]:
        session = session.pick(each.id)
    return shown, session.payload().text, [node.title for node in workspace.tree.walk()]


def _catalog(project: Path) -> object:
    provider = MarkdownFileContextProvider(project / "library", on_notice=quiet)
    return provider.get_catalog(), provider.get_always_load_files("python"), provider.search("refund")


def _load(project: Path) -> object:
    return load_context(LoaderOptions(project, on_notice=quiet)).summary


def _entries(project: Path) -> object:
    return asyncio.run(FileContextProvider(project / "notes", quiet).query(ContextQuery()))


def _retrieve(project: Path) -> object:
    provider = FilesystemProvider([project], on_notice=quiet)
    try:
        request = ContextRetrievalRequest("refund", "s", "t", str(project), "filesystem")
        return asyncio.run(provider.retrieve(request))
    finally:
        provider.close()


_READERS: Final[dict[str, Callable[[Path], object]]] = {
    "open": _open,
    "catalog": _catalog,
    "load": _load,
    "entries": _entries,
    "retrieve": _retrieve,
}


def main() -> int:
    """Swap and read; 1 when something leaks or waits."""
    parser = argparse.ArgumentParser("python -m tests.fuzz.swap_races")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long each kind of swap (default: 30)")
    seconds = parser.parse_args().seconds
    tried, failed = 0, []
    for kind in ("link", "fifo"):
        with workplace() as folder:
            reads, problems = _raced(folder, kind, seconds)
        print(f"{kind}: {reads:,} reads, {len(problems)} failed", flush=True)
        tried += reads
        failed += problems
    return last_word(tried, failed, "reads while files are swapped")


def _raced(folder: Path, kind: str, seconds: float) -> tuple[int, list[str]]:
    project, outside = folder / "race", folder / "outside"
    write(outside, {name: _TEXT.encode() for name in ("x.md", "secret.md")})
    write(project, {name: _TEXT.replace(_OUTSIDE, "inside").encode() for name in _FILES})
    forked = get_context("fork")
    swapper = forked.Process(target=_swap, args=(project, outside, kind), daemon=True)
    swapper.start()
    reads, failed, until = 0, [], time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            for name, read in _READERS.items():
                answer, sender = forked.Pipe(duplex=False)
                reader = forked.Process(target=_read, args=(read, project, sender), daemon=True)
                reader.start()
                sender.close()
                problem, count = answer.recv() if answer.poll(_PATIENCE) else ("waits for ever", 0)
                reads += count
                failed += [f"{name} with {kind}s: {problem}"] if problem else []
                reader.kill()
                reader.join()
    finally:
        swapper.kill()
        swapper.join()
    return reads, failed


def _read(read: Callable[[Path], object], project: Path, sender: object) -> None:
    """Read again and again, and send what went wrong and how often was read."""
    for number in range(1, _READS + 1):
        try:
            shown = repr(read(project))
        except ContextError as error:
            shown = str(error)
        except Exception as error:  # noqa: BLE001 - anything else is what is looked for
            sender.send((f"{type(error).__name__}: {error}", number))  # type: ignore[attr-defined]
            return
        if _OUTSIDE in shown:
            sender.send(("shows what lies outside", number))  # type: ignore[attr-defined]
            return
    sender.send(("", _READS))  # type: ignore[attr-defined]


def _swap(project: Path, outside: Path, kind: str) -> None:
    """Put links or FIFOs in the place of files, and the files back, as fast as it goes."""
    while True:
        for name in _SWAPPED:
            place, kept = project / name, project.parent / "kept"
            with suppress(OSError):
                place.rename(kept)
                if kind == "fifo" and not kept.is_dir():
                    os.mkfifo(place)
                else:
                    place.symlink_to(outside if kept.is_dir() else outside / "secret.md")
                place.unlink()
            with suppress(OSError):
                kept.rename(place)


if __name__ == "__main__":
    sys.exit(main())
