"""What the audit of a fleet takes: by repository, with more workers, in memory, and when workers are killed."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from ctxtui.fleet.results.read import dumped, find_run, repositories
from ctxtui.fleet.results.schema import open_to_read
from tests.bench.fleet_corpus import fleet_of
from tests.bench.processes import PROGRAM, cpu_seconds, family, fresh_home, warm_pages
from tests.bench.table import Limit, Row

SIZE = 300
_LOOK_EVERY = 0.2
_KILL_EVERY = 10.0
# What is imported in the first part of a run does not come again.
_START = 0.1
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Watched:
    """A run of the command: seconds by the clock, of the processors by process, what the first held amid its work."""

    wall: float = 0.0
    cpu_of: dict[int, float] = field(default_factory=dict)
    held: list[int] = field(default_factory=list)
    killed: int = 0
    size: int = 0
    first: int = 0

    @property
    def cpu(self) -> float:
        """With the seconds of processes that were killed."""
        return sum(self.cpu_of.values())

    @property
    def growth(self) -> float:
        """What the command held at most in the second half of the run, as a multiple of the first half."""
        begun = self.held[int(len(self.held) * _START) :]
        middle = len(begun) // 2
        return max(begun[middle:]) / max(begun[:middle])

    @property
    def own(self) -> float:
        """Seconds of the processors that the command used; they limit how many workers are of use."""
        return self.cpu_of.get(self.first, 0.0)

    @property
    def busiest(self) -> float:
        """Seconds of the processors that the busiest process used: no number of processors makes a run shorter."""
        return max(self.cpu_of.values())

    def each(self, count: int) -> str:
        wall, cpu, own = (seconds / count * 1000 for seconds in (self.wall, self.cpu, self.own))
        return f"{wall:.0f} ms by the clock, {cpu:.0f} ms of a processor, {own:.1f} of them for the command"

    @property
    def raw(self) -> dict[str, object]:
        figures = {name: getattr(self, name) for name in ("wall", "cpu", "own", "killed", "held")}
        return {**figures, "bytes": self.size}


def audited(fleet: Path, results: Path, home: Mapping[str, str], workers: int, kill_every: float = 0.0) -> Watched:
    """Audit a fleet into a new file, and kill one of the workers now and then."""
    words = [*PROGRAM, "fleet", str(fleet), "-o", str(results), "--workers", str(workers), "--fresh", "-q"]
    seen = Watched()
    begin = time.perf_counter()
    process = subprocess.Popen(words, env=dict(home), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, ended, seen, kill_every))
    watcher.start()
    try:
        _, told = process.communicate()
    finally:
        ended.set()
        watcher.join()
    seen.wall = time.perf_counter() - begin
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}:\n{told.decode('utf-8', 'replace')}")
    seen.size = results.stat().st_size
    return seen


def _watch(pid: int, ended: threading.Event, seen: Watched, kill_every: float) -> None:
    seen.first, next_kill = pid, time.monotonic() + kill_every
    while not ended.wait(_LOOK_EVERY):
        with suppress(OSError, IndexError, ValueError):
            # What the summary at the end takes is another thing.
            if _workers(pid):
                seen.held.append(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE)
            for each in family(pid):
                with suppress(OSError):
                    seen.cpu_of[each] = cpu_seconds(each)
        if kill_every and time.monotonic() > next_kill:
            next_kill += kill_every
            with suppress(OSError, IndexError):
                os.kill(_workers(pid)[seen.killed % 2], signal.SIGKILL)
                seen.killed += 1


def _workers(pid: int) -> list[int]:
    """The workers of a command, oldest first."""
    child = b"ctxtui.core.disk.workers.child"
    return sorted(each for each in family(pid)[1:] if child in Path(f"/proc/{each}/cmdline").read_bytes())


def _lines(results: Path) -> list[str]:
    """All that a run found, without times."""
    with closing(open_to_read(results)) as connection:
        return list(dumped(connection, find_run(connection)))


def measure(size: int = SIZE) -> Iterator[Row]:
    fleet = fleet_of(size)
    warm_pages(fleet)
    with TemporaryDirectory(prefix="ctxtui-fleet-") as folder:
        one, two, warm, disturbed = (Path(folder, f"{name}.db") for name in ("one", "two", "warm", "disturbed"))
        with fresh_home() as home:
            alone = audited(fleet, one, home, 1)
        about = _about(size, one)
        yield _cost(f"cold, 1 worker ({about})", alone, size)
        with fresh_home() as home:
            both = audited(fleet, two, home, 2)
            yield _cost("cold, 2 workers", both, size)
            yield _cost("warm, 2 workers", audited(fleet, warm, home, 2), size)
        whole = _lines(one)
        is_same = whole == _lines(two) == _lines(warm)
        share, split = alone.wall / both.wall, alone.busiest / both.busiest
        told = (
            f"{share:.2f} × by the clock ({alone.wall:.0f} s, {both.wall:.0f} s; load {os.getloadavg()[0]:.0f});"
            f" {split:.2f} × less for the busiest process ({alone.busiest:.0f} s, {both.busiest:.0f} s of a processor)"
        )
        raw: dict[str, object] = {"one": alone.raw, "two": both.raw}
        yield Row("fleet: two workers against one", "≥ 1.5 ×", told, is_same and share >= 1.5, raw)
        kept = max(both.held) / 1e6
        quantity = "fleet: memory of the command, second half against first"
        yield Limit(1.05, unit="×").row(quantity, both.growth, f"{both.growth:.3f} × (most {kept:.0f} MB)", raw)
        with fresh_home() as home:
            killed = audited(fleet, disturbed, home, 2, _KILL_EVERY)
        is_same = whole == _lines(disturbed)
        results = "the same results" if is_same else "**other results**"
        told = f"{results}, {killed.killed} killed, {killed.cpu / both.cpu:.2f} × the processor time"
        is_ok = is_same and killed.killed > 0
        yield Row("fleet: a worker killed every ten seconds", "the same results", told, is_ok, killed.raw)


def _about(size: int, results: Path) -> str:
    with closing(open_to_read(results)) as connection:
        rows = repositories(connection, find_run(connection).id)
    tokens, read = (sum(getattr(row, name) for row in rows) / size for name in ("tokens", "bytes"))
    return f"{size:,} repositories of {tokens:,.0f} tokens, {read / 1e3:.0f} kB each"


def _cost(name: str, run: Watched, size: int) -> Row:
    told = f"{run.each(size)}, {run.size / size / 1e3:.1f} kB of results"
    return Row(f"fleet: one repository, {name}", "", told, True, run.raw)
