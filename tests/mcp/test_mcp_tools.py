"""Every tool by its name, with the parameters and keys of the seeds."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from ctxtui.core.tokens.by_name import get_counter
from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from tests.cases import cases
from tests.mcp.mcp_helpers import ASKED, FILES, SECRET, Session, call, write

PYTHON = {"domain": "python"}
CALLS: dict[str, dict[str, Any]] = {
    "retrieve_context": ASKED,
    "get_catalog": {},
    "get_domain_index": PYTHON,
    "get_loading_protocol": {},
    "get_always_load_files": PYTHON,
    "detect_project_type": PYTHON,
    "get_conditional_context": PYTHON,
    "get_cross_domain_context": {**PYTHON, "triggers": ["auth_code"]},
    "get_reference": {**PYTHON, "file": "issues"},
    "materialize": {"reference": "python/issues"},
    "materialize_sections": {"reference": "python/issues", "sections": ["State"]},
    "search": {"query": "review"},
    "load_context": {},
    "build_payload": {"picks": ["AGENTS.md"]},
    "suggest_context": {"task": "refund window"},
    "get_agent_starts": {},
    "query_entries": {},
}


def _ids(rows: list[dict[str, Any]], key: str = "id") -> list[str]:
    return [row[key] for row in rows]


def _tools(session: Session) -> list[Any]:
    tools: list[Any] = session.run(session.client.list_tools()).tools
    return tools


def test_the_list_of_tools_is_what_is_told_here(served: Session) -> None:
    tools = _tools(served)
    assert [tool.name for tool in tools] == list(CALLS)
    for hints in (tool.annotations for tool in tools):
        assert (hints.read_only_hint, hints.idempotent_hint, hints.open_world_hint) == (True, True, False)
    listed = [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools]
    assert get_counter("o200k_base").count(json.dumps(listed, separators=(",", ":"))) < 1_800


def test_every_tool_answers_with_result_and_notices(served: Session) -> None:
    for name, arguments in CALLS.items():
        answer = served.call(name, **arguments)
        assert list(answer.data) == ["result", "notices"], name
        assert answer.result, name


def test_catalog_and_reference_have_the_keys_of_the_seed(stdio_session: Session) -> None:
    rows = stdio_session.call("get_catalog", **PYTHON).result
    assert _ids(rows) == ["python/api", "python/context_detection", "python/index", "python/issues"]
    assert list(rows[0]) == "id domain title type estimatedTokens loadingStrategy path tags".split()
    reference = stdio_session.call("get_reference", domain="python", file="issues").result
    assert reference["sections"] == [{"name": "State", "estimatedTokens": 9, "keywords": ["shared"]}]
    assert {"crossDomainTriggers", "detectionTriggers"} <= set(reference)
    # A reference is an id or the object itself.
    by_object = stdio_session.call("materialize", reference=reference).result
    assert by_object == stdio_session.call("materialize", reference="python/issues").result
    assert by_object["content"].startswith("# Issues")
    forged = reference | {"path": "/etc/passwd"}
    assert stdio_session.call("materialize", reference=forged).result == by_object
    part = stdio_session.call("materialize_sections", reference=reference, sections=["State"]).result
    assert part["sections"] == [{"name": "State", "content": "## State\n\nShare none.\n"}]


def test_the_five_steps(stdio_session: Session) -> None:
    assert stdio_session.call("get_loading_protocol").result["tokenBudget"] == 6
    assert stdio_session.call("get_domain_index", **PYTHON).result["domain"] == "python"
    assert "python/issues" in _ids(stdio_session.call("get_always_load_files", **PYTHON).result)
    detected = stdio_session.call("detect_project_type", **PYTHON).result
    assert (detected["framework"].lower(), detected["recommendedFiles"]) == ("fastapi", ["python/api"])
    nothing = stdio_session.call("detect_project_type", **PYTHON, signals={"imports": ["import flask"]}).result
    assert nothing["recommendedFiles"] == []
    loaded = stdio_session.call("get_conditional_context", **PYTHON, detection=detected).result
    assert _ids(loaded) == ["python/api"]
    assert _ids(stdio_session.call("get_conditional_context", **PYTHON).result) == ["python/api"]
    crossed = stdio_session.call("get_cross_domain_context", **PYTHON, triggers=["auth_code"]).result
    assert _ids(crossed) == ["security/rules"]


def test_load_context_keeps_its_budget(stdio_session: Session) -> None:
    loaded = stdio_session.call("load_context").result
    assert "Never store card numbers." in loaded["summary"]
    assert loaded["tokenCount"] == get_counter().count(loaded["summary"])
    assert [list(file) for file in loaded["files"]] == [["name", "path", "tokenCount"]] * 2
    assert not loaded["truncated"]
    assert "DECISIONS.md" in loaded["missing"]
    assert stdio_session.call("load_context", budget="30").result["truncated"]
    tasks = stdio_session.call("load_context", structure=True).result["files"][1]["parsed"]["sections"]
    assert [item["status"] for section in tasks for item in section["items"]] == ["todo", "done"]


def test_what_is_suggested_builds_within_its_budget(stdio_session: Session) -> None:
    found = stdio_session.call("suggest_context", task="how long is the refund window", budget=300).result
    assert any(id_.startswith("docs/refunds.md#") for id_ in _ids(found["picks"]))
    assert all(row["reason"] and row["tokens"] > 0 for row in found["picks"])
    built = stdio_session.call("build_payload", picks=_ids(found["picks"]), budget=300).result
    assert built["tokens"] == found["tokens"] <= 300


def test_a_payload_is_as_large_as_it_says(stdio_session: Session) -> None:
    built = stdio_session.call("build_payload", recipe="review").result
    assert built["tokens"] == get_counter().count(built["text"]) <= built["limit"] == 4_000
    assert "Review this." in built["text"]
    assert (built["truncated"], built["omitted"], built["missing"]) == ([], [], [])
    small = stdio_session.call("build_payload", recipe="review", picks=["docs/hosting.md"], budget=60).result
    assert small["wanted"] > small["limit"] == 60
    assert small["truncated"] + small["omitted"]
    xml = stdio_session.call("build_payload", picks=["docs/refunds.md#partial-refund"], format="xml").result
    assert ("Only support may." in xml["text"], "30 days" in xml["text"]) == (True, False)
    folder = stdio_session.call("build_payload", picks=["docs"])
    assert ("left-pad" in folder.result["text"], "large-left-out" in folder.codes) == (False, True)
    assert "left-pad" in stdio_session.call("build_payload", picks=["docs/yarn.lock"]).result["text"]
    chosen = stdio_session.call("build_payload", picks=["docs/**", "!**/refunds.md"]).result["text"]
    assert ("left-pad" in chosen, "docs/hosting.md" in chosen, "docs/refunds.md" in chosen) == (False, True, False)
    answer = stdio_session.call("build_payload", picks=["docs/hosting.md"])
    assert SECRET not in answer.text
    assert "[redacted" in answer.result["text"]
    assert answer.result["tokens"] == get_counter().count(answer.result["text"])
    # Queries of a recipe are computed.
    asked = stdio_session.call("build_payload", recipe="asked").result["text"]
    assert ("Refund." in asked, "Slow." in asked) == (True, False)


@cases(
    ("arguments", "ids"),
    [
        ({}, ["b", "a"]),
        ({"tags": ["pay"]}, ["a"]),
        ({"keywords": "slow"}, ["b"]),
        ({"category": "Decision", "directory": "notes"}, ["a"]),
        ({"maxResults": 0}, []),
    ],
)
def test_entries_are_filtered_newest_first(stdio_session: Session, arguments: dict[str, Any], ids: list[str]) -> None:
    assert _ids(stdio_session.call("query_entries", **arguments).result, "entryId") == ids


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("get_domain_index", {}, "`domain` is missing"),
    ("get_domain_index", {"domain": 3}, "`domain` should be a string"),
    ("get_catalog", {"domian": "python"}, "unknown key `domian`"),
    ("get_catalog", {"catalog": "other"}, "no catalog other"),
    ("get_catalog", {"catalog": "../.."}, "no catalog"),
    ("get_reference", {"domain": "python", "file": "absent"}, "there is no absent in python"),
    ("get_reference", {"domain": "../..", "file": "etc/passwd"}, "there is no"),
    ("materialize", {"reference": "../../etc/passwd"}, "there is no"),
    ("materialize", {"reference": 5}, "reference is neither an id"),
    ("materialize", {"reference": {"path": "/etc/passwd"}}, "`reference.id` is missing"),
    ("materialize_sections", {"reference": "python/issues", "sections": "State"}, "`sections` should be a list"),
    ("get_cross_domain_context", {"domain": "python", "triggers": [1]}, "`triggers[0]` should be a string"),
    ("detect_project_type", {"domain": "python", "signals": []}, "`signals` should be an object"),
    ("load_context", {"budget": -1}, "`budget` should be a whole number"),
    ("load_context", {"budget": "many"}, "not a number of tokens"),
    ("load_context", {"structure": "yes"}, "`structure` should be true or false"),
    ("build_payload", {}, "nothing to build"),
    ("build_payload", {"recipe": "absent"}, "no recipe absent"),
    ("build_payload", {"recipe": "../../secret"}, "not a name for a recipe"),
    ("build_payload", {"recipe": "review.yaml"}, "without its extension"),
    ("build_payload", {"picks": ["/etc/passwd"]}, "no document"),
    ("build_payload", {"picks": ["../outside.md"]}, "no document"),
    ("build_payload", {"picks": ["AGENTS.md"], "format": "pdf"}, "unknown format"),
    ("query_entries", {"category": "Gossip"}, "unknown category Gossip"),
    ("query_entries", {"maxResults": -1}, "`maxResults` should be"),
    ("query_entries", {"directory": ".."}, "no entries directory"),
    ("query_entries", {"referenceCode": "CTX"}, "not a reference code"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), REFUSED)
def test_what_is_wrong_is_refused_by_name(
    stdio_session: Session, name: str, arguments: dict[str, Any], message: str
) -> None:
    answer = stdio_session.call(name, **arguments)
    assert answer.category == "invalid_request"
    assert message in answer.text
    assert "Traceback" not in answer.text


@cases("name", ["nope", "store_entry", "retrieve_contxt", ""])
def test_an_unknown_tool_is_unavailable(served: Session, name: str) -> None:
    answer = served.call(name)
    assert (answer.category, f"unknown tool {name}" in answer.text) == ("unavailable", True)


async def test_several_catalogs_are_told_apart_by_name(tmp_path: Path, opened: Project) -> None:
    write(tmp_path, {name.replace("library", top): text for top in ("one", "two") for name, text in FILES.items()})
    async with Client(make_server(opened)) as client:
        schema = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        assert schema["search"]["properties"]["catalog"] == {"enum": ["one", "two"]}
        assert "catalog" not in schema["load_context"]["properties"]
        answer = await call(client, "get_catalog")
        assert (answer.category, "one, two" in answer.text) == ("invalid_request", True)
        assert len((await call(client, "get_catalog", catalog="two")).result) == 6


async def test_a_project_without_anything_says_so(opened: Project) -> None:
    async with Client(make_server(opened)) as client:
        assert "no domain catalog" in (await call(client, "get_catalog")).text
        assert "no .context" in (await call(client, "load_context")).text
        assert (await call(client, "query_entries")).result == []
        assert (await call(client, "retrieve_context", **ASKED)).result == []
        assert (await client.list_resources()).resources == []


async def test_changes_on_disk_are_seen_by_the_next_call(tmp_path: Path, opened: Project) -> None:
    write(tmp_path, FILES)
    (tmp_path / "l.md").write_bytes(b"# Caf\xe9\n")
    async with Client(make_server(opened)) as client:
        before = (await call(client, "materialize", reference="python/api")).result
        write(tmp_path, {"library/python/api.md": "# API\n\nOther words.\n", "new.md": "# New\n"})
        after = (await call(client, "materialize", reference="python/api")).result
        assert "Declare" in before["content"]
        assert after["content"] == "# API\n\nOther words.\n"
        assert "# New" in (await call(client, "build_payload", picks=["new.md"])).result["text"]
        # A damaged text is named beside the payload.
        assert (await call(client, "build_payload", picks=["l.md"])).codes == ["invalid-text"]


async def test_a_file_that_no_catalog_has_leads_to_the_tool_that_reads_it(tmp_path: Path, opened: Project) -> None:
    write(tmp_path, FILES | {".context/TASKS.md": "# Tasks\n\n## Open\n- [ ] one\n"})
    async with Client(make_server(opened)) as client:
        refused = await call(client, "materialize_sections", reference=".context/TASKS", sections=["Open"])
        assert refused.category == "invalid_request"
        assert 'build_payload reads it: picks [".context/TASKS#SECTION"]' in refused.text.replace('\\"', '"')
        built = await call(client, "build_payload", picks=[".context/TASKS#Open"])
        assert "- [ ] one" in built.result["text"]
