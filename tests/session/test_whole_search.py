"""One search: each kind of hit is found, says what matched, and can be picked."""

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui import Workspace
from ctxtui.session.queries.prompt_search import PromptSearch
from ctxtui.session.queries.whole_search import search_everywhere
from ctxtui.workspace.search import Hit, squeezed
from tests.cases import cases
from tests.conftest import REPOSITORY, Asked, Project

FILES = {
    "shop/zebra_crossing.py": "def wait() -> None:\n    pass\n",
    "shop/till.py": "class Till:\n    def okapi_count(self) -> int:\n        return 1\n\n    def other(self) -> None:\n"
    '        """Sends the quagga away."""\n',
    "docs/guide.md": "---\ntitle: The gnu handbook\n---\n# Guide\n\n## Walking home\n\nSlowly.\n",
}


@pytest.fixture
def root(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = project(FILES)
    monkeypatch.chdir(place)
    return place


def found(root: Path, query: str) -> list[Hit]:
    with closing(PromptSearch({})) as prompter:
        return list(search_everywhere(Workspace.open(root), query, prompter).hits)


@cases(
    ("query", "id_", "what"),
    [
        ("zebra_crossing", "shop/zebra_crossing.py", "name"),
        ("okapi_count", "shop/till.py#Till.okapi_count", "symbol"),
        ("okapi", "shop/till.py#Till.okapi_count", "symbol"),
        ("Walking home", "docs/guide.md#walking-home", "heading"),
        ("quagga", "shop/till.py#Till.other", "text"),
    ],
)
def test_each_kind_of_hit_comes_first_and_says_what_matched(root: Path, query: str, id_: str, what: str) -> None:
    hits = found(root, query)
    assert hits[0].id == id_
    assert what in hits[0].matched_on
    session = Workspace.open(root).session()
    assert all(session.pick(hit.id).picks and 0 <= hit.relevance <= 1 for hit in hits)


def test_metadata_is_searched_too() -> None:
    hits = found(REPOSITORY / "sample_context", "fastapi")
    assert {what for hit in hits if hit.id == "python/fastapi_patterns" for what in hit.matched_on} > {"name"}


@given(text=st.text(st.characters(max_codepoint=127)))
def test_plain_names_are_squeezed_as_all_others(text: str) -> None:
    assert squeezed(f"{text}é") == f"{squeezed(text)}é"


def test_nothing_is_told_twice_and_the_short_form_has_only_tokens(root: Path, asked: Asked) -> None:
    hits = found(root, "okapi_count")
    assert len({hit.id for hit in hits}) == len(hits)
    short = asked("search", "okapi_count", "--json", "--short").result
    assert list(short) == [hit.id for hit in hits]
    assert all(isinstance(tokens, int) for tokens in short.values())
