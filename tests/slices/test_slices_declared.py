"""Seed 003, "Declarative by default": the same providers from plain data, and errors that say where and what."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
import yaml

from ctxtui import slices
from ctxtui.core import ContextError
from ctxtui.core.text.data.yaml import load_yaml
from ctxtui.slices import (
    AllVisibleProvider,
    Board,
    CompositeProvider,
    Context,
    ContextProvider,
    DefaultCorrelationProvider,
    FilterConfig,
    FilteredContextProvider,
    LimitedProvider,
    RedactingProvider,
    StateDelegatingProvider,
    TagFilter,
    build_provider,
    run_slice,
)
from ctxtui.slices.types import Agent
from tests.cases import cases
from tests.core.texts import refused
from tests.slices.slices_helpers import START, artifact, filled

TREE = """
composite:
  - correlation
  - filter: {types: [Decision], tags: {include: [api], exclude: [internal]}, since: 2026-01-01, limit: 5}
redact: {keys: [private_notes], patterns: ["sk-[a-z0-9]+"]}
limit: 10
"""


async def _board(board: Board) -> Board:
    secret = {"content": "key sk-abc", "private_notes": "x"}
    notes = [artifact(f"n{number}", number, payload=secret) for number in range(8)]
    decisions = [artifact(f"d{n}", 10 + n, type="Decision", tags=("api",), correlation_id="c0") for n in range(7)]
    other = [
        artifact("internal", 30, type="Decision", tags=("api", "internal"), correlation_id="c0"),
        artifact("ancient", -525_600, type="Decision", tags=("api",), correlation_id="c0"),
    ]
    return await filled(board, *notes, *decisions, *other)


async def _items(provider: ContextProvider, board: Board) -> list[dict[str, Any]]:
    ctx = Context(Agent("a"), board, correlation_id="c1", state={"context_snapshot": [{"text": "sk-1"}]})
    return (await ctx.slice_from(provider)).items


async def test_the_example(board: Board) -> None:
    await _board(board)
    items = await _items(build_provider(load_yaml(TREE)[0], "recipe.yaml"), board)
    assert [item["id"] for item in items] == ["n7", "n6", "n5", "n4", "n3", "n2", "n1", "n0", "d6", "d5"]
    assert items[0]["payload"] == {"content": "key [redacted]"}


def _filter(**given: Any) -> FilteredContextProvider:
    return FilteredContextProvider(FilterConfig(**given))


_API = TagFilter(include={"api"}, exclude={"internal"})
_DECISIONS = _filter(types={"Decision"}, tags=_API, since=datetime(2026, 1, 1, tzinfo=UTC), limit=5)
_BOTH = CompositeProvider(DefaultCorrelationProvider(), _DECISIONS)
_REQUIRED = replace(_API, require={"api"})
_TIMES = {"since": START.replace(minute=11), "until": START.replace(minute=13)}


@pytest.mark.parametrize(
    ("tree", "same"),
    [
        ("correlation", DefaultCorrelationProvider()),
        ("correlation:", DefaultCorrelationProvider()),
        ("all: true", AllVisibleProvider()),
        ("state", StateDelegatingProvider()),
        ("filter: {}", _filter()),
        (
            "filter: {types: Decision, producers: [writer], correlation_id: c0, order: created_at, limit: 2}",
            _filter(types="Decision", producers="writer", correlation_id="c0", order="created_at", limit=2),
        ),
        (
            "filter: {tags: [api, ui], since: '2026-03-01T12:11:00Z', until: '2026-03-01T13:13:00+01:00'}",
            _filter(tags={"api", "ui"}, **_TIMES),
        ),
        ("filter: {tags: {include: api, require: [api], exclude: [internal]}}", _filter(tags=_REQUIRED)),
        ("{all: , limit: 3}", LimitedProvider(AllVisibleProvider(), 3)),
        ("{all: , redact: {keys: content}}", RedactingProvider(AllVisibleProvider(), keys="content")),
        ("{state: , redact: {patterns: 'sk-.'}}", RedactingProvider(StateDelegatingProvider(), patterns=["sk-."])),
        (TREE, LimitedProvider(RedactingProvider(_BOTH, keys={"private_notes"}, patterns=["sk-[a-z0-9]+"]), 10)),
    ],
)
async def test_a_declared_provider_does_what_the_classes_do(board: Board, tree: str, same: ContextProvider) -> None:
    await _board(board)
    items = await _items(same, board)
    assert items
    for loaded in (load_yaml(tree)[0], yaml.safe_load(tree)):
        assert await _items(build_provider(loaded, "x"), board) == items


@pytest.mark.parametrize(
    ("day", "expected"), [("2026-03-01", ["on", "before"]), ("2026-02-28", []), (date(2026, 3, 1), ["on", "before"])]
)
async def test_until_a_date_is_until_its_end(board: Board, day: object, expected: list[str]) -> None:
    await filled(board, artifact("before", 0), artifact("on", 60 * 11), artifact("after", 60 * 12))
    found = await run_slice(build_provider({"filter": {"until": day}}, "x"), board)
    assert [item["id"] for item in found.items] == expected


@cases(
    ("data", "path", "reason", "hint"),
    [
        (None, "", "should be a mapping, not NoneType", "correlation"),
        ([], "", "should be a mapping, not list", "correlation"),
        ("corelation", "", "unknown key `corelation`", "did you mean `correlation`?"),
        ({}, "", "names no provider", "composite"),
        ({"limit": 3}, "", "names no provider", "composite"),
        ({"all": None, "state": None}, "", "names both all and state", "composite"),
        ({"all": 3}, "all", "takes no value", "filter"),
        ({"filter": None}, "filter", "should be a mapping", "types"),
        ({"filter": {"tag": ["a"]}}, "filter", "unknown key `tag`", "did you mean `tags`?"),
        ({"filter": {"tags": {"any": []}}}, "filter.tags", "unknown key `any`", "include"),
        ({"filter": {"tags": ["a", 1]}}, "filter.tags[1]", "should be a string, not `1`", "quotes"),
        ({"filter": {"tags": 7}}, "filter.tags", "should be a list of strings", None),
        ({"filter": {"types": [True]}}, "filter.types[0]", "should be a string", "quotes"),
        ({"filter": {"limit": -1}}, "filter.limit", "should be a number of items, not `-1`", "0 or more"),
        ({"filter": {"limit": True}}, "filter.limit", "should be a number", "0 or more"),
        ({"filter": {"order": "size"}}, "filter.order", "cannot be 'size'", "-created_at"),
        ({"filter": {"order": []}}, "filter.order", "should be one of -created_at, created_at", ""),
        ({"filter": {"since": "tomorrow"}}, "filter.since", "not a date or time", "2026-01-31"),
        ({"filter": {"since": "2026-02-30"}}, "filter.since", "not a date or time", "2026-01-31"),
        ({"filter": {"until": "2026-01-01T10:00"}}, "filter.until", "no offset", "Z"),
        ({"filter": {"since": "0001-01-01T00:00:00+14:00"}}, "filter.since", "outside the range of years", None),
        ({"filter": {"until": 20260101}}, "filter.until", "should be a date or time", None),
        ({"filter": {"correlation_id": 7}}, "filter.correlation_id", "should be a string", "quotes"),
        ({"composite": []}, "composite", "should be a list of nodes", "correlation"),
        ({"composite": "all"}, "composite", "should be a list of nodes", "correlation"),
        ({"composite": ["all", {"filter": {"limits": 1}}]}, "composite[1].filter", "unknown key `limits`", "`limit`"),
        ({"composite": ["all", 3]}, "composite[1]", "should be a mapping", "correlation"),
        ({"all": None, "limit": "3"}, "limit", "should be a number", "0 or more"),
        ({"all": None, "redact": {}}, "redact", "names nothing to redact", "patterns"),
        ({"all": None, "redact": {"transform": "os"}}, "redact", "unknown key `transform`", "known: keys, patterns"),
        ({"all": None, "redact": {"patterns": ["a", "("]}}, "redact.patterns[1]", "not a regular expression", None),
        ({"all": None, "redact": {"patterns": ["a*"]}}, "redact.patterns[0]", "matches the empty string", "at least"),
        ({"all": None, "redact": {"keys": {"a": 1}}}, "redact.keys", "should be a list of strings", None),
        ({1: None, "all": None}, "", "unknown key `1`", "known"),
    ],
)
def test_a_bad_tree_is_refused_with_path_and_reason(data: object, path: str, reason: str, hint: str | None) -> None:
    with refused() as caught:
        build_provider(data, "recipe.yaml")
    assert caught.value.message.startswith(f"recipe.yaml: `{path}`" if path else "recipe.yaml: ")
    assert reason in caught.value.message
    assert (hint or "") in (caught.value.hint or "")


def test_the_line_is_told_where_somebody_knows_it() -> None:
    lines: dict[tuple[str | int, ...], int] = {("composite", 1, "filter", "tag"): 7}
    with pytest.raises(ContextError, match=re.escape("recipe.yaml:7: `composite[1].filter`: unknown key `tag`")):
        build_provider({"composite": ["all", {"filter": {"tag": 1}}]}, "recipe.yaml", lines.get)
    # A tree without end is refused.
    tree: dict[str, Any] = {}
    tree["composite"] = [tree]
    with pytest.raises(ContextError, match="nested more than 16 deep"):
        build_provider(tree, "x")


def test_all_public_names_are_there_and_importing_them_is_cheap() -> None:
    assert all(getattr(slices, name).__module__.startswith("ctxtui.slices.") for name in dir(slices))
    code = "import json, sys\nfrom ctxtui.slices import *\nprint(json.dumps(sorted(sys.modules)))"
    modules = set(json.loads(subprocess.check_output([sys.executable, "-c", code], text=True)))
    assert (
        not {"tiktoken", "markdown_it", "pyromark", "textual", "pydantic", "ctxtui.workspace", "ctxtui.entries"}
        & modules
    )
