"""The engines that count tokens: tiktoken always, and gigatoken for much text at once if it is installed."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

FAST = "gigatoken"
REFERENCE = "tiktoken"
# The versions whose counts were compared with tiktoken's, character by character.
_TESTED = "0.10."


class Unusable(Exception):
    """Why the fast engine cannot count here."""


@cache
def fast_version() -> str:
    """The version of gigatoken that is installed; empty if none is."""
    if find_spec(FAST) is None:
        return ""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - only if it is installed

    try:
        return version(FAST)
    except PackageNotFoundError:
        return "unknown"


def is_tested() -> bool:
    """Whether gigatoken is installed in a version that is known to count as tiktoken does."""
    return fast_version().startswith(_TESTED)


def engine() -> str:
    """The engine that counts where many megabytes are unknown; the numbers do not depend on it."""
    return FAST if is_tested() else REFERENCE


def engines() -> str:
    """The installed engines with their versions, for people."""
    from importlib.metadata import version  # noqa: PLC0415 - only for the version

    told = f"{REFERENCE} {version(REFERENCE)}"
    if fast_version():
        told += f", {FAST} {fast_version()}" + ("" if is_tested() else " (not used)")
    return told
