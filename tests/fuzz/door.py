"""A door: what is thrown at it, how often, and the function that checks what must hold."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.projects import Files

Input = str | Files


class Broken(AssertionError):
    """Something that must hold does not: `what` says it, the same for every input."""

    def __init__(self, what: str, detail: object = "") -> None:
        super().__init__(f"{what} {detail}".strip())
        self.what = what


@dataclass
class Check:
    """What a door gets beside its input: a place for its files, ears for notices, and the one assertion.

    `count` is how many assertions have held.
    """

    folder: Path
    count: int = 0
    notices: list[object] = field(default_factory=list)

    def __call__(self, holds: object, what: str, detail: object = "") -> None:
        if not holds:
            raise Broken(what, detail)
        self.count += 1


@dataclass(frozen=True)
class Door:
    """One public entry; `hourly` is how many inputs an hour should give it, relative to the others."""

    name: str
    generate: Callable[[Random], Input]
    run: Callable[..., None]
    hourly: int = 100_000
    is_project: bool = False
