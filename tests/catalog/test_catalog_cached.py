"""The cache: three tiers, notices told again, versions, invalidation, and the execution context."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ctxtui import Notice
from ctxtui.catalog import (
    CachedContextProvider,
    ContextCatalogEntry,
    ContextFile,
    ContextProvider,
    ContextReference,
    DetectionResult,
    DetectionSignals,
    DomainIndex,
    ExecutionContext,
    LoadingProtocol,
    MarkdownFileContextProvider,
    PartialContextFile,
    SearchResult,
    SectionContent,
    run_protocol,
)
from ctxtui.core.disk.root import Root
from tests.cases import cases
from tests.catalog.conftest import Doc, Made, Make

REFERENCE = ContextReference("x/a", "x", "A", "pattern", 1, "always", (), (), (), (), "x/a.md")
FILE = ContextFile("x/a", "A", "text", 1, {})


class Plain:
    """A provider with the eleven methods and nothing else, which counts its calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def get_catalog(self, domain: str | None = None) -> list[ContextCatalogEntry]:
        self.calls.append("catalog")
        return [ContextCatalogEntry("x/a", "x", "A", "pattern", 1, "always", "x/a.md", ())]

    def get_domain_index(self, domain: str) -> DomainIndex:
        self.calls.append("index")
        return DomainIndex(domain, (), (), ()) if domain != "x" else DomainIndex("x", ("file",))  # type: ignore[arg-type]

    def get_loading_protocol(self) -> LoadingProtocol:
        self.calls.append("protocol")
        return LoadingProtocol((), 4, ())

    def get_always_load_files(self, domain: str) -> list[ContextFile]:
        self.calls.append("always")
        return [FILE]

    def detect_project_type(self, domain: str, signals: DetectionSignals) -> DetectionResult:
        self.calls.append("detect")
        return DetectionResult("f", recommended_files=("x/b",))

    def get_conditional_context(self, domain: str, detection: DetectionResult) -> list[ContextFile]:
        self.calls.append("conditional")
        return [replace(FILE, id=id_) for id_ in detection.recommended_files]

    def get_cross_domain_context(self, domain: str, triggers: Sequence[str]) -> list[ContextFile]:
        self.calls.append("cross")
        return [replace(FILE, id="y/c")]

    def get_reference(self, domain: str, file: str) -> ContextReference | None:
        self.calls.append("reference")
        return REFERENCE if file == "a" else None

    def materialize(self, reference: ContextReference) -> ContextFile:
        self.calls.append("materialize")
        return FILE

    def materialize_sections(self, reference: ContextReference, sections: Sequence[str]) -> PartialContextFile:
        self.calls.append("sections")
        return PartialContextFile("x/a", "A", tuple(SectionContent(name, name) for name in sections), 1, {})

    def search(self, query: str, domain: str | None = None) -> list[SearchResult]:
        self.calls.append("search")
        return []


ONCE: list[tuple[str, Callable[[ContextProvider], Any]]] = [
    ("catalog", lambda provider: provider.get_catalog()),
    ("catalog", lambda provider: provider.get_catalog("x")),
    ("index", lambda provider: provider.get_domain_index("x")),
    ("protocol", lambda provider: provider.get_loading_protocol()),
    ("always", lambda provider: provider.get_always_load_files("x")),
    (
        "conditional",
        lambda provider: provider.get_conditional_context("x", DetectionResult("f", (), "", "", ("x/b",))),
    ),
    ("cross", lambda provider: provider.get_cross_domain_context("x", ["t"])),
    ("reference", lambda provider: provider.get_reference("x", "a")),
    ("materialize", lambda provider: provider.materialize(REFERENCE)),
    ("sections", lambda provider: provider.materialize_sections(REFERENCE, ["a, b"])),
]


@pytest.fixture
def inner() -> Plain:
    return Plain()


@cases(("name", "call"), ONCE)
def test_each_answer_is_asked_for_once(name: str, call: Callable[[ContextProvider], Any]) -> None:
    inner = Plain()
    cached = CachedContextProvider(inner)
    assert call(cached) == call(cached) == call(Plain())
    assert inner.calls == [name]
    assert (cached.stats.hits >= 1, cached.stats.misses >= 1) == (True, True)


def test_search_and_detection_are_never_cached(inner: Plain) -> None:
    cached = CachedContextProvider(inner)
    for _ in range(2):
        cached.search("q")
        cached.detect_project_type("x", DetectionSignals())
    assert inner.calls == ["search", "detect"] * 2


def test_loaded_files_need_no_second_reading_and_unknown_ones_are_asked_for_again(inner: Plain) -> None:
    cached = CachedContextProvider(inner)
    cached.get_always_load_files("x")
    assert cached.materialize(REFERENCE) == FILE
    assert inner.calls == ["always"]
    assert cached.get_reference("x", "b") is cached.get_reference("x", "b") is None
    assert inner.calls[1:] == ["reference", "reference"]


def test_one_trigger_and_its_letters_are_told_apart(inner: Plain) -> None:
    cached = CachedContextProvider(inner)
    for triggers in ("ab", ["a", "b"], ["ab"]):
        cached.get_cross_domain_context("x", triggers)
    assert inner.calls == ["cross", "cross"]


def test_names_with_commas_are_told_apart(inner: Plain) -> None:
    cached = CachedContextProvider(inner)
    asked = [cached.materialize_sections(REFERENCE, names).sections for names in (["a, b"], ["a", "b"])]
    assert [len(sections) for sections in asked] == [1, 2]


_ALL = {"catalog", "index", "always", "reference", "materialize", "sections", "cross"}


@cases(
    ("domain", "file", "again"),
    [
        (None, None, _ALL | {"protocol"}),
        *(("x", name, _ALL) for name in (None, "a", "a.md")),
        ("x", "b", {"catalog", "index", "always", "cross"}),
        ("y", None, {"catalog", "cross"}),
    ],
)
def test_what_is_invalidated_is_asked_for_again(domain: str | None, file: str | None, again: set[str]) -> None:
    inner = Plain()
    cached = CachedContextProvider(inner)
    calls = [call for name, call in ONCE if name != "conditional" and call is not ONCE[1][1]]
    # `materialize` first: otherwise loading the always files answers it.
    for call in [calls[6], *calls]:
        call(cached)
    inner.calls.clear()
    cached.invalidate(domain, file)
    for call in [calls[6], *calls]:
        call(cached)
    assert set(inner.calls) == again


def real(make: Make, doc: Doc, execution: ExecutionContext | None = None) -> tuple[CachedContextProvider, Made]:
    made = make(
        {
            "x/a.md": doc("x/a", strategy="always", body="# One\n", more="bad: [\n"),
            "x/b.md": doc("x/b"),
            "x/index.md": doc("x/index", kind="index", strategy="always"),
        }
    )
    return CachedContextProvider(made.provider, execution), made


def test_a_hit_tells_its_notices_again_once_for_each_call(make: Make, doc: Doc) -> None:
    cached, made = real(make, doc)
    cached.get_catalog("x")
    first = made.codes
    assert "frontmatter-yaml" in first
    cached.get_catalog("x")
    assert (made.codes, cached.stats.catalog.hits) == (first * 2, 1)
    # Caches can be nested.
    outer = CachedContextProvider(cached)
    for times in (3, 4):
        outer.get_catalog("x")
        assert made.codes == first * times
    # The receiver of notices can be exchanged.
    other: list[Notice] = []
    cached.on_notice = other.append
    cached.get_catalog("x")
    assert [notice.code for notice in other] == first
    assert made.codes == first * 4
    # Returned lists are the caller's own.
    cached.get_catalog("x").clear()
    assert cached.get_catalog("x")


def test_each_file_is_read_once_for_each_version(make: Make, doc: Doc, monkeypatch: pytest.MonkeyPatch) -> None:
    cached, made = real(make, doc)
    read: list[str] = []
    original = Root.read
    monkeypatch.setattr(Root, "read", lambda self, path, *more: read.append(path) or original(self, path, *more))
    reference = made.reference("b")
    read.clear()
    for _ in range(3):
        assert cached.get_reference("x", "b") == reference
        cached.materialize(reference)
        cached.materialize_sections(reference, ["Body"])
        cached.get_always_load_files("x")
        cached.get_conditional_context("x", DetectionResult(recommended_files=("x/b",)))
        cached.get_domain_index("x")
    assert sorted(read) == ["x/a.md", "x/b.md", "x/index.md"]
    (made.root / "x" / "b.md").write_text(doc("x/b", body="# Changed\n"))
    cached.materialize(reference)
    assert read[3:] == ["x/b.md"]


def test_changes_on_disk_are_seen_in_every_tier(make: Make, doc: Doc) -> None:
    cached, made = real(make, doc)
    reference = cached.get_reference("x", "b")
    assert reference is not None
    cached.materialize(reference)
    cached.materialize_sections(reference, ["Body"])
    cached.get_catalog("x")
    (made.root / "x" / "b.md").write_text(doc("x/b", title="Newer", body="# Body\n\nmore\n"))
    assert cached.materialize(reference).content == "# Body\n\nmore\n"
    assert cached.materialize_sections(reference, ["Body"]).sections[0].content == "# Body\n\nmore\n"
    assert [entry.title for entry in cached.get_catalog("x")][1] == "Newer"
    assert made.reference("b").title == getattr(cached.get_reference("x", "b"), "title", "") == "Newer"
    (made.root / "x" / "b.md").unlink()
    assert cached.get_reference("x", "b") is None
    assert cached.materialize(reference).content == ""


def test_invalidating_a_file_refreshes_its_row_even_where_nothing_seems_to_have_changed(make: Make, doc: Doc) -> None:
    cached, made = real(make, doc)
    place = made.root / "x" / "b.md"
    assert "A title" in [entry.title for entry in cached.get_catalog("x")]
    before = place.stat()
    place.write_text(doc("x/b", title="B title"))
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    cached.invalidate("x", "b")
    assert "B title" in [entry.title for entry in cached.get_catalog("x")]


def test_the_execution_context_remembers_by_domain_and_topic() -> None:
    execution = ExecutionContext()
    assert execution.get_cached_context("x", "a") is None
    loads = (("x", "a", "one"), ("x", "a", "two"), ("x:a", "b", "other"), ("x", "a:b", "another"))
    for domain, topic, text in loads:
        execution.record_context_load(domain, topic, text)
    for domain, topic, text in loads[1:]:
        assert execution.get_cached_context(domain, topic) == text
    assert execution.loaded == tuple((domain, topic) for domain, topic, _ in loads)
    execution.forget("x", "a")
    assert execution.get_cached_context("x", "a") is None
    execution.forget()
    assert execution.get_cached_context("x:a", "b") is None


def test_a_second_command_reads_nothing_anew(inner: Plain) -> None:
    execution = ExecutionContext()
    first = Plain()
    CachedContextProvider(first, execution).materialize(REFERENCE)
    assert execution.get_cached_context("x", "a") == "text"
    cached = CachedContextProvider(inner, execution)
    assert cached.materialize(REFERENCE) == FILE
    assert (inner.calls, cached.stats.execution.hits) == ([], 1)


def test_always_files_are_recorded(make: Make, doc: Doc) -> None:
    execution = ExecutionContext()
    cached, _ = real(make, doc, execution)
    cached.get_always_load_files("x")
    assert execution.get_cached_context("x", "a") == "# One\n"


def test_what_others_recorded_as_text_is_not_taken_for_a_file(inner: Plain) -> None:
    execution = ExecutionContext()
    execution.record_context_load("x", "a", "someone's text")
    cached = CachedContextProvider(inner, execution)
    assert cached.materialize(REFERENCE) == FILE
    assert inner.calls == ["materialize"]
    # Invalidating reaches the execution context.
    cached.invalidate("x", "a")
    cached.materialize(REFERENCE)
    assert inner.calls == ["materialize", "materialize"]


def test_a_changed_file_is_not_taken_from_the_execution_context(make: Make, doc: Doc) -> None:
    execution = ExecutionContext()
    cached, made = real(make, doc, execution)
    reference = made.reference("b")
    cached.materialize(reference)
    (made.root / "x" / "b.md").write_text("# Changed\n")
    other = CachedContextProvider(made.provider, execution)
    assert other.materialize(reference).content == "# Changed\n"


def test_cached_and_plain_answers_are_the_same_on_real_files(forge: Path) -> None:
    plain = MarkdownFileContextProvider(forge)
    cached = CachedContextProvider(MarkdownFileContextProvider(forge), ExecutionContext())
    signals = DetectionSignals(imports=["from fastapi import FastAPI"])
    for _ in range(2):
        for call in (
            lambda provider: provider.get_catalog(),
            lambda provider: provider.get_domain_index("python"),
            lambda provider: provider.get_always_load_files("python"),
            lambda provider: provider.get_cross_domain_context("python", ["auth_code"]),
            lambda provider: run_protocol(provider, "python", signals, ["auth_code"]),
        ):
            assert call(cached) == call(plain)
    assert cached.stats.hits > cached.stats.misses


def test_the_protocol_runs_on_a_provider_with_the_eleven_methods_only() -> None:
    for provider in (Plain(), CachedContextProvider(Plain())):
        result = run_protocol(provider, "x", DetectionSignals(), ["t"])
        assert [(file.id, file.step) for file in result.files] == [("x/a", 2), ("x/b", 4), ("y/c", 5)]
        assert result.max_files == 4
