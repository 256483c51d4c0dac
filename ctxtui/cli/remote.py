"""Remote projects on the command line: fetched with progress, or told which copy is used."""

from __future__ import annotations

from pathlib import Path

from ctxtui.cli.streams import Progress
from ctxtui.core.notices import Notice
from ctxtui.core.remote.address import read_address


def fetched_project(word: str, refresh: bool, is_quiet: bool) -> tuple[Path, str, list[Notice]]:
    """The folder of a remote project, what it is a copy of, and what it lacks; raises as `fetched` does."""
    from ctxtui.core.remote.fetch import fetched  # noqa: PLC0415 - only for remote projects

    address = read_address(word)
    progress = Progress(f"fetching {address.shown}", is_quiet)
    try:
        copy = fetched(address, refresh, progress.say)
    finally:
        progress.end()
    left_out = [Notice("not-fetched", f"not in the copy: {line}") for line in copy.left_out]
    place = copy.root / address.folder if address.folder else copy.root
    return place, f"{copy.told}; --refresh fetches it again", left_out
