"""A process that prepares files for an index as its owner sees it: files in, terms out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from ctxtui.core import frames, own_process
from ctxtui.core.files.content import Stamp
from ctxtui.core.files.root import Root
from ctxtui.retrieval.index import prepare_worker
from ctxtui.retrieval.index.prepare import Prepared

# No module comes from a folder that may be a project's.
_COMMAND = ("-m", prepare_worker.__name__)

Part = Sequence[tuple[str, Stamp]]
Take = Callable[[], tuple[int, Part] | None]
"""Gives the number and the files of the next part that is left; None if there is none."""
Give = Callable[[int, list[Prepared] | None], None]
"""Is given what was prepared of a part; None if that was not possible."""


@contextmanager
def helping(root: Root, take: Take, give: Give) -> Iterator[None]:
    """In this context another process prepares parts as well, if one can be started; it ends at once with it."""
    try:
        process = own_process.start(_COMMAND)
    except OSError:
        yield
        return
    thread = threading.Thread(target=have_prepared, args=(process, root, take, give), daemon=True)
    thread.start()
    try:
        yield
    finally:
        own_process.kill(process)
        thread.join()
        own_process.finish(process)


def have_prepared(process: own_process.Process, root: Root, take: Take, give: Give) -> None:
    """Have a process prepare parts until none is left; one that ends, or is another program, gives back its parts."""
    # One that it works on, and one that waits in the pipe meanwhile.
    taken: list[tuple[int, Part]] = []
    into, out = process.stdin, process.stdout
    assert into
    assert out

    def order() -> None:
        part = take()
        if part is not None:
            taken.append(part)
            frames.write(into, prepare_worker.order(part[1]))

    with suppress(OSError, EOFError, ValueError, TypeError):
        frames.write(into, root.way())
        if frames.read(out) == prepare_worker.identity():
            order()
            while taken:
                order()
                files = prepare_worker.unpacked(frames.read(out))
                number, _ = taken.pop(0)
                give(number, files)
    for number, _ in taken:
        give(number, None)
