"""`ctxtui fleet report`: text, JSON and a page from one file with results, harmless whatever is in it."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import cases
from tests.cli.streams import Ran, in_pipe, on_terminal
from tests.cli.test_output import steering
from tests.fleet.hostile_fleet import hostile_outcomes
from tests.fleet.kept import generated, keep, outcome
from tests.fleet.test_summary import fault, repository, with_text

BEFORE = [repository("api", 1_000), repository("web", 200)]
NOW = [
    repository("api", 1_500, fault("secret", "error", path="docs/deploy.md", line=4)),
    repository("web", 200, fault("paid-twice", tokens=80)),
    outcome("gone", error="/srv/gone does not exist"),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return keep(tmp_path / "fleet.db", BEFORE, NOW)


def run(folder: Path, *words: object) -> Ran:
    return in_pipe(["fleet", "report", *map(str, words)], folder)


def test_its_options_may_stand_before_report_and_a_list_may_be_called_so(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (["-q"], ["--json"], ["--since", "last", "-q"], ["--since=1"]):
        ran = in_pipe(["fleet", *words, "report", str(file)], tmp_path)
        assert (ran.status, ran) == (0, run(tmp_path, *words, file))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report").write_text("gone\n")
    for words in (["-o", "x.db"], ["--fresh"], ["--"]):
        assert b"1 repository" in in_pipe(["fleet", *words, "report"], tmp_path).err


def test_text_says_what_matters(file: Path, tmp_path: Path) -> None:
    ran = run(tmp_path, file)
    assert ran.status == 0
    text = ran.out.decode()
    for part in (
        "3 repositories, 1 not audited; run 2 of ",
        "compared with run 1; tokens of o200k_base",
        "secret  1 finding in 1 repository\n      api docs/deploy.md:4\n",
        "paid-twice  1 finding in 1 repository, saves up to 80 tokens\n      web 80\n",
        "SINCE  run 1: +500 tokens at starts; 1 grew, 0 shrank\n  api  codex  +500  1,500\n",
        "  New: 1 repository: gone\n",
        "NOT AUDITED  1 repository\n  1  … does not exist: /srv/gone\n",
    ):
        assert part in text, text
    assert b"--html" in ran.err


def test_a_large_fleet_is_short_and_says_how_much_more_there_is(tmp_path: Path) -> None:
    text = run(tmp_path, keep(tmp_path / "fleet.db", generated(500))).out.decode()
    assert len(text.splitlines()) < 60
    assert " more repositories" in text


def test_json_has_the_figures(file: Path, tmp_path: Path) -> None:
    ran = run(tmp_path, file, "--json")
    document = json.loads(ran.out)
    assert set(document) == {"result", "notices"}
    result = document["result"]
    assert (result["run"]["id"], result["before"]["id"], result["growth"]) == (2, 1, 500)
    assert [each["name"] for each in result["repositories"]] == ["api", "gone", "web"]
    row = result["repositories"][0]
    assert (row["change"], row["findings"], row["error"]) == (500, {"error": 1}, None)
    assert row["agents"] == [{"agent": "codex", "start": 1_500, "home": 0, "lost": 0}]
    assert (result["medianStart"], result["starts"][0]["largestIn"]) == (200, "api")
    assert result["first"] == ["secret", "paid-twice"]
    assert result["secrets"] == [{"repository": "api", "path": "docs/deploy.md", "line": 4, "severity": "error"}]


def test_another_run_can_be_reported(file: Path, tmp_path: Path) -> None:
    result = json.loads(run(tmp_path, file, "--run", 1, "--json").out)["result"]
    assert (result["run"]["id"], result["before"], result["growth"]) == (1, None, None)


POLICY = """
[limits.start]
codex = "1k"
[rules]
forbidden = ["secret"]
[[exceptions]]
repository = "api"
rule = "secret"
reason = "a fixture"
until = 2999-01-01
[[exceptions]]
repository = "web"
limit = "start codex"
reason = "until the move"
until = 2020-01-01
"""


def test_a_policy_is_judged(file: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY)
    ran = run(tmp_path, file, "--limits", policy)
    assert ran.status == 1
    text = ran.out.decode()
    for part in (
        "LIMITS  1 repository over\n  FAIL api: start codex 1,500 > 1,000\n",
        "ok   api: secret 1 > 0 (excepted until 2999-01-01: a fixture)",
        "the exception for web, start codex ended on 2020-01-01",
        "limit 1,000, 1 over",
    ):
        assert part in text, text
    limits = json.loads(run(tmp_path, file, "--limits", policy, "--json").out)["result"]["limits"]
    assert limits["passed"] is False
    assert [each["repository"] for each in limits["breaches"]] == ["api"]
    assert limits["covered"][0]["exception"]["reason"] == "a fixture"
    assert run(tmp_path, file, "--limits", policy, "--html").status == 1
    page = (tmp_path / "fleet.html").read_text("utf-8")
    assert '["api","start codex",1500,1000]' in page
    policy.write_text('[limits.start]\ncodex = "2k"\n')
    assert run(tmp_path, file, "--limits", policy).status == 0


def test_a_run_that_counted_for_an_unknown_model_is_judged_by_its_estimate(tmp_path: Path) -> None:
    file = keep(tmp_path / "fleet.db", [repository("api", 1_000), repository("web", 200)], tokenizer="my-own-model")
    (tmp_path / "policy.toml").write_text('[limits.start]\ncodex = "1.2k"\n')
    ran = run(tmp_path, file, "--limits", tmp_path / "policy.toml")
    assert ran.status == 1
    text = ran.out.decode()
    assert "FAIL api: start codex 1,000 (judged by 1,600) > 1,200\n" in text
    assert "limit 1,200, 1 over\n" in text


def test_any_run_can_be_compared_with(tmp_path: Path) -> None:
    file = keep(tmp_path / "fleet.db", [repository("api", 10)], [repository("api", 700)], [repository("api", 500)])
    for since, growth in (("1", 490), ("2", -200), ("last", -200)):
        result = json.loads(run(tmp_path, file, "--since", since, "--json").out)["result"]
        assert (result["growth"], result["repositories"][0]["change"]) == (growth, growth)
    for since, status in (("3", 2), ("9", 3), ("yesterday", 2)):
        assert run(tmp_path, file, "--since", since).status == status


def test_a_dump_is_the_same_for_the_same_findings(file: Path, tmp_path: Path) -> None:
    other = keep(tmp_path / "other.db", NOW)
    one, two = (run(tmp_path, each, "--dump") for each in (file, other))
    assert (one.status, one.out) == (0, two.out)
    rows = [json.loads(line) for line in one.out.splitlines()]
    assert len(rows) > 6
    assert run(tmp_path, file, "--dump", "--run", 1).out != one.out
    refused = run(tmp_path, file, "--dump", "--json")
    assert refused.status == 2
    assert b"leave out --json" in refused.err


def test_prices_are_those_of_a_model(tmp_path: Path) -> None:
    outcomes = [with_text(name) for name in ("a", "b", "c")]
    file = keep(tmp_path / "fleet.db", outcomes)
    text = run(tmp_path, file, "--model", "gpt-4o").out.decode()
    assert "SHARED  1 text in 2 repositories or more: 9,000 tokens at all starts, $" in text
    assert "Use the design system." in text
    texts = json.loads(run(tmp_path, file, "--json").out)["result"]["texts"]
    assert (texts["count"], texts["atStart"], texts["dollars"]) == (1, 9_000, None)
    assert texts["texts"][0]["places"][0] == ["a", "AGENTS.md", 1]
    assert "prices are estimates" not in run(tmp_path, file, "--model", "gpt-4o").err.decode()
    assert "not as gpt-4 counts: prices are estimates" in run(tmp_path, file, "--model", "gpt-4").err.decode()
    unknown = run(tmp_path, file, "--model", "nonesuch-9")
    assert (unknown.status, b"not public" in unknown.err) == (0, True)


def test_a_page_is_written_beside_the_results_or_where_one_says(file: Path, tmp_path: Path) -> None:
    ran = run(tmp_path, file, "--html")
    assert (ran.status, ran.out) == (0, b"")
    page = (tmp_path / "fleet.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert f"wrote {tmp_path / 'fleet.html'}".encode() in ran.err
    assert run(tmp_path, file, "--html", tmp_path / "other.html").status == 0
    assert (tmp_path / "other.html").read_text("utf-8") == page
    both = run(tmp_path, file, "--html", "--json")
    assert json.loads(both.out)["result"]["run"]["id"] == 2


def test_a_page_never_replaces_results(file: Path, tmp_path: Path) -> None:
    other = keep(tmp_path / "other", BEFORE)
    before = file.read_bytes(), other.read_bytes()
    for place in (file, other):
        ran = run(tmp_path, file, "--html", place)
        assert ran.status == 2
        assert b"holds results, which the page would replace" in ran.err
    assert (file.read_bytes(), other.read_bytes()) == before


@cases(
    ("words", "status", "said"),
    [
        (["{missing}"], 3, "does not exist"),
        (["{text}"], 2, "does not hold results of a fleet"),
        (["{file}", "--run", "9"], 3, "no run 9"),
        (["{file}", "--html", "{text}/page.html"], 4, "cannot write"),
        ([], 2, "FILE"),
    ],
)
def test_what_cannot_be_done_is_said(file: Path, tmp_path: Path, words: list[str], status: int, said: str) -> None:
    text = tmp_path / "text"
    text.write_text("not a database")
    places = {"missing": tmp_path / "missing.db", "text": text, "file": file}
    ran = run(tmp_path, *(word.format(**places) for word in words))
    assert (ran.status, ran.out) == (status, b"")
    assert said in ran.err.decode()
    assert b"Traceback" not in ran.err


@pytest.mark.parametrize("words", [(), ("--json",), ("--html",)], ids=["text", "json", "page"])
def test_hostile_results_steer_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    file = keep(tmp_path / "fleet.db", hostile_outcomes(), hostile_outcomes())
    piped = run(tmp_path, file, *words)
    shown = on_terminal(["fleet", "report", str(file), *words])
    for ran in (piped, shown):
        assert ran.status == 0, ran.err
        assert not steering(ran.out)
        assert not steering(ran.err)
    if words == ("--json",):
        names = {each["name"] for each in json.loads(piped.out)["result"]["repositories"]}
        assert names == {each.member.name for each in hostile_outcomes()}, "the same values, only escaped"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE runs SET began = x'00'",
        "UPDATE repositories SET tokens = 'many'",
        "UPDATE repositories SET name = x'ff' WHERE name = 'api'",
        "UPDATE findings SET severity = 'fatal'",
        "UPDATE findings SET tokens = 'many'",
        "UPDATE agents SET start = 'x'",
        "UPDATE findings SET path = x'ff'",
        "UPDATE findings SET rule = x'ff'",
        "DROP TABLE findings",
    ],
)
@pytest.mark.parametrize("words", [(), ("--json",), ("--html",)], ids=["text", "json", "page"])
def test_results_that_nobody_wrote_so_are_no_bug(
    file: Path, tmp_path: Path, change: str, words: tuple[str, ...]
) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(change)
        connection.commit()
    ran = run(tmp_path, file, *words)
    assert ran.status in (2, 4)
    assert os.fsencode(file) in ran.err
    assert b"Traceback" not in ran.err
    assert b"a bug" not in ran.err


def test_a_page_replaces_a_page_and_no_other_document(file: Path, tmp_path: Path) -> None:
    place = tmp_path / "runbook.md"
    place.write_text("# Runbook\n")
    ran = run(tmp_path, file, "--html", place)
    assert ran.status == 2
    assert b"runbook.md is not a page of a fleet, and would be replaced" in ran.err
    assert place.read_text() == "# Runbook\n"
    for _ in range(2):
        assert run(tmp_path, file, "--html", tmp_path / "page.html").status == 0
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "page.html").symlink_to(tmp_path / "page.html")
    assert run(tmp_path, file, "--html", tmp_path / "inner" / "page.html").status == 2
    assert run(tmp_path, file, "--html", place, "--force").status == 0
    assert place.read_text().startswith("<!doctype html>")
