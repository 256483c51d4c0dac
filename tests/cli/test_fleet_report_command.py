"""`ctxtui fleet report`: text, JSON and a page from one file with results, harmless whatever is in it."""

import json
import sqlite3
from collections.abc import Container
from contextlib import closing
from pathlib import Path

import pytest

from ctxtui.fleet.types import Member, Outcome
from tests.cases import cases
from tests.cli.streams import in_pipe, on_terminal
from tests.cli.test_output import steering
from tests.conftest import Asked, Said
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


@pytest.fixture
def report(tmp_path: Path) -> Asked:
    """Runs `fleet report` behind pipes, which exits with a status."""

    def run(*words: object, status: int | Container[int] = 0) -> Said:
        ran = in_pipe(["fleet", "report", *map(str, words)], tmp_path)
        assert ran.status == status if isinstance(status, int) else ran.status in status, ran.err
        assert b"Traceback" not in ran.err
        return Said(ran.out.decode(), ran.err.decode())

    return run


def test_its_options_may_stand_before_report_and_a_list_may_be_called_so(
    report: Asked, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (["-q"], ["--json"], ["--since", "last", "-q"], ["--since=1"]):
        ran = in_pipe(["fleet", *words, "report", str(file)], tmp_path)
        assert (ran.status, ran.out.decode(), ran.err.decode()) == (0, *report(*words, file))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report").write_text("gone\n")
    for words in (["-o", "x.db"], ["--fresh"], ["--"]):
        assert b"1 repository" in in_pipe(["fleet", *words, "report"], tmp_path).err


def test_a_wrong_line_is_named_whatever_signs_it_has(report: Asked, tmp_path: Path) -> None:
    wrong = Outcome(Member("list:2", ""), "list:2: no address: https://h/…")
    file = keep(tmp_path / "fleet.db", [outcome("web"), wrong])
    assert "  1  list:2: no address: https://h/…: list:2\n" in report(file).out


def test_text_says_what_matters(report: Asked, file: Path) -> None:
    text, err = report(file)
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
    assert "--html" in err


def test_a_large_fleet_is_short_and_says_how_much_more_there_is(report: Asked, tmp_path: Path) -> None:
    text = report(keep(tmp_path / "fleet.db", generated(500))).out
    assert len(text.splitlines()) < 60
    assert " more repositories" in text


def test_json_has_the_figures_of_any_run(report: Asked, file: Path) -> None:
    document = json.loads(report(file, "--json").out)
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
    result = report(file, "--run", 1, "--json").result
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


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    place = tmp_path / "policy.toml"
    place.write_text(POLICY)
    return place


def test_a_policy_is_judged(report: Asked, file: Path, policy: Path, tmp_path: Path) -> None:
    text = report(file, "--limits", policy, status=1).out
    for part in (
        "LIMITS  1 repository over\n  FAIL api: start codex 1,500 > 1,000\n",
        "ok   api: secret 1 > 0 (excepted until 2999-01-01: a fixture)",
        "the exception for web, start codex ended on 2020-01-01",
        "limit 1,000, 1 over",
    ):
        assert part in text, text
    limits = report(file, "--limits", policy, "--json", status=1).result["limits"]
    assert limits["passed"] is False
    assert [each["repository"] for each in limits["breaches"]] == ["api"]
    assert limits["covered"][0]["exception"]["reason"] == "a fixture"
    report(file, "--limits", policy, "--html", status=1)
    assert '["api","start codex",1500,1000]' in (tmp_path / "fleet.html").read_text("utf-8")
    policy.write_text('[limits.start]\ncodex = "2k"\n')
    report(file, "--limits", policy)


def test_a_run_that_counted_for_an_unknown_model_is_judged_by_its_estimate(
    report: Asked, policy: Path, tmp_path: Path
) -> None:
    file = keep(tmp_path / "fleet.db", BEFORE, tokenizer="my-own-model")
    policy.write_text('[limits.start]\ncodex = "1.2k"\n')
    text = report(file, "--limits", policy, status=1).out
    assert "FAIL api: start codex 1,000 (judged by 1,600) > 1,200\n" in text
    assert "limit 1,200, 1 over\n" in text


def test_any_run_can_be_compared_with(report: Asked, tmp_path: Path) -> None:
    file = keep(tmp_path / "fleet.db", *([repository("api", tokens)] for tokens in (10, 700, 500)))
    for since, growth in (("1", 490), ("2", -200), ("last", -200)):
        result = report(file, "--since", since, "--json").result
        assert (result["growth"], result["repositories"][0]["change"]) == (growth, growth)
    for since, status in (("3", 2), ("9", 3), ("yesterday", 2)):
        report(file, "--since", since, status=status)


def test_a_dump_is_the_same_for_the_same_findings(report: Asked, file: Path, tmp_path: Path) -> None:
    one, two = (report(each, "--dump").out for each in (file, keep(tmp_path / "other.db", NOW)))
    assert one == two != report(file, "--dump", "--run", 1).out
    assert len([json.loads(line) for line in one.splitlines()]) > 6
    assert "leave out --json" in report(file, "--dump", "--json", status=2).err


def test_prices_are_those_of_a_model(report: Asked, tmp_path: Path) -> None:
    file = keep(tmp_path / "fleet.db", [with_text(name) for name in ("a", "b", "c")])
    text, err = report(file, "--model", "gpt-4o")
    assert "SHARED  1 text in 2 repositories or more: 9,000 tokens at all starts, $" in text
    assert "Use the design system." in text
    texts = report(file, "--json").result["texts"]
    assert (texts["count"], texts["atStart"], texts["dollars"]) == (1, 9_000, None)
    assert texts["texts"][0]["places"][0] == ["a", "AGENTS.md", 1]
    assert "prices are estimates" not in err
    assert "not as gpt-4 counts: prices are estimates" in report(file, "--model", "gpt-4").err
    assert "not public" in report(file, "--model", "nonesuch-9").err


def test_a_page_is_written_beside_the_results_or_where_one_says(report: Asked, file: Path, tmp_path: Path) -> None:
    beside, other = tmp_path / "fleet.html", tmp_path / "other.html"
    out, err = report(file, "--html")
    assert (out, f"wrote {beside}" in err) == ("", True)
    page = beside.read_text("utf-8")
    assert page.startswith("<!doctype html>")
    report(file, "--html", other)
    assert other.read_text("utf-8") == page
    assert report(file, "--html", "--json").result["run"]["id"] == 2


def test_a_page_replaces_a_page_and_neither_results_nor_another_document(
    report: Asked, file: Path, tmp_path: Path
) -> None:
    other, document, page = keep(tmp_path / "other", BEFORE), tmp_path / "runbook.md", tmp_path / "page.html"
    document.write_text("# Runbook\n")
    before = file.read_bytes(), other.read_bytes(), document.read_bytes()
    for place in (file, other):
        assert "holds results, which the page would replace" in report(file, "--html", place, status=2).err
    told = "runbook.md is not a page of a fleet, and would be replaced"
    assert told in report(file, "--html", document, status=2).err
    assert (file.read_bytes(), other.read_bytes(), document.read_bytes()) == before
    for _ in range(2):
        report(file, "--html", page)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "page.html").symlink_to(page)
    report(file, "--html", tmp_path / "inner" / "page.html", status=2)
    report(file, "--html", document, "--force")
    assert document.read_text().startswith("<!doctype html>")


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
def test_what_cannot_be_done_is_said(
    report: Asked, file: Path, tmp_path: Path, words: list[str], status: int, said: str
) -> None:
    text = tmp_path / "text"
    text.write_text("not a database")
    places = {"missing": tmp_path / "missing.db", "text": text, "file": file}
    out, err = report(*(word.format(**places) for word in words), status=status)
    assert (out, said in err) == ("", True)


FORMS: list[tuple[str, ...]] = [(), ("--json",), ("--html",)]


@cases("words", FORMS)
def test_hostile_results_steer_nothing(report: Asked, tmp_path: Path, words: tuple[str, ...]) -> None:
    file = keep(tmp_path / f"fleet{words}.db", hostile_outcomes(), hostile_outcomes())
    piped = report(file, *words)
    shown = on_terminal(["fleet", "report", str(file), *words])
    assert shown.status == 0, shown.err
    for each in (piped.out.encode(), piped.err.encode(), shown.out, shown.err):
        assert not steering(each)
    if words == ("--json",):
        names = {each["name"] for each in piped.result["repositories"]}
        assert names == {each.member.name for each in hostile_outcomes()}, "the same values, only escaped"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE runs SET began = x'00'",
        "UPDATE repositories SET tokens = 'many'",
        "UPDATE repositories SET name = x'ff' WHERE name = 'api'",
        *(f"UPDATE findings SET {change}" for change in ("severity = 'fatal'", "tokens = 'many'")),
        *(f"UPDATE findings SET {column} = x'ff'" for column in ("path", "rule")),
        "UPDATE agents SET start = 'x'",
        "DROP TABLE findings",
    ],
)
def test_results_that_nobody_wrote_so_are_no_bug(report: Asked, file: Path, change: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(change)
    for words in FORMS:
        err = report(file, *words, status=(2, 4)).err
        assert (str(file) in err, "a bug" in err) == (True, False), (words, err)
