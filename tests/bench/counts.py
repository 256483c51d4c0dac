"""Counting, listing and exporting everything, in whole processes, against one thread of plain tiktoken."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.bench.probes import Answer
from tests.bench.processes import PROGRAM, Run, cold_and_warm, fresh_home, middle, probe, whole
from tests.bench.table import Limit, Row

SAMPLE = Path(__file__).parents[2] / "sample_context"
_SMALL = 5_000  # files; what is larger has other limits
_LARGE = 20_000
_TIMES = 3
# Of few and of many files.
_COUNTED = (Limit(0.6, 0.45), Limit(0.45, 0.3))


@dataclass(frozen=True)
class Corpus:
    folder: Path
    # The runs of REF among those that are compared with it now.
    _near: list[Run] = field(default_factory=list, repr=False, compare=False)

    @cached_property
    def listed(self) -> list[tuple[str, str]]:
        """The id and the file of every document that is counted."""
        with fresh_home() as home:
            _, rows = probe("listing", self.folder, home)
        return [(id_, file) for row in rows for id_, _, file in [row.partition("\0")]]

    @cached_property
    def measured(self) -> tuple[Run, Answer]:
        found = [self._refer() for _ in range(self.times)]
        return middle([run for run, _ in found]), found[0][1]

    @property
    def reference(self) -> Run:
        """REF for this folder: a whole process that starts Python, builds the encoder, reads and encodes.

        Among the runs of `beside`, it is the one in the middle of theirs.
        """
        return middle(self._near) if self._near else self.measured[0]

    def beside(self, run: Callable[[Mapping[str, str]], Run], more: int = 1) -> tuple[list[Run], list[Run]]:
        """Cold and warm runs, each after one of REF: the speed of a machine changes from one minute to the next."""
        self._near.clear()
        pairs = [(self._refer()[0], *cold_and_warm(run, 1, more)) for _ in range(self.times)]
        self._near.extend(reference for reference, _, _ in pairs)
        return [each for _, cold, _ in pairs for each in cold], [each for _, _, warm in pairs for each in warm]

    def _refer(self) -> tuple[Run, Answer]:
        with TemporaryDirectory() as place, fresh_home() as home:
            files = Path(place, "files.txt")
            files.write_text("".join(f"{file}\n" for _, file in self.listed), "utf-8")
            return probe("reference", files, home)

    @property
    def counted(self) -> Answer:
        return self.measured[1]

    @property
    def times(self) -> int:
        """How often to repeat what takes as long as REF."""
        return 1 if self.is_large else _TIMES

    @property
    def is_small(self) -> bool:
        return len(self.listed) < _SMALL

    @property
    def is_large(self) -> bool:
        return len(self.listed) > _LARGE

    @property
    def size(self) -> str:
        return f"{self.counted['files']:,.0f} files, {self.counted['bytes'] / 1e6:.0f} MB"

    def shown(self, run: Run) -> str:
        """A run as a ratio of REF and in its own units."""
        wall, cpu = run.wall / self.reference.wall, run.cpu / self.reference.cpu
        return f"{wall:.2f} × REF ({run}; processor {cpu:.2f} × REF's)"

    def row(self, quantity: str, run: Run, limit: Limit | None, is_right: bool = True) -> Row:
        quantity, measured = f"{quantity}, {self.size}", self.shown(run)
        if limit is None:
            return Row(quantity, "", measured, True, run.raw)
        return limit.row(quantity, run.wall / self.reference.wall, measured, run.raw, is_right)


def counts(corpora: Sequence[Corpus]) -> Iterator[Row]:
    """REF itself, and all counts in a process that has the library only."""
    for corpus in corpora:
        run, speed = corpus.reference, corpus.counted["bytes"] / 1e6 / corpus.reference.wall
        yield Row(f"REF, {corpus.size}", "", f"{run}; {speed:.1f} MB/s", True, run.raw)
        answers: dict[Run, Answer] = {}

        def count(home: Mapping[str, str], corpus: Corpus = corpus, answers: dict[Run, Answer] = answers) -> Run:
            run, answer = probe("count", corpus.folder, home)
            answers[run] = answer
            return run

        cold, warm = (middle(runs) for runs in corpus.beside(count))
        limit = _COUNTED[0 if corpus.is_small else 1]
        for name, each, wanted in (("cold", cold, limit), ("warm", warm, None)):
            answer = answers[each]
            is_exact = answer["unknown"] == 0 and answer["tokens"] == corpus.counted["tokens"]
            row = corpus.row(f"all counts, {name}", each, wanted, is_exact)
            yield row if is_exact else Row(row.quantity, row.reach, "the counts differ from REF", False, row.raw)
            parts = ", ".join(f"{part} {answer[part]:.2f} s" for part in ("importing", "opening", "counting"))
            yield Row(f"– its parts, {name}", "", parts, True, dict(answer))


def listings(corpora: Sequence[Corpus]) -> Iterator[Row]:
    """The command `ls`, cold and warm, and what a warm one takes longer than on the sample right before it."""
    with fresh_home() as home:
        _listed(SAMPLE, home)
        samples = [_listed(SAMPLE, home) for _ in range(9)]
        sample = middle(samples)
        yield Limit(0.20, 0.12, "s").row("`ls sample_context`, warm", sample.wall, str(sample), sample.raw)
        for corpus in corpora:
            cold, warm = corpus.beside(partial(_listed, corpus.folder), more=2)
            yield corpus.row("`ls`, cold", middle(cold), None)
            run = middle(warm)
            if corpus.is_large:
                yield Limit(4, 2, "s").row(f"`ls`, warm, {corpus.size}", run.wall, corpus.shown(run), run.raw)
            else:
                yield corpus.row("`ls`, warm", run, None)
                yield _longer(corpus, home)


def _longer(corpus: Corpus, sample_home: Mapping[str, str]) -> Row:
    with fresh_home() as home:
        _listed(corpus.folder, home)
        pairs = [(_listed(SAMPLE, sample_home), _listed(corpus.folder, home)) for _ in range(5)]
    wall, cpu = (median(getattr(run, key) - getattr(sample, key) for sample, run in pairs) for key in ("wall", "cpu"))
    limit = Limit(0.10, 0.05, "s") if corpus.is_small else Limit(0.35, 0.2, "s")
    quantity = f"`ls`, warm, longer than the sample, {corpus.size}"
    return limit.row(quantity, wall, f"{wall:.2f} s (processor {cpu:.2f} s)", {"wall": wall, "cpu": cpu})


def _listed(folder: Path, home: Mapping[str, str]) -> Run:
    return whole((*PROGRAM, "-C", str(folder), "ls"), home)


def grown(corpus: Corpus) -> Row:
    """The command `ls` on a folder of one of several sizes, cold and warm."""
    cold, warm = map(middle, cold_and_warm(partial(_listed, corpus.folder), corpus.times, 2))
    raw: dict[str, object] = {"cold": cold.raw, "warm": warm.raw}
    return Row(f"growth: `ls`, {len(corpus.listed):,} files", "", f"cold {cold}; warm {warm}", True, raw)


def builds(corpora: Sequence[Corpus]) -> Iterator[Row]:
    for corpus in corpora:
        ids = "\n".join(id_ for id_, _ in corpus.listed).encode()
        with TemporaryDirectory() as place:
            output = Path(place, "payload.md")
            command = (*PROGRAM, "-C", str(corpus.folder), "build", "--pick", "-", "-o", str(output))
            cold, warm = corpus.beside(lambda home: whole(command, home, ids))  # noqa: B023
            is_whole = output.stat().st_size > 0.85 * corpus.counted["bytes"]
        for name, runs, limit in (("cold", cold, Limit(1.0, 0.7)), ("warm", warm, Limit(0.25, 0.15))):
            yield corpus.row(f"`build` of everything, {name}", middle(runs), limit, is_whole)
        if not corpus.is_small:
            peak = max(run.peak for run in [*cold, *warm]) / 1e6
            quantity = f"`build` of everything, peak memory, {corpus.size}"
            yield Limit(400, 300, "MB").row(quantity, peak, f"{peak:,.0f} MB", {"mb": peak})
