"""Search over a project: which documents and sections are found, why, and in which order."""

from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui import Workspace
from ctxtui.workspace.search import MOST_HITS, SCOPES, Searcher
from tests.cases import cases
from tests.conftest import Project, write

CATALOG = {
    "lib/cross_domain.md": "",
    "lib/python/index.md": "# Python\n",
    "lib/python/web.md": "---\ntitle: Web patterns\ntags: [fastapi, async]\ndetectionTriggers: [uvicorn]\n---\n# Web\n",
    "lib/dotnet/index.md": "# Dotnet\n",
    "lib/dotnet/web.md": "---\ntitle: ASP\ntags: [async]\n---\n# ASP\nRefunds and fastapi in the text.\n",
}
NOTES = "---\ntags: [money]\n---\n# Notes\n\nintro\n\n## Refund window\n\nThirty days.\n\n## Other\n\nA refund takes a long\nwindow.\n"


@pytest.fixture
def searcher(project: Project) -> Searcher:
    entry = "---\nentryId: r-1\ncategory: Decision\ncreatedAt: 2026-01-01T00:00:00Z\ntags: []\n---\nNo refund.\n"
    return Searcher(Workspace.open(project({**CATALOG, "notes.md": NOTES, "book/r-1.md": entry, "x.bin": "\0"})))


def test_metadata_are_found_by_tag_title_trigger_and_name(searcher: Searcher) -> None:
    (found,) = searcher.meta("fastapi")
    assert (found.id, found.matched_on) == ("python/web", ("tag",))
    assert [hit.id for hit in searcher.meta("async", "dotnet")] == ["dotnet/web"]
    assert searcher.meta("uvicorn")[0].matched_on == ("detectionTrigger",)
    assert searcher.meta("Web patterns")[0].id == "python/web"
    assert all(0 < hit.relevance <= 1 for hit in searcher.meta("web async notes"))
    # Files without metadata have a name.
    assert [hit.id for hit in searcher.meta("notes")] == ["notes.md"]


def test_texts_are_found_section_by_section_headings_first(searcher: Searcher) -> None:
    first, second = (hit for hit in searcher.text("refund window") if hit.reference.path == "notes.md")
    assert (first.id, first.relevance, first.line) == ("notes.md#refund-window", 1.0, 8)
    assert first.matched_on == ("heading", "content")
    assert (second.id, second.relevance, second.line) == ("notes.md#other", 0.7, 14)
    assert second.excerpt == "A refund takes a long"


def test_a_word_that_is_longer_in_lower_case_is_found(project: Project) -> None:
    searcher = Searcher(Workspace.open(project({"a.md": "# Cities\n\nAnkara, İstanbul.\n"})))
    for query in ("İstanbul", "İSTANBUL", "İstanbul ankara"):
        assert [(hit.id, hit.line) for hit in searcher.text(query)] == [("a.md#cities", 3)], query


@cases("end", ["\n", "\r\n", "\r"])
def test_the_line_of_a_hit_ends_as_its_file_says(project: Project, end: str) -> None:
    text = NOTES.replace("\n", end).encode()
    (hit,) = Searcher(Workspace.open(project({"notes.md": text}))).text("thirty")
    assert (hit.line, hit.excerpt) == (10, "Thirty days.")


def test_entries_are_a_scope_of_their_own(searcher: Searcher) -> None:
    assert [hit.id for hit in searcher.find("entries", "REFUND")] == ["entries/r-1"]
    assert {hit.reference.source for hit in searcher.find("text", "refund")} == {"entries", "files", "catalog"}


def test_all_documents_are_found_up_to_the_most_hits(project: Project) -> None:
    few = Workspace.open(project({f"{number}.md": "# One\n\nzebra\n" for number in range(MOST_HITS - 1)}))
    assert len(Searcher(few).text("zebra")) == MOST_HITS - 1


def test_metadata_are_no_text(project: Project, searcher: Searcher) -> None:
    assert searcher.text("money") == []
    assert [hit.id for hit in searcher.text("fastapi")] == ["dotnet/web#asp"]
    files = {"a.md": "---\ntitle: zebra\n---\n# One\n", "b.md": "# zebra\n"}
    assert [hit.reference.id for hit in Searcher(Workspace.open(project(files))).text("zebra")] == ["b.md"]


def test_neither_what_went_away_is_found_nor_anything_once_it_is_stopped(searcher: Searcher) -> None:
    stop = Event()
    stop.set()
    assert searcher.text("refund", stop=stop) == []
    (searcher.workspace.root / "notes.md").unlink()
    assert searcher.text("thirty") == []


@given(st.text(max_size=40), st.sampled_from(sorted(SCOPES)))
def test_any_query_finds_what_can_be_picked(searcher_once: Searcher, query: str, scope: str) -> None:
    hits = searcher_once.find(scope, query)
    assert all(searcher_once.workspace.find(hit.id) is not None for hit in hits)
    assert hits == searcher_once.find(scope, query)
    assert [hit.relevance for hit in hits] == sorted((hit.relevance for hit in hits), reverse=True)


@pytest.fixture(scope="module")
def searcher_once(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    return Searcher(Workspace.open(write(tmp_path_factory.mktemp("search"), {"notes.md": NOTES})))
