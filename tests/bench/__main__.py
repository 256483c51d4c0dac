"""The benchmarks: `python -m tests.bench [--only NAME,…] [--large] [--growth [FILES]] [--write]`.

REF is one whole process over the same files in the same run: it starts Python, builds the encoder, and reads and
encodes with one thread of plain tiktoken. Everything compared with it is a whole process too. Ratios to it hold on
any machine. Each figure is the median of several runs.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from tests.bench import app, audit, counts, fleet, retrieval, systems
from tests.bench.corpus import corpus_of, described
from tests.bench.counts import Corpus
from tests.bench.processes import PROGRAM, fresh_home, probe, warm_pages, whole
from tests.bench.table import PAGE, Limit, Row, as_data, head, written

SIZES = "1000,3000,10000,30000,100000"
LARGE = 100_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure with: folders from small to large, and repositories."""

    corpora: list[Corpus]
    sizes: Sequence[int]
    fleet: int = fleet.SIZE


def _toggle(plan: Plan) -> Iterator[Row]:
    with fresh_home() as home:
        _, answer = probe("toggle", plan.corpora[-1].folder, home)
    for picks in (50, 1_000):
        for what in ("file", "section"):
            late, most = (answer[f"{what}_{picks}{end}"] * 1000 for end in ("", "_max"))
            quantity = f"toggle of a {what} to the new meter, {picks:,} picks, p95"
            yield Limit(16, unit="ms").row(quantity, late, f"{late:.1f} ms (most {most:.1f})", dict(answer))


def _start(_: Plan) -> Iterator[Row]:
    with fresh_home() as home:
        for option in ("--version", "--help"):
            taken = median(whole((*PROGRAM, option), home).wall for _ in range(9))
            yield Limit(0.15, unit="s").row(f"`ctxtui {option}`", taken, f"{taken:.3f} s", {"s": taken})


def _large(_: Plan) -> Iterator[Row]:
    corpus = Corpus(corpus_of(LARGE))
    warm_pages(corpus.folder)
    yield from counts.listings([corpus])
    for row in app.measure_large(corpus.folder):
        yield replace(row, quantity=f"{row.quantity}, {LARGE:,} files")


def _growth(plan: Plan) -> Iterator[Row]:
    for size in plan.sizes:
        corpus = Corpus(corpus_of(size))
        warm_pages(corpus.folder)
        yield counts.grown(corpus)


Groups = dict[str, Callable[[Plan], Iterable[Row]]]
GROUPS: Groups = {
    "counts": lambda plan: counts.counts(plan.corpora),
    "ls": lambda plan: counts.listings(plan.corpora),
    "build": lambda plan: counts.builds(plan.corpora),
    "audit": lambda plan: audit.measure(plan.corpora[0]),
    "app": lambda plan: app.measure(plan.corpora[-1].folder),
    "toggle": _toggle,
    "start": _start,
    "systems": lambda _: systems.measure(),
    "retrieval": lambda plan: retrieval.measure([corpus.folder for corpus in plan.corpora]),
    "fleet": lambda plan: fleet.measure(plan.fleet),
}
_USUAL = [name for name in GROUPS if name != "fleet"]
ASKED_FOR: Groups = {"large": _large, "growth": _growth}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    sizes = "sizes of the folders to measure with (default: 2000,10000)"
    parser.add_argument("--files", default="2000,10000", help=sizes)
    parser.add_argument("--corpus", type=Path, help="measure with this folder instead")
    told = f"some of {', '.join(GROUPS)}; '' for none (default: all but fleet)"
    parser.add_argument("--only", default=",".join(_USUAL), help=told)
    parser.add_argument("--repositories", type=int, default=fleet.SIZE, help=f"of the fleet (default: {fleet.SIZE})")
    told = f"also measure with {LARGE:,} files (half an hour, 1 GB)"
    parser.add_argument("--large", action="store_true", help=told)
    parser.add_argument("--growth", nargs="?", const=SIZES, metavar="FILES", help=f"also how `ls` grows ({SIZES})")
    parser.add_argument("--write", action="store_true", help="write the table to the page")
    parser.add_argument("--json", type=Path, help="write all that was measured to this file")
    arguments = parser.parse_args()
    if unknown := set(filter(None, arguments.only.split(","))) - set(GROUPS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    return arguments


def _plan(arguments: argparse.Namespace) -> Plan:
    # A fleet is measured with repositories alone.
    sizes = sorted(map(int, arguments.files.split(","))) if arguments.only != "fleet" else []
    folders = [arguments.corpus.resolve()] if arguments.corpus else [corpus_of(files) for files in sizes]
    growing = [int(size) for size in (arguments.growth or "").split(",") if size]
    return Plan([Corpus(folder) for folder in folders], growing, arguments.repositories)


def main() -> None:
    arguments = _arguments()
    plan, start = _plan(arguments), time.monotonic()
    machine = f"Python {platform.python_version()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
    about = [f"{machine} at the start", *(f"{each.folder.name}: {described(each.folder)}" for each in plan.corpora)]
    print("\n".join(about), head(), sep="\n\n", flush=True)
    for corpus in plan.corpora:
        warm_pages(corpus.folder)
    wanted = [GROUPS[name] for name in arguments.only.split(",") if name]
    wanted += [group for name, group in ASKED_FOR.items() if getattr(arguments, name) not in (None, False)]
    rows = []
    for group in wanted:
        for row in group(plan):
            rows.append(row)
            print(row, flush=True)
    about.append(f"The run took {(time.monotonic() - start) / 60:.0f} minutes.")
    print(f"\n{about[-1]}")
    if arguments.json:
        arguments.json.write_text(json.dumps(as_data(rows), ensure_ascii=False, indent=1) + "\n", "utf-8")
    if arguments.write:
        PAGE.write_text(written(PAGE.read_text("utf-8"), rows, about), "utf-8")


if __name__ == "__main__":
    main()
