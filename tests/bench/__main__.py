"""The benchmarks: `python -m tests.bench [--files 2000,10000] [--corpus FOLDER] [--only NAME,…] [--json FILE]`.

REF is one thread of plain tiktoken over the same files in the same run; ratios to it hold on any machine. Its
encoder is built beforehand, while everything measured runs from the start of its process: the ratio in brackets
adds what building the encoder took to REF as well.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.bench import app, audit, retrieval, systems
from tests.bench.corpus import corpus_of, described
from tests.bench.probes import Answer
from tests.bench.processes import fresh_home, probe, timed, warm_pages
from tests.bench.table import Row, as_data, head


@dataclass(frozen=True)
class Corpus:
    """A folder to measure with."""

    folder: Path

    @cached_property
    def reference(self) -> Answer:
        """REF for this folder: the better of two runs."""
        with fresh_home() as home:
            return _best([probe("reference", self.folder, home) for _ in range(2)])

    @property
    def size(self) -> str:
        """How large it is, for people."""
        return f"{self.reference['files']:,.0f} files, {self.reference['bytes'] / 1e6:.0f} MB"

    def ratio(self, seconds: float) -> float:
        return seconds / self.reference["seconds"]

    def with_encoder(self, seconds: float) -> str:
        """The ratio to REF and its encoder."""
        return f"[{seconds / (self.reference['seconds'] + self.reference['building']):.2f}]"


def _best(answers: list[Answer]) -> Answer:
    return min(answers, key=lambda answer: answer["seconds"])


def _counts(corpora: list[Corpus]) -> Iterator[Row]:
    for corpus in corpora:
        seconds = corpus.reference["seconds"]
        speed = corpus.reference["bytes"] / 1e6 / seconds
        yield Row(f"REF, {corpus.size}", "", f"{seconds:.2f} s, {speed:.1f} MB/s", True, dict(corpus.reference))
        cold, warm = [], []
        for _ in range(2):
            with fresh_home() as home:
                cold.append(probe("count", corpus.folder, home))
                warm += [probe("count", corpus.folder, home) for _ in range(2)]
        yield _count_row(corpus, "all counts exact, cold", 1.0, _best(cold))
        yield _count_row(corpus, "all counts exact, warm start", 0.2, _best(warm))


def _count_row(corpus: Corpus, quantity: str, reach: float, answer: Answer) -> Row:
    is_exact = answer["unknown"] == 0 and answer["tokens"] == corpus.reference["tokens"]
    ratio = corpus.ratio(answer["seconds"])
    with_encoder = corpus.with_encoder(answer["seconds"])
    parts = ", ".join(f"{part} {answer[part]:.2f}" for part in ("importing", "opening", "counting"))
    measured = (
        f"{ratio:.2f} {with_encoder} × REF ({answer['seconds']:.2f} s: {parts})"
        if is_exact
        else "the counts differ from REF"
    )
    return Row(f"{quantity}, {corpus.size}", f"≤ {reach} × REF", measured, is_exact and ratio <= reach, dict(answer))


def _app(corpora: list[Corpus]) -> Iterator[Row]:
    yield from app.measure(corpora[-1].folder)


def _toggle(corpora: list[Corpus]) -> Iterator[Row]:
    with fresh_home() as home:
        answer = probe("toggle", corpora[-1].folder, home)
    for picks in (50, 1_000):
        for what in ("file", "section"):
            late, most = (answer[f"{what}_{picks}{end}"] * 1000 for end in ("", "_max"))
            quantity = f"toggle of a {what} to the new meter, {picks:,} picks, p95"
            yield Row(quantity, "≤ 16 ms", f"{late:.1f} ms (most {most:.1f})", late <= 16, dict(answer))


def _build(corpora: list[Corpus]) -> Iterator[Row]:
    corpus = corpora[0]
    times = []
    with TemporaryDirectory() as place:
        output = Path(place, "payload.md")
        arguments = ("-C", str(corpus.folder), "build", "--pick", "files/", "-o", str(output))
        for _ in range(2):
            with fresh_home() as home:
                times.append(timed(arguments, home))
        written = output.stat().st_size
    ratio = corpus.ratio(min(times))
    is_whole = written > 0.9 * corpus.reference["bytes"]
    measured = (
        f"{ratio:.2f} {corpus.with_encoder(min(times))} × REF ({min(times):.2f} s)"
        if is_whole
        else f"only {written:,} bytes written"
    )
    is_ok = is_whole and ratio <= 1.2
    yield Row(f"`ctxtui build`, cold, {corpus.size}", "≤ 1.2 × REF", measured, is_ok, {"s": times})


def _start(_: list[Corpus]) -> Iterator[Row]:
    with fresh_home() as home:
        for option in ("--version", "--help"):
            times = [timed((option,), home) for _ in range(9)]
            middle = median(times)
            yield Row(f"`ctxtui {option}`", "≤ 0.15 s", f"{middle:.3f} s", middle <= 0.15, {"s": times})


def _systems(_: list[Corpus]) -> Iterator[Row]:
    yield from systems.measure()


def _audit(_: list[Corpus]) -> Iterator[Row]:
    yield from audit.measure()


def _retrieval(corpora: list[Corpus]) -> Iterator[Row]:
    yield from retrieval.measure([corpus.folder for corpus in corpora])


GROUPS: dict[str, Callable[[list[Corpus]], Iterator[Row]]] = {
    "counts": _counts,
    "app": _app,
    "toggle": _toggle,
    "build": _build,
    "start": _start,
    "systems": _systems,
    "audit": _audit,
    "retrieval": _retrieval,
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--files", default="2000,10000", help="sizes of the folders to measure with (default: 2000,10000)"
    )
    parser.add_argument("--corpus", type=Path, help="measure with this folder instead")
    parser.add_argument("--only", default=",".join(GROUPS), help=f"some of {', '.join(GROUPS)}")
    parser.add_argument("--json", type=Path, help="write all that was measured to this file")
    arguments = parser.parse_args()
    unknown = set(arguments.only.split(",")) - set(GROUPS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    return arguments


def main() -> None:
    arguments = _arguments()
    rows = []
    sizes = sorted(map(int, arguments.files.split(",")))
    folders = [arguments.corpus.resolve()] if arguments.corpus else [corpus_of(files) for files in sizes]
    for folder in folders:
        print(f"{folder.name}: {described(folder)}\n", flush=True)
        warm_pages(folder)
    print(head(), flush=True)
    for name in arguments.only.split(","):
        for row in GROUPS[name]([Corpus(folder) for folder in folders]):
            rows.append(row)
            print(row, flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(as_data(rows), ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
