"""`ctxtui serve`: the app in a browser, on this machine only."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from ctxtui.cli.output.streams import stdout_kept_clean, write_stdout
from ctxtui.cli.project import Narrator, narrated, open_project_path
from ctxtui.cli.status import DONE
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.loopback import listening
from ctxtui.core.disk.workers.worker_process import python

_OPTIONS = ("recipe", "budget", "reserve", "model", "tokenizer", "format")
_LISTS = ("include", "exclude")


@narrated
def run_serve(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Serve until a signal arrives. stdout carries the address."""
    if find_spec("textual_serve") is None:
        hint = "install ctxtui[serve] the way you installed ctxtui"
        raise ContextError("unavailable", "the app in a browser needs textual-serve", hint=hint)
    place = open_project_path(arguments, narrator)
    words = python("-m", "ctxtui", *_app_options(arguments), "--", str(Path(os.path.abspath(place))))  # noqa: PTH100
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(arguments.port, words, narrator))
    return DONE


def _app_options(arguments: argparse.Namespace) -> Iterator[str]:
    """The given options, as words of the command line that starts the app."""
    for name in _OPTIONS:
        value = getattr(arguments, name)
        if value is not None:
            yield f"--{name}={value}"
    for name in _LISTS:
        for value in getattr(arguments, name) or ():
            yield f"--{name}={value}"
    if arguments.fresh:
        yield "--fresh"


async def _serve(port: int, words: Sequence[str], narrator: Narrator) -> None:
    """Serve the app, which the command `words` starts, on a port (0: any free) until a signal arrives."""
    from ctxtui.serve.server import start  # noqa: PLC0415 - an extra

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        # Windows has no handlers. Ctrl-C interrupts there.
        with suppress(NotImplementedError):
            loop.add_signal_handler(each, stop.set)
    with listening(port) as opened:
        serving = await start(opened, words)
        port = opened.getsockname()[1]
        # Its token is a secret, but the user's own.
        write_stdout(f"{serving.address}\n".encode())
        narrator.say("open this address once, in one browser; ctrl-c ends")
        narrator.say(f"from another machine: ssh -L {port}:127.0.0.1:{port} THIS_MACHINE, then open it there")
        try:
            # stdout carries the address alone, not errors of an app that cannot start.
            with stdout_kept_clean():
                await stop.wait()
        finally:
            await serving.close()
