"""Seed 004, 7: the acceptance points, asked of the real server over both transports."""

import asyncio
import math
from pathlib import Path
from typing import Any

from tests.cases import cases
from tests.mcp.mcp_helpers import ASKED, SECRET, Session, call


def _ask(served: Session, **fields: Any) -> Any:
    return served.call("retrieve_context", **ASKED | fields)


def test_1_a_valid_request_returns_ranked_snippets_with_all_fields(served: Session, shop: Path) -> None:
    for root in (".", str(shop)):
        found = _ask(served, rootPath=root).result
        assert found[0]["path"] == "docs/refunds.md"
        assert list(found[0]) == ["id", "provider", "path", "source", "content", "score"]
        assert {snippet["provider"] for snippet in found} == {"mcp"}
        scores = [snippet["score"] for snippet in found]
        assert all(map(math.isfinite, scores))
        assert scores == sorted(scores, reverse=True)
        assert all(len(snippet["content"]) <= 1_200 for snippet in found)
    # The filesystem answers under its own name.
    files = _ask(served, providerId="filesystem").result
    assert [(each["provider"], each["path"]) for each in files] == [("filesystem", each["path"]) for each in found]


@cases("prompt", ["", "zebra", "?!", "the of", "\0", "' OR zebra --", '"NEAR(*"', "\u202e" * 50])
def test_2_an_empty_or_hostile_query_returns_nothing(served: Session, prompt: str) -> None:
    assert _ask(served, prompt=prompt).result == []


def test_3_the_limit_is_honored(served: Session) -> None:
    assert len(_ask(served, limit=1).result) == 1
    assert len(_ask(served, limit=10**9).result) <= 50


@cases("root", ["..", "/", "/etc", "docs/../..", "absent", "docs/refunds.md", "a\0b", " ", ""])
def test_4_an_out_of_scope_path_is_refused(served: Session, root: str) -> None:
    answer = _ask(served, rootPath=root)
    error = answer.data["error"]
    assert (answer.category, error["contract"], error["retryable"]) == ("invalid_request", "v1", False)


FIELDS = ("prompt", "spaceId", "sessionId", "rootPath", "providerId")
WRONG = [{field: value} for field in FIELDS for value in (3, None)]


@cases("wrong", [*WRONG, *({"limit": limit} for limit in (0, -1, 1.5, "5", True))])
def test_5_errors_have_categories(served: Session, wrong: dict[str, object]) -> None:
    assert served.call("retrieve_context", **(ASKED | wrong)).category == "invalid_request"


def test_a_prompt_alone_is_enough_and_optional_fields_that_come_later_are_ignored(served: Session) -> None:
    assert served.call("retrieve_context", prompt=ASKED["prompt"]).result == _ask(served, later=1).result
    assert served.call("retrieve_context").category == "invalid_request"


def test_6_the_order_is_the_same_for_the_same_request(served: Session) -> None:
    first = _ask(served, prompt="refund days support", limit=50).result
    assert first
    assert all(_ask(served, prompt="refund days support", limit=50).result == first for _ in range(3))


def test_7_secrets_are_redacted_and_told(served: Session) -> None:
    answer = _ask(served, prompt="hosting job night")
    assert "docs/hosting.md" in [snippet["path"] for snippet in answer.result]
    assert SECRET not in answer.text
    assert "redacted-secrets" in answer.codes


def test_twenty_requests_at_a_time_over_one_connection(served: Session) -> None:
    async def ask_all() -> list[Any]:
        asked = [{**ASKED, "prompt": ("refund", "login", "agents")[number % 3]} for number in range(20)]
        return await asyncio.gather(*(call(served.client, "retrieve_context", **each) for each in asked))

    paths = [tuple(snippet["path"] for snippet in answer.result) for answer in served.run(ask_all())]
    assert len(set(paths)) == 3
    assert paths == (paths[:3] * 7)[:20]


def test_a_cancelled_request_leaves_the_connection_usable(served: Session) -> None:
    async def cancel() -> None:
        task = asyncio.create_task(call(served.client, "retrieve_context", **ASKED))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()

    served.run(cancel())
    assert _ask(served).result
