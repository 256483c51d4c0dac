"""`ctxtui fleet report`: the results of a fleet as text, JSON or a page."""

from __future__ import annotations

import argparse
from pathlib import Path

from ctxtui.cli.as_json import print_json
from ctxtui.cli.fleet_text import fleet_text
from ctxtui.cli.project import Narrator, narrated, tell_unknown
from ctxtui.cli.status import DONE, FAILED, PASSED_LIMIT
from ctxtui.cli.streams import put, write_stdout
from ctxtui.core.base.errors import ContextError, Gone
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_json
from ctxtui.core.base.wording import byte_size
from ctxtui.core.disk.root import read_file, write_named
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.fleet.policy import read_policy
from ctxtui.fleet.results.schema import is_results
from ctxtui.fleet.summary import Summary, read_summary

PAGE_MARK = b'<meta name="generator" content="ctxtui fleet">'
BESIDE = ""
"""The page goes beside the results if `--html` names no file."""


@narrated
def run_fleet_report(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Print a run, or write its page. A broken policy exits with 1."""
    file = Path(arguments.file)
    if arguments.dump:
        return _dump(file, arguments)
    place = None if arguments.html is None else _place(file, arguments)
    tell_unknown(arguments.model, narrator)
    policy = read_policy(Path(arguments.limits)) if arguments.limits else None
    since, model = arguments.since or "", arguments.model or ""
    summary = read_summary(file, arguments.run_number, since=since, policy=policy, model=model)
    if model and get_counter(model).key != get_counter(summary.run.tokenizer).key:
        told = f"the results were counted with {summary.run.tokenizer}, not as {model} counts"
        narrator(Notice("other-tokenizer", f"{told}: prices are estimates"))
    if place is not None:
        _write_page(summary, place, arguments.force, narrator)
    if place is None or arguments.json:
        tell_summary(summary, file, arguments, narrator)
    return status_of(summary, arguments.fail_on)


def tell_summary(summary: Summary, file: Path, arguments: argparse.Namespace, narrator: Narrator) -> None:
    """Print the figures of a results file, as text or JSON."""
    if arguments.json:
        from ctxtui.fleet.as_json import fleet_json  # noqa: PLC0415 - as the page below, only if asked for

        print_json(fleet_json(summary), narrator.notices)
        return
    put(fleet_text(summary))
    narrator.say(f"ctxtui fleet report {file} --html writes a page with all repositories, --json prints all figures")


def status_of(summary: Summary, fail_on: str | None) -> int:
    """The exit status: 1 for a broken policy, or for failed repositories if requested, 4 if all failed."""
    if summary.rows and not summary.audited:
        return FAILED
    return PASSED_LIMIT if summary.breaking or (fail_on and summary.failed) else DONE


def _dump(file: Path, arguments: argparse.Namespace) -> int:
    from ctxtui.fleet.results.dump import dumped  # noqa: PLC0415 - few runs are compared
    from ctxtui.fleet.results.read import find_run  # noqa: PLC0415
    from ctxtui.fleet.results.schema import reading  # noqa: PLC0415

    others = {"--html": arguments.html is not None, "--json": arguments.json, "--limits": arguments.limits}
    others |= {"--since": arguments.since, "--model": arguments.model}
    given = next((name for name, value in others.items() if value), None)
    if given is not None:
        raise ContextError("invalid_request", f"--dump prints rows alone; leave out {given}")
    with reading(file) as connection:
        run = find_run(connection, arguments.run_number)
        write_stdout((line.encode() for line in dumped(connection, run)), plain_json)
    return DONE


def _place(file: Path, arguments: argparse.Namespace) -> Path:
    """The path of the page. Results are never overwritten, and other files only with --force."""
    place = Path(arguments.html) if arguments.html != BESIDE else file.with_suffix(".html")
    if place == file or is_results(place):
        hint = "name another file: --html PAGE"
        raise ContextError("invalid_request", f"{place} holds results, which the page would replace", hint=hint)
    if not arguments.force and not _may_hold_page(place):
        hint = "name another file: --html PAGE, or add --force"
        raise ContextError("invalid_request", f"{place} is not a page of a fleet, and would be replaced", hint=hint)
    return place


def _may_hold_page(place: Path) -> bool:
    """Whether a path is missing, an empty file or an earlier page."""
    try:
        return not (data := read_file(place).data) or PAGE_MARK in data
    except Gone:
        return True


def _write_page(summary: Summary, place: Path, force: bool, narrator: Narrator) -> None:
    from ctxtui.fleet.page.render import page  # noqa: PLC0415 - Jinja2: only if asked for

    data = page(summary).encode("utf-8", "replace")
    write_named(place, data, force=force)
    narrator.say(f"wrote {place}, {byte_size(len(data))}; open it in a browser")
