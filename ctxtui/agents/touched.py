"""What enters each agent's context when it touches a file of the project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from ctxtui.agents.costs import AgentContext, Charge
from ctxtui.agents.globs import literal_head
from ctxtui.agents.paths import inner
from ctxtui.agents.types import Agent
from ctxtui.core.dataclass import dataclass
from ctxtui.core.patterns.globs import compile_glob


@dataclass(frozen=True, slots=True)
class Touched:
    """What one agent reads in addition when it touches a path.

    `perhaps` are charges that depend on more than the path, such as words in the file.
    """

    agent: Agent
    charges: tuple[Charge, ...]
    perhaps: tuple[Charge, ...] = ()

    @property
    def tokens(self) -> int:
        """The tokens that certainly add to those at the start."""
        return sum(charge.touch_tokens for charge in self.charges)


def what_if(contexts: Sequence[AgentContext], path: str) -> tuple[Touched, ...]:
    """What each agent would read when it reads or edits a path of the project, which need not exist.

    What may be installed is left out. Raises ContextError (invalid_request) for a path outside the project.
    """
    place = inner(path)
    return tuple(_touched(context, place) for context in contexts if not context.agent.installable)


def fires(globs: Sequence[str], path: str) -> bool:
    """Whether one of the globs matches a path, and none that begins with `!` does."""
    plain, barred = _sorted_out(tuple(globs))
    return _matches(plain, path) and not _matches(barred, path)


class Triggers:
    """Many sets of globs, by the folders where they can match: a path is compared with those of its own folders."""

    def __init__(self, sets: Iterable[Sequence[str]]) -> None:
        self._by_place: dict[str, dict[tuple[str, ...], None]] = {}
        for globs in map(tuple, sets):
            for glob in _sorted_out(globs)[0]:
                self._by_place.setdefault(literal_head(glob.removeprefix("./")), {})[globs] = None

    def firing(self, path: str) -> Iterator[tuple[str, ...]]:
        """The sets that fire for a path, as `fires` says."""
        places = path.split("/")
        near = ["", *("/".join(places[:count]) for count in range(1, len(places) + 1))]
        met = dict.fromkeys(globs for place in near for globs in self._by_place.get(place, ()))
        return (globs for globs in met if fires(globs, path))


@lru_cache(maxsize=256)
def _sorted_out(globs: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The globs of which one must match, and those of which none may."""
    plain = tuple(glob for glob in globs if not glob.startswith("!"))
    return plain or ("**",), tuple(glob[1:] for glob in globs if glob.startswith("!"))


def _touched(context: AgentContext, path: str) -> Touched:
    charges = [charge for charge in context.at("touch") if charge.path != path]
    whole = context.base.to_root(path)
    certain = tuple(charge for charge in charges if charge.globs and fires(charge.globs, whole))
    return Touched(context.agent, certain, tuple(charge for charge in charges if not charge.globs))


def _matches(globs: Sequence[str], path: str) -> bool:
    return any(compile_glob(glob).matches(path) for glob in globs)
