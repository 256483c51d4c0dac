"""`ctxtui fleet`: audit many repositories, on local cores or a cluster, into one file."""

from __future__ import annotations

import argparse
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ctxtui.cli.audits.fleet_report import status_of, tell_summary
from ctxtui.cli.output.streams import Progress, read_stdin
from ctxtui.cli.project import Narrator, narrated, override_budget, tell_unknown_model
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.wording import plural
from ctxtui.fleet.examine import SECONDS, FleetOrder
from ctxtui.fleet.members import FROM_STDIN, find_members
from ctxtui.fleet.policy import read_policy
from ctxtui.fleet.run import Reached, run_fleet
from ctxtui.fleet.summary import read_summary
from ctxtui.fleet.types import Where
from ctxtui.session.budget import Budget

_DEFAULT: Final = "fleet.db"
_NEEDED: Final = ("distributed", "cryptography")
_MINUTE: Final = 60


@narrated
def run_fleet_command(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Audit a fleet. Results are appended as they arrive, and an interrupted run can continue.

    Returns the status of `status_of`.
    """
    order = _order(arguments, narrator)
    where = _where(arguments)
    policy = read_policy(Path(arguments.limits)) if arguments.limits else None
    path = Path(arguments.output or _DEFAULT)
    fleet = find_members(arguments.words, read_stdin() if FROM_STDIN in arguments.words else "")
    narrator.tell(fleet.notices)
    unmarked = f", {fleet.unmarked:,} of them without .git" if fleet.unmarked else ""
    narrator.say(f"{plural(fleet.size, 'repository')}{unmarked}; what is found goes to {path}")
    began = time.monotonic()

    def tell(reached: Reached) -> None:
        progress.say(_progress_words(reached, time.monotonic() - began))

    try:
        with Progress("auditing", narrator.quiet) as progress:
            number = run_fleet(path, fleet, order, where, tell, arguments.fresh, arguments.since or "")
    except KeyboardInterrupt:
        narrator.say(f"stopped; what was found is kept in {path}: run the same command again to go on")
        raise
    since, model = arguments.since or "", arguments.model or ""
    summary = read_summary(path, number, since=since, policy=policy, model=model)
    tell_summary(summary, path, arguments, narrator)
    return status_of(summary, arguments.fail_on)


def _order(arguments: argparse.Namespace, narrator: Narrator) -> FleetOrder:
    """The settings of a run. Raises ContextError for unknown names and for `--seconds` beyond a day."""
    # Report an unknown name before the run begins.
    override_budget(Budget(), arguments)
    seconds = SECONDS if arguments.seconds is None else arguments.seconds
    if not 0 < seconds < 86_400:
        raise invalid(f"--seconds cannot be {seconds:g}", hint="name some up to a day")
    order = FleetOrder(model=arguments.model, seconds=seconds)
    order = order._replace(tokenizer=arguments.tokenizer) if arguments.tokenizer else order
    tell_unknown_model(arguments.model, narrator)
    return order


def _where(arguments: argparse.Namespace) -> Where:
    """The workers. Raises ContextError for options that exclude each other, and without Dask for a cluster."""
    where = Where(
        arguments.scheduler or "", arguments.tls_ca or "", arguments.tls_cert or "", arguments.tls_key or ""
    )
    if where.scheduler and arguments.workers is not None:
        hint = "the scheduler has workers of its own; leave out --workers"
        raise invalid("--workers is for this machine", hint=hint)
    if not where.scheduler and any(where):
        hint = "name one: --scheduler tls://HOST:PORT"
        raise invalid("--tls-ca, --tls-cert and --tls-key are for a scheduler", hint=hint)
    if where.scheduler and any(find_spec(name) is None for name in _NEEDED):
        hint = "install ctxtui[fleet] the way you installed ctxtui"
        raise ContextError("unavailable", "a cluster needs Dask", hint=hint)
    if arguments.workers is not None and not 0 < arguments.workers <= 1_000:
        raise invalid(f"--workers cannot be {arguments.workers}", hint="name 1 to 1,000")
    return where._replace(workers=arguments.workers)


def _progress_words(reached: Reached, seconds: float) -> str:
    """The progress in words, such as `12 of 300, 1 error, 2.4 a second, 2 min left`."""
    parts = [f"{reached.done:,} of {reached.size:,}"]
    if reached.errors:
        parts.append(plural(reached.errors, "error"))
    new, left = reached.done - reached.before, reached.size - reached.done
    if new and left:
        rate = new / seconds
        rest = left / rate
        parts.append(f"{rate:,.1f} a second" if rate >= 1 else f"{rate * _MINUTE:,.0f} a minute")
        parts.append(f"{rest / _MINUTE:,.0f} min left" if rest > _MINUTE else "under a minute left")
    return ", ".join(parts)
