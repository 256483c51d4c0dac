"""Seed 004, 3 and 7: requests, snippets, error categories, JSON, and the retriever."""

import asyncio
import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.retrieval import (
    ContextRetrievalRequest,
    ContextSnippet,
    RetrievalError,
    Retriever,
    request_from_json,
    request_json,
    snippet_from_json,
    snippet_json,
)
from ctxtui.retrieval.contract import CATEGORIES
from tests.cases import cases
from tests.conftest import Project
from tests.retrieval.retrieval_helpers import request, retrieve, searching

SNIPPET = ContextSnippet("mcp:a.md#L1-L2", "mcp", "a.md", "A / B", "text", 0.5)
ASKED = {"prompt": "p", "spaceId": "s", "sessionId": "t", "rootPath": "/r", "providerId": "mcp", "limit": 3}


class Engine:
    """A provider that answers or fails as it was told."""

    def __init__(self, answer: list[ContextSnippet] | Exception) -> None:
        self.answer = answer
        self.asked: list[ContextRetrievalRequest] = []

    async def retrieve(self, request: ContextRetrievalRequest) -> list[ContextSnippet]:
        self.asked.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def _category(root: Path | str, **fields: Any) -> str:
    with pytest.raises(RetrievalError) as caught:
        retrieve(root, fields.pop("prompt", "alpha"), **fields)  # type: ignore[arg-type]
    return caught.value.category


def _failed(answer: Exception, provider_id: Any = "mcp") -> RetrievalError:
    """The error of a retriever whose engine `mcp` fails with an exception."""
    with pytest.raises(RetrievalError) as caught:
        asyncio.run(Retriever({"mcp": Engine(answer)}).retrieve(request("/r", provider_id=provider_id)))
    return caught.value


def test_a_valid_request_returns_ranked_snippets_with_all_fields(project: Project) -> None:
    root = project({"a.md": "# A\n\nalpha beta\n", "b.md": "# Alpha\n\nalpha alpha beta\n", "c.md": "gamma"})
    found = retrieve(root, "alpha")
    assert [snippet.path for snippet in found] == ["b.md", "a.md"]
    row = ("b.md", "Alpha", "# Alpha\n\nalpha alpha beta", found[0].score)
    assert found[0] == ContextSnippet("filesystem:b.md#L1-L3", "filesystem", *row)
    assert 1 >= found[0].score > found[1].score > 0
    assert all(math.isfinite(snippet.score) for snippet in found)


@cases("prompt", ["", " \n", "?!", "zebra", "\0", "the of and", "\ud800"])
def test_an_empty_query_one_without_match_and_an_empty_corpus_return_nothing(project: Project, prompt: str) -> None:
    assert retrieve(project({"a.md": "the alpha of and"}), prompt) == []
    assert retrieve(project({}), "alpha") == retrieve(project({"a.md": ""}), "alpha") == []


@cases(("limit", "count"), [(None, 5), (1, 1), (7, 7), (50, 50), (51, 50), (10**30, 50)])
def test_the_limit_is_honored_and_capped(project: Project, limit: int | None, count: int) -> None:
    root = project({f"{number:02}.md": f"# {number}\n\nalpha\n" for number in range(60)})
    assert len(retrieve(root, "alpha", limit=limit)) == count


def test_the_same_request_returns_the_same_snippets_in_the_same_order(project: Project) -> None:
    files = {f"{number % 7}/{number:02}.md": f"# T{number % 5}\n\nalpha beta {number % 3}\n" for number in range(60)}
    root = project(files)
    with searching() as provider:
        first, second = (retrieve(root, "alpha beta", provider, limit=50) for _ in range(2))
    assert first == second == retrieve(root, "alpha beta", limit=50)
    order = [(-each.score, each.path, int(each.id.partition("#L")[2].partition("-")[0])) for each in first]
    assert order == sorted(order)
    assert retrieve(project(dict(reversed(files.items()))), "alpha beta", limit=50) == first


@cases(
    ("field", "values"),
    [
        *((field, [None, 3, b"x", ["x"]]) for field in ("prompt", "space_id", "session_id")),
        *((field, ["", "  ", "a\0b"]) for field in ("space_id", "session_id")),
        ("limit", [0, -1, 1.5, 5.0, True, "5", [5]]),
        ("provider_id", ["mcp", "other", "", None, []]),
    ],
)
def test_a_value_that_the_contract_does_not_allow_is_invalid(project: Project, field: str, values: list[Any]) -> None:
    root = project({"a.md": "alpha"})
    for value in values:
        assert _category(root, **{field: value}) == "invalid_request", value


@cases("name", ["absent", "a.md", "a\0b", "", " ", "x" * 5000])
def test_a_root_that_is_no_folder_is_invalid(project: Project, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project({"a.md": "alpha"}))
    assert _category(name) == "invalid_request"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_root_that_may_not_be_read_is_unauthorized(project: Project) -> None:
    root = project({"a.md": "alpha"})
    root.chmod(0)
    try:
        assert _category(root) == "unauthorized"
    finally:
        root.chmod(0o700)


def test_a_relative_root_is_meant_from_the_current_folder(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project({"sub/a.md": "alpha"}))
    assert [snippet.path for snippet in retrieve("sub", "alpha")] == ["a.md"]  # type: ignore[arg-type]


def test_there_are_five_categories_and_unforeseen_faults_are_internal_with_a_fixed_text(caplog: Any) -> None:
    assert CATEGORIES == ("invalid_request", "unauthorized", "unavailable", "timeout", "internal")
    error = _failed(ZeroDivisionError("/secret/path token=abc"))
    assert error.category == "internal"
    assert "secret" not in f"{error.message}{error.hint}{error.__cause__}"
    assert "secret" in caplog.text
    assert _failed(TimeoutError("x")).category == "timeout"


@cases("category", CATEGORIES)
def test_every_category_passes_through_unchanged(category: Any) -> None:
    for error in (RetrievalError(category, "safe"), ContextError(category, "safe")):
        found = _failed(error)
        assert (found.category, found.message) == (category, "safe")
    assert RetrievalError(category, "x").retryable == (category in ("unavailable", "timeout"))


def test_the_retriever_picks_by_provider_id() -> None:
    files, engine = Engine([]), Engine([SNIPPET])
    retriever = Retriever({"filesystem": files, "mcp": engine})
    assert asyncio.run(retriever.retrieve(request("/r", provider_id="mcp"))) == [SNIPPET]
    assert (len(files.asked), len(engine.asked)) == (0, 1)


def test_a_known_provider_that_is_not_set_up_is_unavailable_and_an_unknown_one_invalid() -> None:
    for provider_id, category in (("filesystem", "unavailable"), ("other", "invalid_request")):
        assert _failed(ValueError(), provider_id).category == category


@cases("category", CATEGORIES)
@cases("named", [(), ("unavailable", "timeout")])
def test_it_falls_back_only_on_the_categories_that_are_named_and_says_so(category: Any, named: Any) -> None:
    snippet = replace(SNIPPET, provider="filesystem")
    files, notices = Engine([snippet]), list[Notice]()
    providers: Any = {"filesystem": files, "mcp": Engine(RetrievalError(category, "safe"))}
    retriever = Retriever(providers, fallback_on=named, on_notice=notices.append)
    if category not in named:
        with pytest.raises(RetrievalError):
            asyncio.run(retriever.retrieve(request("/r", provider_id="mcp")))
        assert (files.asked, notices) == ([], [])
        return
    assert asyncio.run(retriever.retrieve(request("/r", provider_id="mcp"))) == [snippet]
    assert files.asked == [request("/r", provider_id="filesystem")]
    assert [notice.code for notice in notices] == ["retrieval-fallback"]


def test_an_empty_answer_and_the_filesystem_failing_are_no_reason_to_fall_back() -> None:
    files = Engine([SNIPPET])
    retriever = Retriever({"filesystem": files, "mcp": Engine([])}, fallback_on=CATEGORIES)  # type: ignore[arg-type]
    assert asyncio.run(retriever.retrieve(request("/r", provider_id="mcp"))) == []
    assert files.asked == []
    failing = Engine(RetrievalError("unavailable", "safe"))
    with pytest.raises(RetrievalError):
        asyncio.run(Retriever({"filesystem": failing}, fallback_on=["unavailable"]).retrieve(request("/r")))
    assert len(failing.asked) == 1


def test_a_category_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown error categories: other"):
        Retriever({}, fallback_on=["other"])  # type: ignore[list-item]


def test_an_engine_behind_another_name_answers_under_it(project: Project) -> None:
    with searching(provider_id="mcp") as provider:
        (snippet,) = retrieve(project({"a.md": "alpha"}), "alpha", provider, provider_id="mcp")
    assert (snippet.provider, snippet.id) == ("mcp", "mcp:a.md#L1-L1")


def test_requests_and_snippets_survive_json() -> None:
    asked = request_from_json(json.loads(json.dumps(ASKED)))
    assert asked == ContextRetrievalRequest("p", "s", "t", "/r", "mcp", 3)
    assert request_json(asked) == ASKED
    assert "limit" not in request_json(replace(asked, limit=None))
    assert snippet_from_json(json.loads(json.dumps(snippet_json(SNIPPET)))) == SNIPPET
    assert list(snippet_json(SNIPPET)) == ["id", "provider", "path", "source", "content", "score"]
    # Optional keys that come later are ignored.
    assert request_from_json({**ASKED, "later": 1}).prompt == "p"
    assert snippet_from_json({**snippet_json(SNIPPET), "later": 1}) == SNIPPET


@cases(
    ("data", "told"),
    [(ASKED | {key: None}, key) for key in ASKED if key != "limit"]
    + [({name: value for name, value in ASKED.items() if name != key}, key) for key in ASKED if key != "limit"]
    + [(data, "not a JSON object") for data in (None, [], "x", 3)],
)
def test_a_request_without_a_required_key_and_what_is_no_object_are_invalid(data: object, told: str) -> None:
    with pytest.raises(RetrievalError, match=told) as caught:
        request_from_json(data)
    assert caught.value.category == "invalid_request"


@cases(
    "change",
    [
        *({"score": score} for score in (math.nan, math.inf, 10**400, "1", True, None)),
        *({"id": None}, {"path": 3}, {"provider": "other"}, {"content": ["x"]}),
    ],
)
def test_a_snippet_that_breaks_the_contract_is_an_internal_error(change: dict[str, object]) -> None:
    with pytest.raises(RetrievalError) as caught:
        snippet_from_json({**snippet_json(SNIPPET), **change})
    assert caught.value.category == "internal"
    with pytest.raises(RetrievalError):
        snippet_from_json([SNIPPET])
