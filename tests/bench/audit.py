"""The audit in processes of its own: the command on a folder, and costs over a git history."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from shutil import copytree
from tempfile import TemporaryDirectory

from tests.bench.counts import Corpus
from tests.bench.probes import COMMITS, RECENT
from tests.bench.processes import PROGRAM, fresh_home, middle, probe, warm_pages, whole
from tests.bench.table import Limit, Row

CHANGED = 5


def measure(corpus: Corpus) -> Iterator[Row]:
    """An audit of a folder, cold and warm; a history of 200 commits and recent changes in a copy of it, the same."""
    yield from _audits(corpus)
    with TemporaryDirectory(prefix="ctxtui-audit-") as place:
        folder = Path(copytree(corpus.folder, Path(place, "corpus"), symlinks=True))
        _commit(folder)
        warm_pages(folder)
        yield from _looks_back(folder, len(corpus.listed))


def _audits(corpus: Corpus) -> Iterator[Row]:
    cold, warm = corpus.beside(lambda home: whole((*PROGRAM, "audit", str(corpus.folder)), home), more=2)
    for name, runs, limit in (("cold", cold, Limit(1.2, 0.9)), ("warm", warm, Limit(0.15, 0.08))):
        yield corpus.row(f"`ctxtui audit`, {name}", middle(runs), limit)


def _looks_back(folder: Path, files: int) -> Iterator[Row]:
    for name, what, at_first in (
        ("history", f"history of {COMMITS} commits", Limit(6, unit="s")),
        ("since", f"changes since {RECENT} commits ago", None),
    ):
        with fresh_home() as home:
            cold, *warm = [probe(name, folder, home)[1] for _ in range(4)]
        best, first = min(answer["seconds"] for answer in warm), cold["seconds"]
        if at_first is not None:
            yield at_first.row(f"{what}, {files:,} files, cold", first, f"{first:.2f} s", {})
        quantity, measured = f"{what}, {files:,} files, warm", f"{best:.2f} s (cold {first:.2f} s)"
        yield Limit(2, unit="s").row(quantity, best, measured, {"cold": cold, "warm": warm})


def _commit(folder: Path) -> None:
    """A history made in one go: all files, then some of them a little larger with every commit."""
    random = Random(7)
    found = (file for file in folder.rglob("*.md") if not file.is_symlink())
    files = sorted(file.relative_to(folder).as_posix() for file in found)
    stream = [_change(folder, 0, files)]
    for number in range(1, COMMITS):
        some = {*random.sample(files, CHANGED), *(["AGENTS.md"] if number % 10 == 0 else [])}
        for name in some:
            with (folder / name).open("a", encoding="utf-8") as file:
                file.write(f"\n## Note {number}\n\nWhat commit {number} had to say about it.\n")
        stream.append(_change(folder, number, sorted(some)))
    subprocess.run(["git", "-C", str(folder), "init", "-q", "--initial-branch=main"], check=True)
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=b"".join(stream), check=True)


def _change(folder: Path, number: int, files: list[str]) -> bytes:
    message = f"Commit {number}".encode()
    head = f"commit refs/heads/main\ncommitter Ada <ada@example.org> {1_700_000_000 + 3600 * number} +0000\n"
    parts = [head.encode(), b"data %d\n%s\n" % (len(message), message)]
    for name in files:
        data = (folder / name).read_bytes()
        parts.append(b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data))
    return b"".join(parts)
