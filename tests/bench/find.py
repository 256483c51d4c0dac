"""Finding measured: `python -m tests.bench.find REPOSITORY … [--cases N] [--failures N] [--json FILE]`.

Each repository's fixes are asked for at the state before them (`find_cases.py`). `suggest` and `retrieve` are compared
with BM25 over whole files. Nothing is written into the repositories.
"""

import argparse
import json
import math
import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory

from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.decode import Lines
from ctxtui.retrieval import ContextRetrievalRequest, FilesystemProvider
from ctxtui.session.queries.prompt_search import PromptSearch
from ctxtui.session.session import Session
from ctxtui.session.suggest.suggest import OF_DOCUMENTS, SHARES, Proposal, Ranked, fill
from ctxtui.workspace.listing import listing_of
from ctxtui.workspace.related.tests import is_test
from ctxtui.workspace.workspace import Workspace
from tests.bench.find_cases import Case, Checkout, Function, cases, is_source, rank_of

BUDGETS = (4_000, 12_000, 30_000)
_AT = (1, 5, 10)
_HEADS = "system|file @1|@5|@10|MRR|source @1|@10|MRR|function @1|@5|@10|MRR|test @10".split("|")
# Stamps younger than this are not trusted, in seconds.
_SETTLING = 0.15
_WORD = re.compile(r"[a-z]{2,}|\d+")
_ASKED = 50


@dataclass(frozen=True, slots=True)
class Span:
    """Some lines of a file, from 1, the end included. Without lines, the whole file."""

    path: str
    start: int = 1
    end: int = 10**9

    def holds(self, function: Function, whole: bool = False) -> bool:
        if self.path != function.path:
            return False
        if whole:
            return self.start <= function.start and function.end <= self.end
        return self.start <= function.end and function.start <= self.end


@dataclass(slots=True)
class Found:
    """The places of what a system found for one case, None for not found, and the share within each budget."""

    file: int | None = None
    source: int | None = None
    function: int | None = None
    test: int | None = None
    shares: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system gives: files, best first, parts, best first, its own list of tests, and picks for each budget."""

    files: Sequence[str]
    spans: Sequence[Span] = ()
    tests: Sequence[str] | None = None
    packed: dict[int, list[Span]] = field(default_factory=dict)

    def judged(self, case: Case) -> Found:
        tests = self.tests if self.tests is not None else filter(is_test, self.files)
        wanted = case.functions
        holding = (place for place, span in enumerate(self.spans, 1) if any(span.holds(each) for each in wanted))
        return Found(
            file=rank_of(self.files, case.files),
            source=rank_of(filter(is_source, self.files), case.files),
            function=next(holding, None),
            test=rank_of(tests, case.tests),
            shares={budget: _held(spans, wanted) for budget, spans in self.packed.items() if wanted},
        )


def _held(spans: Sequence[Span], wanted: Sequence[Function]) -> float:
    return mean(any(span.holds(each, whole=True) for span in spans) for each in wanted)


def suggested(session: Session, case: Case, prompter: PromptSearch) -> Answer:
    ranked = Ranked.of(session, case.task, partial(prompter.weigh, session.workspace))
    rows = list(ranked.rows())
    code = sorted((row for row in rows if row.group == "code"), key=lambda row: -row.score)
    shares = OF_DOCUMENTS if ranked.files.is_of_documents else SHARES
    packed = {budget: _spans(session, fill(session, rows, budget, shares)) for budget in BUDGETS}
    main, tests = ([file.path for file in files] for files in (ranked.files.main, ranked.files.tests))
    return Answer(main, _spans(session, code), tests, packed)


def _spans(session: Session, rows: Iterable[Proposal]) -> list[Span]:
    return [span for row in rows if (span := _span(session.workspace, row.id)) is not None]


def _span(workspace: Workspace, id_: str) -> Span | None:
    target = workspace.target(id_)
    reference = workspace.require(target.document)
    if target.lines:
        return Span(reference.path, *target.lines)
    if not target.section:
        return Span(reference.path)
    document = workspace.document(reference)
    if (place := document.position(target.section)) is None:
        return None
    part, lines = document.parts[place], Lines.of(document.text)
    return Span(reference.path, lines.at(part.start) + 1, lines.at(max(part.start, part.end - 1)) + 1)


def retrieved(workspace: Workspace, case: Case, provider: FilesystemProvider) -> Answer:
    request = ContextRetrievalRequest(case.task, "bench", "bench", str(workspace.root), "filesystem", _ASKED)
    snippets = provider.search(request).snippets
    spans = [Span(each.path, *map(int, re.findall(r"L(\d+)", each.id.rpartition("#")[2]))) for each in snippets]
    return Answer(list(dict.fromkeys(each.path for each in snippets)), spans)


def by_bm25(workspace: Workspace, case: Case) -> Answer:
    """BM25 over whole files, without any structure, and whole files packed in this order."""
    texts = ((each.path, workspace.text(each.path)) for each in workspace.references if each.large is None)
    held = {path: Counter(_WORD.findall(text.lower())) for path, text in texts if text}
    average = mean(words.total() for words in held.values()) if held else 1.0
    counts = {word: sum(word in words for words in held.values()) for word in set(_WORD.findall(case.task.lower()))}

    def score(path: str) -> float:
        words = held[path]
        length = 1.2 * (0.25 + 0.75 * words.total() / average)
        return sum(
            math.log(1 + (len(held) - count + 0.5) / (count + 0.5)) * words[word] * 2.2 / (words[word] + length)
            for word, count in counts.items()
        )

    files = [path for worth, path in sorted((-score(path), path) for path in held) if worth]
    return Answer(files, packed={budget: list(_packed(workspace, files, budget)) for budget in BUDGETS})


def _packed(workspace: Workspace, files: Sequence[str], budget: int) -> Iterator[Span]:
    counter = workspace.session().budget.counter
    for path in files[:200]:
        tokens = workspace.tokens(workspace.by_path[path], counter)
        if tokens <= budget:
            budget -= tokens
            yield Span(path)


@dataclass(frozen=True, slots=True)
class Asked:
    """One case, what each system found, and the beginning of what `suggest` gave."""

    repository: str
    case: Case
    found: dict[str, Found]
    first: tuple[str, ...]


def ask(name: str, checkout: Checkout, case: Case) -> Asked | None:
    """Ask all systems for one case. None if the state cannot be read, as in a clone without its largest files."""
    try:
        checkout.move(case.parent)
        time.sleep(_SETTLING)
        workspace = Workspace.open(checkout.folder, on_notice=lambda _: None)
    except (ContextError, CalledProcessError):
        return None
    engine = FilesystemProvider(on_notice=lambda _: None, listing=listing_of(workspace.root, workspace.scope))
    with closing(PromptSearch({})) as prompter, closing(engine) as provider:
        answers = {
            "suggest": suggested(workspace.session(BUDGETS[1]), case, prompter),
            "retrieve": retrieved(workspace, case, provider),
            "BM25 over files": by_bm25(workspace, case),
        }
    found = {system: answer.judged(case) for system, answer in answers.items()}
    best = answers["suggest"]
    return Asked(name, case, found, (*best.files[:3], *(f"{each.path}:{each.start}" for each in best.spans[:3])))


def table(asked: Sequence[Asked]) -> Iterator[str]:
    yield f"| {' | '.join(_HEADS)} | {' | '.join(f'in {budget // 1000}k' for budget in BUDGETS)} |"
    yield f"|{'---|' * (len(_HEADS) + len(BUDGETS))}"
    for system in asked[0].found if asked else ():
        rows = [each.found[system] for each in asked]
        coded = [each.found[system] for each in asked if each.case.functions]
        has_parts = any(row.function for row in coded)
        cells = [_hits([row.file for row in rows], _AT), _hits([row.source for row in rows], (1, 10))]
        cells.append(_hits([row.function for row in coded], _AT) if has_parts else ["–"] * 4)
        cells.append([f"{mean(_within(row.test, 10) for row in rows):.2f}"])
        cells.append([_share(coded, budget) for budget in BUDGETS])
        yield f"| {system} | {' | '.join(cell for each in cells for cell in each)} |"


def _hits(places: Sequence[int | None], at: Sequence[int]) -> list[str]:
    hits = [f"{mean(_within(place, most) for place in places):.2f}" for most in at]
    return [*hits, f"{mean(1 / place if place else 0.0 for place in places):.2f}"]


def _within(place: int | None, most: int) -> bool:
    return place is not None and place <= most


def _share(rows: Sequence[Found], budget: int) -> str:
    shares = [row.shares[budget] for row in rows if budget in row.shares]
    return f"{mean(shares):.2f}" if shares else "–"


def failures(asked: Sequence[Asked], most: int) -> Iterator[str]:
    worst = sorted(asked, key=lambda each: -(each.found["suggest"].source or 10**6))
    for each in worst[:most]:
        subject, place = each.case.task.splitlines()[0][:100], each.found["suggest"].source or "not found"
        wanted = f"{each.repository} {each.case.parent[:8]}: “{subject}” wants {each.case.files[0]} ({place})"
        yield f"- {wanted}; first: {', '.join(each.first)}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.find", description=__doc__)
    told = "a local clone with its history"
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY", help=told)
    parser.add_argument("--cases", type=int, default=14, help="cases for each repository (default: 14)")
    parser.add_argument("--failures", type=int, default=0, help="also print the worst cases")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what each system found")
    given = parser.parse_args()
    asked: list[Asked] = []
    with TemporaryDirectory(prefix="ctxtui-find-") as place:
        os.environ["XDG_CACHE_HOME"] = f"{place}/cache"
        for number, source in enumerate(given.repositories):
            name = source.parent.name if source.name in ("repo", ".git") else source.name
            checkout = Checkout(source.resolve(), Path(place, str(number)))
            own = [found for case in cases(checkout.folder, given.cases) if (found := ask(name, checkout, case))]
            asked += own
            print(f"\n{name}: {len(own)} cases", *table(own), sep="\n", flush=True)
    print(f"\nall: {len(asked)} cases", *table(asked), *failures(asked, given.failures), sep="\n")
    if given.json:
        given.json.write_text(json.dumps(list(map(asdict, asked)), indent=1), "utf-8")


if __name__ == "__main__":
    main()
