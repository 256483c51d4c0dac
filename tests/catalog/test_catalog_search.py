"""Method 11: search over tags, section keywords, titles and detection triggers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.catalog import ContextReference, MarkdownFileContextProvider, SearchResult, SectionRef
from ctxtui.catalog.search import SearchIndex
from tests.cases import cases
from tests.catalog.conftest import Doc, Make


def ids(results: list[SearchResult]) -> list[str]:
    return [result.reference.id for result in results]


def reference(
    id_: str,
    title: str = "T",
    tags: Sequence[str] = (),
    triggers: Sequence[str] = (),
    keywords: Sequence[str] = (),
    section: str = "S",
) -> ContextReference:
    sections = (SectionRef(section, 1, tuple(keywords)),)
    domain = id_.partition("/")[0]
    return ContextReference(
        id_, domain, title, "pattern", 1, "onDemand", sections, tuple(tags), (), tuple(triggers), id_
    )


@cases(
    ("fields", "matched"),
    [
        ({"tags": ("alpha",)}, "tag"),
        ({"keywords": ("alpha",)}, "keyword"),
        ({"title": "The Alpha"}, "title"),
        ({"triggers": ("from alpha import",)}, "detectionTrigger"),
    ],
)
def test_each_field_matches_and_says_so(fields: dict[str, Any], matched: str) -> None:
    (result,) = SearchIndex([reference("x/a", **fields), reference("x/b")]).search("alpha")
    assert (result.reference.id, result.matched_on) == ("x/a", (matched,))
    assert 0 < result.relevance <= 1


def test_all_fields_that_match_are_named_in_order_and_no_others_match() -> None:
    full = reference("x/a", "q", ["q"], ["q"], ["q"])
    assert SearchIndex([full]).search("q")[0].matched_on == ("tag", "keyword", "title", "detectionTrigger")
    assert SearchIndex([reference("x/alpha", section="alpha")]).search("alpha") == []


def test_more_words_met_rank_higher_rare_words_weigh_more_and_ties_are_broken_by_id() -> None:
    common = [reference(f"x/sql{number}", tags=["sql"]) for number in range(9)]
    both, rare = reference("x/both", tags=["sql", "rare"]), reference("x/rare", tags=["rare"])
    results = SearchIndex([both, rare, *common]).search("sql rare")
    assert ids(results)[:3] == ["x/both", "x/rare", "x/sql0"]
    assert results[0].relevance == 1.0
    index = SearchIndex([reference(f"x/{name}", tags=["q"]) for name in "cab"])
    assert ids(index.search("q")) == ["x/a", "x/b", "x/c"]


@cases("query", ["queries", "Query", "QUERY", "the query of", "quer", "que", "sql-query", "sql_query"])
def test_case_plurals_beginnings_and_compounds_match(query: str) -> None:
    assert ids(SearchIndex([reference("x/a", tags=("sql-queries",))]).search(query)) == ["x/a"]


def test_words_that_say_nothing_are_looked_for_if_there_are_no_others() -> None:
    index = SearchIndex([reference("x/a", tags=("the",)), reference("x/b", tags=("sql",))])
    assert (ids(index.search("the")), ids(index.search("the sql"))) == (["x/a"], ["x/b"])


@cases("query", ["", "   ", "§$%", "al", "zzz", "x" * 10_000, "\0"])
def test_other_queries_find_nothing(query: str) -> None:
    assert SearchIndex([reference("x/a", tags=("alpha",))]).search(query) == []


def test_a_domain_limits_the_search_and_an_unknown_one_finds_nothing(make: Make, doc: Doc) -> None:
    made = make({"x/a.md": doc("x/a", more="tags: [q]\n"), "y/b.md": doc("y/b", more="tags: [q]\n")})
    assert ids(made.provider.search("q")) == ["x/a", "y/b"]
    assert ids(made.provider.search("q", "y")) == ["y/b"]
    assert made.notices == []
    assert made.provider.search("q", "z") == []
    assert made.codes == ["unknown-domain"]


def test_changes_on_disk_are_found(make: Make, doc: Doc) -> None:
    made = make({"x/a.md": doc("x/a", more="tags: [old]\n")})
    a, b = made.root / "x" / "a.md", made.root / "x" / "b.md"
    search = made.provider.search
    assert ids(search("old")) == ["x/a"]
    a.write_text(doc("x/a", more="tags: [newer]\n"))
    assert (search("old"), ids(search("newer"))) == ([], ["x/a"])
    b.write_text(doc("x/b", more="tags: [newer]\n"))
    assert ids(search("newer")) == ["x/a", "x/b"]
    a.unlink()
    assert ids(search("newer")) == ["x/b"]


def test_the_seeds_example(forge: Path) -> None:
    results = MarkdownFileContextProvider(forge).search("sql injection security")
    assert results[0].reference.id == "security/security_guidelines"
    assert {"tag", "keyword"} <= set(results[0].matched_on)
    found = {result.reference.id: result for result in results}
    assert found["python/fastapi_patterns"].matched_on == ("keyword",)
    assert "tag" in found["dotnet/security_patterns"].matched_on
    assert results[0].relevance > found["python/fastapi_patterns"].relevance


def test_files_without_metadata_are_found_by_what_stands_in(footers: Path) -> None:
    assert "python/fastapi_patterns" in ids(MarkdownFileContextProvider(footers).search("fastapi"))


TEXTS = st.text(max_size=30)
FIELDS = (TEXTS, st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=2), st.lists(TEXTS, max_size=3))
REFERENCES = st.lists(
    st.builds(reference, st.integers().map("x/{}".format), *FIELDS), max_size=8, unique_by=lambda each: each.id
)


@given(REFERENCES, st.text(max_size=60))
def test_relevance_lies_within_0_and_1_and_the_order_is_fixed(references: list[ContextReference], query: str) -> None:
    results = SearchIndex(references).search(query)
    assert all(0 < result.relevance <= 1 and result.matched_on for result in results)
    assert results == sorted(results, key=lambda result: (-result.relevance, result.reference.id))
    assert results == SearchIndex(references[::-1]).search(query)
