"""What callers hand over: what is meant is taken, everything else is refused at once, by name."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ctxtui import Workspace
from ctxtui.catalog import (
    CachedContextProvider,
    DetectionResult,
    DetectionSignals,
    ExecutionContext,
    MarkdownFileContextProvider,
    run_protocol,
)
from ctxtui.core import ContextError, get_counter
from ctxtui.entries import (
    ContextCategory,
    ContextEntry,
    ContextQuery,
    FileContextProvider,
    InMemoryContextProvider,
    ReferenceCode,
    business_context,
)
from ctxtui.loader import LoaderOptions, has_context, load_context, load_context_file
from ctxtui.retrieval import FilesystemProvider, Retriever
from ctxtui.slices import (
    After,
    Agent,
    AllVisibleProvider,
    Artifact,
    CompositeProvider,
    ContextSlice,
    EngineComponent,
    FallbackProvider,
    FilterConfig,
    FilteredContextProvider,
    InMemoryBoard,
    Labelled,
    LimitedProvider,
    Private,
    Public,
    RedactingProvider,
    Runner,
    TagFilter,
)
from tests.cases import cases
from tests.core.texts import refused

AT = datetime(2026, 2, 26, 10, tzinfo=UTC)
CODE = "CTX-2026-0226-001"
ANY: Any = None


def _entry(**values: Any) -> ContextEntry:
    given = {"entry_id": "a", "content": "x", "category": "Decision", "created_at": AT} | values
    return ContextEntry(**given)


def _artifact(**values: Any) -> Artifact:
    return Artifact(**({"id": "a", "type": "Note", "payload": {}, "produced_by": "me"} | values))


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "catalog root": (lambda: MarkdownFileContextProvider(None), "root should be a path, not None"),
    "catalog max_files": (lambda: MarkdownFileContextProvider(".", max_files="6"), "max_files should be a whole number"),
    "catalog counter": (lambda: MarkdownFileContextProvider(".", counter=len), "the name of one, such as 'o200k_base'"),
    "catalog on_notice": (lambda: MarkdownFileContextProvider(".", on_notice=[]), "on_notice should be a function"),
    "cached inner": (lambda: CachedContextProvider("."), "inner should be a ContextProvider, not '.'"),
    "signals": (lambda: DetectionSignals(imports=None), "imports should be a list of strings, not None"),
    "signals of numbers": (lambda: DetectionSignals(code_patterns=[1]), "code_patterns should be a list of strings, not int 1"),
    "signals as a mapping": (lambda: DetectionSignals(config_files={"a": 1}), "config_files should be a list of strings"),
    "detection": (lambda: DetectionResult(framework=3), "framework should be a string, not int 3"),
    "protocol signals": (lambda: run_protocol(MarkdownFileContextProvider("."), "x", {}), "signals should be DetectionSignals"),
    "execution": (lambda: ExecutionContext().record_context_load("a", "b", None), "content should be a string, not None"),
    "code": (lambda: ReferenceCode(None), "a reference code should be a string"),
    "entry id": (lambda: _entry(entry_id=3), "entry_id should be a string, not int 3"),
    "entry content": (lambda: _entry(content=b"x"), "content should be a string, not bytes"),
    "entry time": (lambda: _entry(created_at="2026-01-01"), "created_at should be a datetime with an offset"),
    "entry category": (lambda: _entry(category=None), "category should be one of CustomerNote"),
    "entry tags": (lambda: _entry(tags=[1]), "tags should be a list of strings, not int 1"),
    "query keywords": (lambda: ContextQuery(keywords=["a"]), "keywords should be a string, not list"),
    "query limit": (lambda: ContextQuery(max_results="5"), "max_results should be a whole number, not '5'"),
    "query limit true": (lambda: ContextQuery(max_results=True), "max_results should be a whole number, not True"),
    "entries directory": (lambda: FileContextProvider(None), "directory should be a path"),
    "loader root": (lambda: LoaderOptions(root_dir=3), "root_dir should be a path, not int 3"),
    "loader budget": (lambda: LoaderOptions(token_budget=1.5), "a number of tokens such as 8000 or '8k'"),
    "loader order": (lambda: LoaderOptions(priority_order=None), "priority_order should be a list of strings"),
    "loader cache": (lambda: LoaderOptions(cache={}), "cache should be a ContextCache or None"),
    "loader counter": (lambda: LoaderOptions(counter=len), "counter should be a TokenCounter or the name of one"),
    "load_context": (lambda: load_context({"root_dir": "."}), "options should be LoaderOptions or the path"),
    "load_context_file": (lambda: load_context_file(None), "path should be a path"),
    "has_context": (lambda: has_context(None), "root_dir should be a path"),
    "after": (lambda: After(3600), "ttl should be a timedelta, such as timedelta"),
    "after then": (lambda: After(timedelta(1), "public"), "then should be a visibility such as Public"),
    "private": (lambda: Private(None), "agents should be a list of strings, not None"),
    "labelled": (lambda: Labelled([1]), "required_labels should be a list of strings, not int 1"),
    "artifact visibility": (lambda: _artifact(visibility="public"), "visibility should be a visibility such as"),
    "artifact visibility class": (lambda: _artifact(visibility=Public), "visibility should be a visibility such as"),
    "artifact type": (lambda: _artifact(type=3), "a type of artifacts should be a name or a class"),
    "artifact producer": (lambda: _artifact(produced_by=None), "produced_by should be a string"),
    "artifact time": (lambda: _artifact(created_at="now"), "created_at should be a datetime"),
    "artifact tags": (lambda: _artifact(tags=None), "tags should be a list of strings"),
    "filter types": (lambda: FilterConfig(types=3), "types should be a list of names or classes"),
    "filter type": (lambda: FilterConfig(types=[3]), "a type of artifacts should be"),
    "filter limit": (lambda: FilterConfig(limit="3"), "limit should be a whole number"),
    "filter since": (lambda: FilterConfig(since="2026-01-01"), "since should be a datetime"),
    "tag filter": (lambda: TagFilter(require=7), "require should be a list of strings"),
    "filtered provider": (lambda: FilteredContextProvider({"types": ["Note"]}), "filters should be a FilterConfig"),
    "composite": (lambda: CompositeProvider([AllVisibleProvider()]), "each argument should be a context provider"),
    "composite class": (lambda: CompositeProvider(AllVisibleProvider), "each argument should be a context provider"),
    "fallback": (lambda: FallbackProvider(AllVisibleProvider(), None), "fallback should be a context provider"),
    "limited": (lambda: LimitedProvider(None, 3), "inner should be a context provider"),
    "redacting": (lambda: RedactingProvider("all"), "inner should be a context provider"),
    "redacting patterns": (lambda: RedactingProvider(AllVisibleProvider(), patterns=[b"a"]), "patterns should be strings"),
    "redacting transform": (lambda: RedactingProvider(AllVisibleProvider(), transform={}), "transform should be a function"),
    "engine": (lambda: EngineComponent("all"), "context_provider should be a context provider"),
    "agent": (lambda: Agent(None), "name should be a string"),
    "runner": (lambda: Runner(None), "board should be a Board, such as InMemoryBoard"),
    "builder engines": (lambda: Runner(InMemoryBoard()).agent("a").with_engines("x"), "each argument should be an EngineComponent"),
    "builder context": (lambda: Runner(InMemoryBoard()).agent("a").with_context(None), "provider should be a context provider"),
    "slice counter": (lambda: ContextSlice([]).to_markdown(3, len), "counter should be a TokenCounter"),
    "retrieval roots": (lambda: FilesystemProvider(allowed_roots=3), "allowed_roots should be a list of folders"),
    "retrieval deadline": (lambda: FilesystemProvider(deadline="2"), "deadline should be a number of seconds"),
    "retriever": (lambda: Retriever([]), "providers should be a mapping"),
    "retriever provider": (lambda: Retriever({"filesystem": None}), "the filesystem provider should be a ContextProvider"),
}  # fmt: skip


@cases("case", REFUSED)
def test_a_wrong_type_is_refused_at_once(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(TypeError) as caught:
        make()
    assert message in str(caught.value)


@cases(
    ("make", "message"),
    [
        (lambda: _entry(category="Decison"), "CustomerNote, MeetingNote, Decision"),
        (lambda: ContextQuery(category="Decison"), "CustomerNote, MeetingNote, Decision"),
        (lambda: ContextQuery(reference_code="CTX-1"), "reference code"),
        (lambda: MarkdownFileContextProvider(".", max_files=-1), "max_files should be 0 or more"),
        (lambda: Retriever({}, fallback_on="timeot"), "timeot"),
        (lambda: Retriever({"disk": InMemoryBoard()}), "'disk'"),  # type: ignore[dict-item]
    ],
)
def test_a_wrong_value_is_refused_at_once(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        make()
    assert message in str(caught.value)


async def test_what_is_meant_is_taken(tmp_path: Path) -> None:
    for category in ("decision", "DECISION", ContextCategory.DECISION):
        entry = _entry(category=category, reference_code=CODE)
        assert (entry.category, entry.reference_code) == (ContextCategory.DECISION, ReferenceCode(CODE))
        assert type(entry.category) is ContextCategory
    provider = InMemoryContextProvider()
    await provider.store(entry)
    for query in (ContextQuery(category="decision"), ContextQuery(reference_code=CODE), ContextQuery(category="")):  # type: ignore[arg-type]
        assert await provider.query(query) == [entry]
    assert DetectionSignals(imports="from fastapi import FastAPI").imports == ("from fastapi import FastAPI",)
    assert DetectionResult(recommended_files="python/a").recommended_files == ("python/a",)  # type: ignore[arg-type]
    options = LoaderOptions(token_budget="8k", priority_order="TASKS", counter="o200k_base")  # type: ignore[arg-type]
    assert (options.token_budget, options.priority_order, options.counter) == (8000, ("TASKS",), get_counter())
    (tmp_path / ".context").mkdir()
    (tmp_path / ".context/TASKS.md").write_text("# Tasks\n\nSome words here.\n")
    assert load_context(tmp_path) == load_context(str(tmp_path)) == load_context(LoaderOptions(tmp_path))
    file = tmp_path / ".context/TASKS.md"
    assert load_context_file(file, counter="o200k_base").token_count == get_counter().count(file.read_text())
    assert ContextSlice([{"id": "a"}]).to_markdown("1k", "heuristic")
    assert FilterConfig(tags="a").tags == TagFilter("a")


async def test_what_is_no_entry_is_an_error_of_the_caller(tmp_path: Path) -> None:
    for provider in (InMemoryContextProvider(), FileContextProvider(tmp_path / "context")):
        for call in (provider.store, provider.query):
            with refused():
                await call(ANY)
    with pytest.raises(TypeError, match="message should be a string"):
        await business_context(InMemoryContextProvider(), ANY)
    with pytest.raises(ContextError, match="not an artifact: None"):
        await InMemoryBoard().publish(ANY)
    assert not (tmp_path / "context").exists()


def test_a_session_refuses_wrong_types(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\n## One\n\nx\n")
    session = Workspace.open(tmp_path).session()
    assert session.pick("a.md", ANY or "One").picks == session.pick("a.md", ["One"]).picks  # type: ignore[arg-type]
    calls: list[Callable[[], object]] = [
        lambda: session.pick(ANY),
        lambda: session.pick("a.md", [1]),  # type: ignore[list-item]
        lambda: session.drop(3),  # type: ignore[arg-type]
        lambda: session.move("a.md", "1"),  # type: ignore[arg-type]
        lambda: session.with_prompt(3),  # type: ignore[arg-type]
        lambda: session.with_budget(1.5),  # type: ignore[arg-type]
        lambda: session.with_budget(tokenizer=ANY),
        lambda: session.with_budget(model=3),  # type: ignore[arg-type]
        lambda: session.with_snippet("a.md", "1", 2),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(TypeError, match="should be"):
            call()
    with pytest.raises(ContextError, match="over cannot be 'crop'"):
        session.with_output(over="crop")  # type: ignore[arg-type]
