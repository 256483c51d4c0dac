"""Doors of the systems: `.context`, catalogs, entries, provider trees, retrieval."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from ctxtui import ContextError
from ctxtui.catalog import (
    CachedContextProvider,
    DetectionSignals,
    MarkdownFileContextProvider,
    collect_signals,
    run_protocol,
)
from ctxtui.catalog.source import find_catalogs
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.entries import (
    ContextCategory,
    ContextEntry,
    ContextQuery,
    FileContextProvider,
    InMemoryContextProvider,
    ReferenceCode,
)
from ctxtui.loader import LoaderOptions, has_context, load_context
from ctxtui.retrieval import ContextRetrievalRequest, FilesystemProvider
from ctxtui.slices import Artifact, ContextProvider, InMemoryBoard, build_provider, run_slice
from tests.fuzz.door import Check
from tests.fuzz.pieces import WORDS
from tests.fuzz.projects import Files, write


def dice(files: Files) -> Random:
    """A random source that depends on the names of a project's files alone."""
    return Random(repr(sorted(files)))


def load(files: Files, check: Check) -> None:
    """`load_context`: within max(budget, floor), exactly counted, the constitution whole, at every budget."""
    place = write(check.folder, files)
    if not has_context(place):
        return
    for counter in (None, get_counter()):
        count = counter.count if counter else lambda text: -(-len(text) // 4)
        options = LoaderOptions(place, token_budget=0, counter=counter, on_notice=check.notices.append)
        floor = load_context(options).token_count
        for budget in (0, floor + 40, 400, 8_000):
            loaded = load_context(replace(options, token_budget=budget))
            check(loaded.token_count == count(loaded.summary), "the count is the summary's", budget)
            check(loaded.token_count <= max(budget, floor), "the summary is within its budget", budget)
            for file in loaded.files:
                is_whole = file.name != "CONSTITUTION" or not file.content.strip() or file.content in loaded.summary
                check(is_whole, "the constitution is whole", budget)


_Provider = MarkdownFileContextProvider | CachedContextProvider


def browse(files: Files, check: Check) -> None:
    """The eleven methods and the protocol: whatever the files say, a result."""
    place = write(check.folder, files)
    signals = collect_signals(place)
    for root in find_catalogs(place)[:2]:
        plain = MarkdownFileContextProvider(place / root, on_notice=check.notices.append)
        _methods(CachedContextProvider(plain) if len(files) % 2 else plain, signals, check)


def _methods(provider: _Provider, signals: DetectionSignals, check: Check) -> None:
    provider.get_loading_protocol()
    rows = provider.get_catalog()
    domains = sorted({row.domain for row in rows} | {"python", "none", ".."})[:5]
    for domain in domains:
        index = provider.get_domain_index(domain)
        always = provider.get_always_load_files(domain)
        check(all(file.metadata.get("type") != "index" for file in always), "an index is never always loaded")
        provider.get_conditional_context(domain, provider.detect_project_type(domain, signals))
        provider.get_cross_domain_context(domain, ["sql_queries", "auth code", "08", ""])
        result = run_protocol(provider, domain, signals, ["auth_code"])
        check(len(result.steps) == 5, "the protocol has five steps")
        for name in [*(file.path for file in index.files), "api", "../x", ""][:4]:
            reference = provider.get_reference(domain, name)
            if reference is not None:
                whole = provider.materialize(reference)
                check(whole.estimated_tokens == get_counter().count(whole.content), "a file's tokens are counted")
                names = [section.name for section in reference.sections]
                part = provider.materialize_sections(reference, [*names, "none"])
                check(part.total_tokens >= 0, "sections are counted")
    for query in ("refund", WORDS[3], "", "(a+)+$"):
        found = provider.search(query)
        check(all(0 <= each.relevance <= 1 for each in found), "relevance lies within 0..1")
        check(found == sorted(found, key=lambda each: -each.relevance), "the best comes first")


def keep_entries(text: str, check: Check) -> None:
    """An entry that is stored is found, equal to what was stored, in a folder and in memory."""
    data = json.loads(text)
    made = datetime.fromisoformat(data["created"])
    code = ReferenceCode(data["code"]) if data["code"] else None
    entry = ContextEntry(data["id"], data["content"], ContextCategory.DECISION, made, tuple(data["tags"]), code)
    asyncio.run(_round_trip(entry, check.folder, check))


async def _round_trip(entry: ContextEntry, folder: Path, check: Check) -> None:
    for provider in (FileContextProvider(folder, check.notices.append), InMemoryContextProvider()):
        try:
            await provider.store(entry)
        except ContextError:
            continue
        (found,) = await provider.query(ContextQuery())
        check(found == entry, "an entry is found as it was stored", found)
        fields = ContextQuery(category=entry.category, tags=entry.tags or None, reference_code=entry.reference_code)
        (again,) = await provider.query(fields)
        check(again == entry, "an entry is found by its fields")
        check(await provider.query(ContextQuery(max_results=0)) == [], "none are wanted, none are given")


def declare(text: str, check: Check) -> None:
    """A provider tree is refused with its place, or gives a slice of what the board shows."""
    try:
        provider = build_provider(json.loads(text), "recipe.yaml")
    except ContextError as error:
        check(str(error).startswith("recipe.yaml"), "a refusal names its place", error)
        return
    asyncio.run(_give(provider, check))


async def _give(provider: ContextProvider, check: Check) -> None:
    board = InMemoryBoard()
    made = datetime(2026, 1, 31, tzinfo=UTC)
    for number in range(3):
        artifact = Artifact(f"a{number}", "Decision", {"text": "alpha security"}, "writer", ("a",), "c", made)
        await board.publish(artifact)
    found = await run_slice(provider, board, correlation_id="c", on_notice=check.notices.append)
    check({item.get("id") for item in found.items} <= {"a0", "a1", "a2"}, "items stand for artifacts of the board")
    check(isinstance(found.to_markdown(50), str), "a slice can be shown")


def retrieve(files: Files, check: Check) -> None:
    """Snippets: within the contract's bounds, of files of the project, best first."""
    place = write(check.folder, files)
    random = dice(files)
    provider = FilesystemProvider([place], on_notice=check.notices.append)
    try:
        for prompt in ("refund security", " ".join(random.choices(WORDS, k=3)), "\x00 \ud800 *", ""):
            limit = random.choice((None, 1, 60))
            request = ContextRetrievalRequest(prompt, "space", "run", str(place), "filesystem", limit)
            _snippets(provider, request, place, check)
    finally:
        provider.close()


def _snippets(provider: FilesystemProvider, request: ContextRetrievalRequest, place: Path, check: Check) -> None:
    try:
        found = asyncio.run(provider.retrieve(request))
    except ContextError as error:
        check(error.category != "internal", "retrieval does not fail inside", error)
        return
    check(len(found) <= min(request.limit or 5, 50), "the limit holds")
    scores = [each.score for each in found]
    check(scores == sorted(scores, reverse=True), "the best comes first")
    for each in found:
        check(0 <= each.score <= 1 and len(each.content) <= 1_200, "a snippet keeps its bounds")
        real = (place / each.path).resolve()
        is_inside = real.is_relative_to(place.resolve()) and real.is_file()
        check(is_inside, "a snippet's file lies in the project", each.path)
