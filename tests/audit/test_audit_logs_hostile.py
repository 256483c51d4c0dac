"""Transcripts that anybody may have written: random, torn, endless, deep, linked; nothing raises, all of it is counted."""

from __future__ import annotations

import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui import Workspace
from ctxtui.audit.logs.lines import read_lines
from ctxtui.audit.logs.read import read_transcripts
from ctxtui.audit.logs.report import Logs, logs_json, read_logs
from ctxtui.audit.logs.types import Transcripts
from ctxtui.cli.audits.logs_table import logs_table
from ctxtui.core import get_counter
from tests.audit.auditing_helpers import ignore
from tests.audit.transcripts import (
    Home,
    Record,
    agents_md,
    answer,
    attachment,
    counted,
    instructions,
    item,
    lines,
    message,
    said,
    skill_listing,
)
from tests.cases import cases

RULES = "# Rules\n"
BILL = (3, 900, 100)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A project with transcripts that examples replace."""
    root = tmp_path_factory.mktemp("project").resolve()
    (root / "CLAUDE.md").write_text(RULES)
    (root / "AGENTS.md").write_text(RULES)
    return Home(tmp_path_factory.mktemp("user"), root)


@pytest.fixture
def own(tmp_path: Path) -> Home:
    """A project and transcripts of one test."""
    root = (tmp_path / "project").resolve()
    root.mkdir()
    (root / "CLAUDE.md").write_text(RULES)
    return Home(tmp_path / "user", root)


@cache
def opened(root: Path) -> Workspace:
    """The project, opened once for all examples."""
    return Workspace.open(root, on_notice=ignore)


def logs_of(home: Home) -> Logs:
    return read_logs(opened(home.root), get_counter(), home.environment)


def everything(home: Home) -> str:
    """All that is shown of the transcripts, in all forms."""
    logs = logs_of(home)
    return "\n".join((logs_table(logs), logs_table(logs, every=True), json.dumps(logs_json(logs))))


def of(home: Home, agent: str) -> Transcripts:
    (found,) = [each for each in read_transcripts(home.environment, (str(home.root),)) if each.agent == agent]
    return found


def good(home: Home) -> list[Record]:
    """A conversation of each agent, as records with all that they need."""
    claude = [
        said("hi"),
        instructions({home.root / "CLAUDE.md": RULES}),
        skill_listing({"one": "Helps.", "two": ""}),
        attachment("deferred_tools_delta", addedNames=["mcp__hub__ask"], addedLines=["mcp__hub__ask"]),
        answer(BILL, ("Skill", {"skill": "one"})),
    ]
    codex = [
        {"type": "session_meta", "payload": {"id": "x", "cwd": str(home.root), "cli_version": "1"}},
        agents_md(home.root, RULES),
        message(
            "developer", "<skills_instructions>\n### Available skills\n- one: x (file: y)\n</skills_instructions>"
        ),
        item("function_call", name="exec_command", arguments="cat x/SKILL.md"),
        counted(10),
    ]
    return [{**record, "cwd": str(home.root), "sessionId": "a"} for record in claude] + codex


def write(home: Home, data: bytes) -> None:
    """Make some bytes the only transcript of both agents."""
    folder = home.claude(said("hi"), id_="a").parent
    (folder / "a.jsonl").write_bytes(data)
    rollout = home.place / ".codex/sessions/2026/09/20/rollout-a.jsonl"
    rollout.parent.mkdir(parents=True, exist_ok=True)
    rollout.write_bytes(data)


@given(st.binary(max_size=400))
def test_random_bytes_are_counted(home: Home, data: bytes) -> None:
    write(home, lines([good(home)[0], good(home)[5]]) + data)
    everything(home)


@given(st.data())
def test_transcripts_torn_anywhere_are_read_as_far_as_they_go(home: Home, data: st.DataObject) -> None:
    whole = lines(good(home))
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
    write(home, whole[:start] + data.draw(st.binary(max_size=3)) + whole[end:])
    everything(home)


_SCALARS = st.none() | st.booleans() | st.integers(-5, 2**70) | st.floats() | st.text(max_size=5)
_NAMES = (
    "type attachment message content usage name names files path text payload role input info cwd rendered".split()
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(_NAMES) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.data())
def test_records_with_any_values_in_known_places_never_raise(home: Home, data: st.DataObject) -> None:
    """Known records, of which one value somewhere is another."""
    records = json.loads(json.dumps(good(home)))
    for _ in range(data.draw(st.integers(1, 4))):
        _replace(data, data.draw(st.sampled_from(records)))
    write(home, lines(records))
    everything(home)


def _replace(data: st.DataObject, record: Any) -> None:
    """Put another value somewhere in a record."""
    while True:
        keys = list(record) if isinstance(record, dict) else list(range(len(record)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        inner = record[key]
        if isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
            record = inner
            continue
        record[key] = data.draw(_VALUES)
        return


@given(st.lists(st.binary(max_size=30)), st.integers(0, 20))
def test_lines_are_those_of_the_file_but_for_longer_ones(pieces: list[bytes], most: int) -> None:
    data = b"\n".join(pieces)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        found = list(read_lines(file.fileno(), most))
    assert found == [line if len(line) <= most else None for line in data.split(b"\n") if line]


def test_an_endless_line_is_skipped_and_the_next_is_read(own: Home) -> None:
    own.claude(said("x" * (17 * 1024 * 1024)), answer(BILL))
    found = of(own, "claude-code")
    assert (found.skipped.long, len(found.starts)) == (1, 1)


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"a": 1e999}',
        b'{"type": "user", "message": ' + b"[" * 40 + b"]" * 40 + b"}",
        b'{"type": "\xff\xfe"}',
        b"\0\0\0",
        b"[]",
        b"null",
        b"\xef\xbb\xbf{",
    ],
    ids=range(10),
)
def test_what_is_no_record_is_a_broken_line(own: Home, line: bytes) -> None:
    place = own.claude(said("hi"), answer(BILL))
    place.write_bytes(line + b"\n" + place.read_bytes())
    found = of(own, "claude-code")
    assert (found.skipped.broken, len(found.starts)) == (1, 1)


def test_unknown_records_are_skipped_and_counted_by_type(own: Home) -> None:
    own.claude({"type": "new"}, {"type": "new"}, {"x": 1}, attachment("newer"), attachment("date"), answer(BILL))
    own.codex({"type": "new", "payload": {}}, item("newest"), counted(1))
    assert of(own, "claude-code").skipped.unknown == {"new": 2, "without a type": 1, "attachment newer": 1}
    assert of(own, "codex").skipped.unknown == {"new": 1, "item newest": 1}


def test_amounts_that_cannot_be_are_no_bill(own: Home) -> None:
    own.claude(answer((-1, True, 2**60)), answer((0, 0, 5)))  # type: ignore[arg-type]
    (start,) = of(own, "claude-code").starts
    assert start.billed == (0, 0, 5)
    own.codex(counted(-5), counted(5, cached=9, written=9))
    (start,) = of(own, "codex").starts
    assert start.billed == (0, 0, 5)


def test_links_are_not_followed_and_pipes_are_not_opened(own: Home, tmp_path: Path) -> None:
    place = own.claude(said("hi"), answer(BILL))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "far.jsonl").write_bytes(place.read_bytes())
    (place.parent / "link.jsonl").symlink_to(outside / "far.jsonl")
    (place.parent / "near.jsonl").symlink_to(place)
    place.parent.with_name(f"{place.parent.name}-linked").symlink_to(outside)
    os.mkfifo(place.parent / "pipe.jsonl")
    (place.parent / "folder.jsonl").mkdir()
    day = own.codex(message("user", "hi"), counted(1)).parent
    day.with_name("21").symlink_to(outside)
    (day / "rollout-b.jsonl.zst").write_bytes(b"(\xb5/\xfd")
    found = of(own, "claude-code")
    assert (len(found.starts), found.read, found.skipped.refused) == (1, 1, 5)
    assert (of(own, "codex").read, of(own, "codex").skipped.refused) == (1, 1)


def test_only_the_newest_are_read(own: Home) -> None:
    for number in range(5):
        os.utime(own.claude(said("hi"), answer((number, 0, 0)), day=1 + number), (number, number))
    found = next(iter(read_transcripts(own.environment, (str(own.root),), most=2)))
    assert [start.billed for start in found.starts] == [(4, 0, 0), (3, 0, 0)]
    assert found.skipped.unread == 3


def test_transcripts_beyond_those_that_are_listed_count_as_unread(own: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxtui.audit.logs.read.MAX_LISTED", 2)
    for day in range(1, 6):
        own.claude(said("hi"), answer((day, 0, 0)), day=day)
    found = of(own, "claude-code")
    assert (found.read, found.skipped.unread) == (2, 3)


SECRET = "AKIA" + "Q7RZ4M2KX9PLT3WB"
ESCAPE = "\x1b]0;owned\x07\u202e"


def test_no_text_of_a_conversation_is_shown_and_names_are_harmless(own: Home) -> None:
    mark = "LEAKED"
    own.claude(
        said(f"{mark} {SECRET}"),
        attachment("hook_success", content=mark, command=mark),
        attachment("session_context", context={"gitStatus": mark, "userEmail": mark}),
        attachment(f"new{ESCAPE}"),
        instructions({own.root / "CLAUDE.md": f"{RULES}{mark}", own.root / f"x{ESCAPE}.md": mark}),
        instructions({Path(f"/away/{SECRET}/" + "long" * 100): mark}),
        skill_listing({f"evil{ESCAPE}": mark, f"token-{SECRET}": mark}),
        attachment("prompt_snapshot", systemPrompt=[mark], tools=[{"name": "Bash", "description": mark}]),
        attachment("mcp_instructions_delta", addedNames=[f"hub{ESCAPE}"], addedBlocks=[mark]),
        answer(BILL, ("Read", {"file_path": f"/{mark}"}), ("Bash", {"command": mark}), model=f"claude{ESCAPE}"),
    )
    own.codex(message("user", mark), agents_md(own.root, mark), counted(9), base_instructions={"text": mark})
    shown = everything(own)
    assert "evil" in shown
    assert mark not in shown
    assert SECRET not in shown
    assert not {"\x1b", "\x07", "\u202e", "\\u001b", "\\u202e"} & set(shown)
    assert "\\u001b" not in shown
    assert "\\u202e" not in shown
    assert "long" * 40 not in shown


def test_reading_leaves_everything_as_it_is(own: Home) -> None:
    own.claude(said("hi"), answer(BILL))
    before = {path: path.stat().st_mtime_ns for path in own.place.rglob("*")}
    everything(own)
    assert {path: path.stat().st_mtime_ns for path in own.place.rglob("*")} == before


@cases(
    "below", ["src/..", "..", "\0", "[a", "*", f"{'a' * 200}/" * 30, "a/" * 8_000, "\ud800", "src/../../x", "\n", " "]
)
def test_any_folder_may_be_that_of_a_start(own: Home, below: str) -> None:
    for number in (0, 1, 11):
        record = instructions({own.root / below: "x"})
        own.claude({**record, "cwd": f"{own.root}/{below}{'/x' * number}"}, answer(BILL))
    everything(own)
