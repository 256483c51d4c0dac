"""The parts that cost tokens but are not counted, by name, and what each plugin would add to a start."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from posixpath import join

from ctxtui.agents.at_home import HOME
from ctxtui.agents.configuration import MAX_NAMES
from ctxtui.agents.costs import Charge, PackageCost, Part
from ctxtui.agents.files import Files
from ctxtui.agents.packages import find_packages
from ctxtui.agents.paths import Index
from ctxtui.agents.types import Agent

PLUGIN = "plugin"


def name_parts(agent: Agent, index: Index, files: Files, folder: str) -> Iterator[Part]:
    """The uncounted parts that a folder's configuration names, and those of every start."""
    for part in agent.uncounted:
        if not part.places:
            yield Part(part.what, (), "", part.note)
        for place in part.places:
            at_home = _at_home(agent, part.what, place, index, files)
            for file, names in (*_named(place, index, files, folder), *at_home):
                yield Part(part.what, tuple(dict.fromkeys(names)), file, part.note)


def package_costs(agent: Agent, charges: Iterable[Charge], index: Index, files: Files) -> tuple[PackageCost, ...]:
    """What each plugin adds to a start once it is installed, in the order in which they were found."""
    brought: defaultdict[str, list[Charge]] = defaultdict(list)
    for charge in charges:
        brought[charge.package].append(charge)
    costs = []
    for package in find_packages(agent, index, files):
        own = tuple(brought[package.name])
        tokens = sum(charge.start_tokens for charge in own)
        parts = tuple(name_parts(agent, index, files, package.folder))
        costs.append(PackageCost(package.name, package.folder, package.manifest, tokens, own, parts, package.missing))
    return tuple(costs)


def _at_home(agent: Agent, what: str, place: str, index: Index, files: Files) -> Iterator[tuple[str, Sequence[str]]]:
    """What the agent's own folder at home names, if it was asked for; its plugins are counted."""
    is_counted = what == PLUGIN and agent.installed_in
    if index.home and agent.home and place.startswith(f"{agent.home}/") and not is_counted:
        yield from _named(place, index.home, files, HOME)


def _named(place: str, index: Index, files: Files, folder: str) -> Iterator[tuple[str, Sequence[str]]]:
    if "#" not in place:
        found = index.find_in(place, folder)[:MAX_NAMES]
        yield from [(join(folder, place), found)] if found else []
    elif named := [name for name, _ in files.names((place,), (folder,))]:
        yield join(folder, place.partition("#")[0]), named
