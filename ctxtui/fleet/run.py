"""A run: all repositories of a fleet examined, and what was found appended to a file as it comes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ctxtui.fleet.cluster import Where, connected
from ctxtui.fleet.examine import Order
from ctxtui.fleet.members import Fleet
from ctxtui.fleet.results.append import append, at_once, begin, end
from ctxtui.fleet.results.read import find_run
from ctxtui.fleet.results.writing import writing
from ctxtui.fleet.since import check_comparable, since_run
from ctxtui.fleet.window import examined
from ctxtui.version import __version__


class Reached(NamedTuple):
    """How far a run is: repositories done, how many of them an earlier start had done, with errors, and of all."""

    done: int
    before: int
    errors: int
    size: int


Told = Callable[[Reached], None]


def run_fleet(
    path: Path, fleet: Fleet, order: Order, where: Where, tell: Told, fresh: bool = False, since: str = ""
) -> int:
    """Audit a fleet into a file, or go on with its last run if that did not end; returns the number of the run.

    `tell` is called all the while. A run to compare with, `since`, is looked for before anything is audited.
    Raises ContextError: as `writing` and `connected` do, unavailable if all workers or their scheduler are gone: what
    was found until then is kept; invalid_request for an unknown tokenizer or model, and as `since_run` and
    `check_comparable` do.
    """
    tokenizer = order.counts_as
    with writing(path) as connection:
        with at_once(connection):
            run = begin(connection, __version__, tokenizer, fleet.digest, fleet.size, fresh)
            if since:
                kept = find_run(connection, run.id)
                check_comparable(since_run(connection, kept, since), kept)
        append(connection, run.id, tokenizer, fleet.wrong)
        left = [member for member in fleet.members if member.name not in run.done]
        reached = Reached(fleet.size - len(left), len(run.done), len(fleet.wrong), fleet.size)
        tell(reached)
        if left:
            with connected(where) as client:
                for found in examined(client, left, order):
                    append(connection, run.id, tokenizer, found)
                    errors = reached.errors + sum(bool(each.error) for each in found)
                    reached = reached._replace(done=reached.done + len(found), errors=errors)
                    tell(reached)
        end(connection, run.id)
    return run.id
