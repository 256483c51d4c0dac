"""`ctxtui help`: a page of the manual, readable on a terminal and raw in a pipe; or the list of pages."""

from __future__ import annotations

import argparse
import shutil

from ctxtui.cli.parser import COMMAND_NAMES, parse
from ctxtui.cli.readable import readable
from ctxtui.cli.status import DONE
from ctxtui.cli.streams import put, require_stdout, write_stdout
from ctxtui.core.errors import NotFound
from ctxtui.core.manual import TOPICS, page, summary

_WIDEST = 100


def run_help(arguments: argparse.Namespace) -> int:
    """Print a page, or the help of a command that has no page of its own; exits with 3 for an unknown topic."""
    if arguments.topic is None:
        width = max(map(len, TOPICS)) + 2
        put("\n".join(f"{topic:<{width}}{summary(topic)}" for topic in TOPICS))
        return DONE
    try:
        text = page(arguments.topic)
    except NotFound:
        if arguments.topic in COMMAND_NAMES:
            parse([arguments.topic, "--help"])
        raise
    if require_stdout().isatty():
        put(readable(text, min(_WIDEST, shutil.get_terminal_size().columns)).rstrip("\n"))
    else:
        write_stdout(text.encode())
    return DONE
