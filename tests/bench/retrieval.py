"""Retrieval measured: how fast a folder is indexed and asked, and how good the answers to judged prompts are."""

import math
import os
import re
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from shutil import copytree
from statistics import mean
from tempfile import TemporaryDirectory
from unittest.mock import patch

from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import Document
from ctxtui.retrieval import ContextRetrievalRequest, FilesystemProvider, SearchResult
from tests.bench.probes import Answer, percentile
from tests.bench.processes import fresh_home
from tests.bench.real import CORPORA
from tests.bench.table import Limit, Row

JUDGED = Path(__file__).parent / "judged" / "sections.toml"
_BEST, _GOOD, _AT = 3.0, 1.0, 5
# So old must files be for their times to be trusted, in seconds.
_SETTLING = 0.15
_SMALL = 3_000  # files
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Judged:
    """A prompt, the root it is asked for, and what sections are worth; a section is its path and heading."""

    root: str
    text: str
    gains: dict[tuple[str, str], float] = field(default_factory=dict)


def judged() -> list[Judged]:
    rows = tomllib.loads(JUDGED.read_text("utf-8"))["prompt"]
    return [Judged(row["root"], row["text"], _gains(row)) for row in rows]


def _gains(row: dict[str, list[str]]) -> dict[tuple[str, str], float]:
    worth = {**dict.fromkeys(row.get("good", ()), _GOOD), **dict.fromkeys(row["best"], _BEST)}
    return {(path, heading): gain for section, gain in worth.items() for path, _, heading in [section.partition("#")]}


def ndcg(prompt: Judged, found: Iterable[tuple[str, str]]) -> float:
    """Normalized discounted cumulative gain of the first five sections; a second hit in one section is worth nothing."""
    left = dict(prompt.gains)
    gains = [left.pop(section, 0.0) for section in list(found)[:_AT]]
    ideal = sorted(prompt.gains.values(), reverse=True)[:_AT]
    return _discounted(gains) / _discounted(ideal)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(position + 2) for position, gain in enumerate(gains))


def ask(provider: FilesystemProvider, root: Path, text: str, limit: int = _AT) -> SearchResult:
    return provider.search(ContextRetrievalRequest(text, "bench", "bench", str(root), "filesystem", limit))


def found_sections(provider: FilesystemProvider, root: Path, text: str) -> list[tuple[str, str]]:
    snippets = ask(provider, root, text).snippets
    return [(snippet.path, snippet.source.rpartition(" / ")[2]) for snippet in snippets]


@cache
def sections(root: Path) -> list[tuple[str, str, Counter[str]]]:
    """Every section of a folder: its path, its heading, and how often each word stands in its own text."""
    found = []
    for file in sorted(root.rglob("*.md")):
        document = Document(file.relative_to(root).as_posix(), file.read_text("utf-8"), Stamp(0, 0, 0))
        for part in document.parts:
            words = Counter(word.lower() for word in _WORD.findall(document.own_text(part)))
            found.append((document.path, part.name, words))
    return found


def counted_sections(root: Path, text: str) -> list[tuple[str, str]]:
    """What plain counting of the prompt's words in every section gives, best first."""
    wanted = {word.lower() for word in _WORD.findall(text)}
    counts = [(sum(words[word] for word in wanted), path, name) for path, name, words in sections(root)]
    return [(path, name) for _, path, name in sorted(counts, key=lambda row: (-row[0], row[1]))[:_AT]]


@contextmanager
def _own_cache() -> Iterator[None]:
    """A new cache folder, so that nothing is known beforehand."""
    with fresh_home() as home, patch.dict(os.environ, XDG_CACHE_HOME=home["XDG_CACHE_HOME"]):
        yield


def _provider() -> closing[FilesystemProvider]:
    return closing(FilesystemProvider(on_notice=lambda _: None))


def quality() -> tuple[float, float, list[tuple[float, Judged, list[tuple[str, str]]]]]:
    """The mean nDCG@5 of the search and of plain counting, and what was found for each prompt."""
    found = []
    with _own_cache(), _provider() as provider:
        for prompt in judged():
            answers = found_sections(provider, CORPORA / prompt.root, prompt.text)
            found.append((ndcg(prompt, answers), prompt, answers))
    plain = mean(ndcg(prompt, counted_sections(CORPORA / prompt.root, prompt.text)) for prompt in judged())
    return mean(score for score, _, _ in found), plain, found


def _markdown(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*.md") if file.is_file() and not file.is_symlink())


def prompts(folder: Path, count: int = 200, seed: int = 11) -> list[str]:
    """Prompts of one to eight words that stand together in some file of a folder."""
    random = Random(seed)
    files = _markdown(folder)
    made: list[str] = []
    while len(made) < count:
        words = re.findall(r"[^\W\d_]{4,}", random.choice(files).read_text("utf-8", "replace"))
        if not words:
            continue
        start = random.randrange(max(1, len(words) - 8))
        made.append(" ".join(words[start : start + random.randint(1, 8)]))
    return made


def speed(folder: Path) -> Answer:
    """Seconds of the first index, of queries (p50, p95), of a query from a new start, and after ten files changed."""
    asked, answer = prompts(folder), {}
    with _own_cache():
        with _provider() as first:
            answer["first"], answer["first_cpu"] = _timed(first, folder, "zebra")
        with _provider() as provider:
            answer["start"], _ = _timed(provider, folder, asked[0])
            times = sorted(_timed(provider, folder, text) for text in asked)
            updates = sorted(_update(provider, folder, number) for number in range(5))
    answer["p50"], answer["p95"] = (percentile([seconds for seconds, _ in times], share) for share in (0.5, 0.95))
    answer["p95_cpu"] = percentile([cpu for _, cpu in times], 0.95)
    answer["update"], answer["update_cpu"] = updates[len(updates) // 2]
    return answer


def _timed(provider: FilesystemProvider, folder: Path, text: str) -> tuple[float, float]:
    start, cpu = time.perf_counter(), time.process_time()
    ask(provider, folder, text)
    return time.perf_counter() - start, time.process_time() - cpu


def _update(provider: FilesystemProvider, folder: Path, number: int) -> tuple[float, float]:
    """The time of a query right after ten files changed; they are put back afterwards, and grow old enough."""
    files = Random(number).sample(_markdown(folder), 10)
    before = [file.read_bytes() for file in files]
    for file, data in zip(files, before, strict=True):
        file.write_bytes(data + f"\nchanged zebra{number}\n".encode())
    try:
        return _timed(provider, folder, f"zebra{number}")
    finally:
        for file, data in zip(files, before, strict=True):
            file.write_bytes(data)
        time.sleep(_SETTLING)
        ask(provider, folder, "zebra")


def measure(folders: Sequence[Path]) -> Iterator[Row]:
    """The rows of the benchmark: speed for each folder, smallest first, and quality where the corpora are."""
    for folder in folders:
        with TemporaryDirectory(prefix="ctxtui-retrieval-") as place:
            copy = Path(copytree(folder, Path(place, "corpus"), symlinks=True))
            time.sleep(_SETTLING)
            yield from _speeds(copy)
    if CORPORA.is_dir():
        ours, plain, _ = quality()
        measured, raw = f"{ours:.2f}, counting words {plain:.2f}", {"ours": ours, "plain": plain}
        yield Row("retrieval, nDCG@5 over judged prompts", "≥ 0.75", measured, ours >= 0.75, {**raw})


def _speeds(folder: Path) -> Iterator[Row]:
    answer, count = speed(folder), len(_markdown(folder))
    for what, key, limit in (
        ("first index", "first", Limit(2, 1.2, "s") if count <= _SMALL else None),
        ("query p95", "p95", Limit(50, 30, "ms")),
        ("query after ten files changed", "update", Limit(100, unit="ms")),
    ):
        seconds, cpu = answer[key], answer[f"{key}_cpu"]
        shown = f"{seconds * 1000:,.0f} ms (processor {cpu * 1000:,.0f})"
        quantity = f"retrieval, {count:,} Markdown files: {what}"
        if limit is None:
            yield Row(quantity, "", shown, True, dict(answer))
        else:
            yield limit.row(quantity, seconds * (1 if limit.unit == "s" else 1000), shown, dict(answer))
