"""The policy of a fleet: read with errors that name file, line and remedy, and judged as a person would."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.audit.types import SEVERITIES
from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.fleet.judge import Breach, Verdict, judge, verdict_lines
from ctxtui.fleet.policy import Policy, read_policy
from ctxtui.fleet.results.read import find_run
from ctxtui.fleet.types import AgentStart, Fault, Member, Outcome
from tests.cases import cases
from tests.fleet.results_helpers import file, results

TODAY = date(2026, 11, 1)
WHOLE = """
[limits]
total = "40k"
[limits.start]
codex = "12k"
[limits.kind]
skill = 100

[rules]
forbidden = ["secret"]
most = { warning = 2, broken-link = 1 }

[[exceptions]]
repository = "legacy-*"
limit = "start codex"
reason = "moves to skills"
until = 2026-11-01

[[exceptions]]
repository = "acme/api"
rule = "secret"
reason = "a test key"
until = "2026-10-31"
"""


def policy(tmp_path: Path, text: str) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_text(text)
    return read_policy(path)


def judged(tmp_path: Path, text: str, *outcomes: Outcome, tokenizer: str = "o200k_base") -> Verdict:
    with results(tmp_path, outcomes, tokenizer=tokenizer) as connection:
        return judge(connection, find_run(connection), policy(tmp_path, text), TODAY)


def fault(rule: str, severity: str = "error", number: int = 0) -> Fault:
    return Fault(rule, severity, "message", "A.md", number, 0, f"{rule}|{number}")  # type: ignore[arg-type]


def test_a_policy_is_read_whole(tmp_path: Path) -> None:
    read = policy(tmp_path, WHOLE)
    assert (read.limits.total, read.limits.start, read.limits.kind) == (40_000, {"codex": 12_000}, {"skill": 100})
    assert read.most == {"secret": 0, "warning": 2, "broken-link": 1}
    assert [(each.name, each.until) for each in read.exemptions] == [
        ("start codex", date(2026, 11, 1)),
        ("secret", date(2026, 10, 31)),
    ]
    assert [each.place.rpartition(":")[2] for each in read.exemptions] == ["13", "19"]
    assert policy(tmp_path, "") == Policy()


_EXCEPTION = '[rules]\nforbidden = ["secret"]\n[[exceptions]]\n'


@cases(
    ("text", "line", "message", "hint"),
    [
        ("[limits]\ntotl = 3", 2, "unknown key `totl`", "`total`"),
        ("[limit]\ntotal = 3", 1, "unknown key `limit`", "`limits`"),
        ("limits = 3", 1, "`limits` should be a mapping", "total"),
        ("[limits.start]\ncodx = 3", 2, "unknown key `codx`", "`codex`"),
        ("[limits.kind]\nalways = 3", 2, "cannot be judged from the results", "such as instructions"),
        ("[limits.files]\n'AGENTS.md' = 3", 1, "`limits.files` cannot be judged", "the repository's own ctxtui.toml"),
        ("[limits]\nmax_growth = '5%'", 2, "`limits.max_growth` cannot be judged", "own ctxtui.toml"),
        ("[rules]\nforbidden = 'secret'", 2, "should be a list of rules", None),
        ("[rules]\nforbidden = ['secrets']", 2, "cannot be 'secrets'", "`secret`"),
        ("[rules]\nforbidden = ['secret']\n[rules.most]\nsecret = 1", 2, "which `most` has too", "keep one"),
        ("[rules.most]\nerrors = 1", 2, "unknown key `errors`", "`error`"),
        ("[rules.most]\nerror = -1", 2, "should be a whole number", "0 or more"),
        (_EXCEPTION + "repository = 'a'\nrule = 'secret'\nuntil = 2026-01-01", 3, "has no `reason`", None),
        (_EXCEPTION + "repository = 'a'\nrule = 'secret'\nreason = 'x'", 3, "has no `until`", None),
        (_EXCEPTION + "repository = 'a'\nrule = 'secret'\nreason = ' '\nuntil = 2026-01-01", 6, "not blank", None),
        (_EXCEPTION + "repository = 'a'\nrule = 'secret'\nreason = 'x'\nuntil = 'soon'", 7, "a date", "2026-11-01"),
        (_EXCEPTION + "repository = 'a'\nreason = 'x'\nuntil = 2026-01-01", 3, "`limit` or `rule`", "such as"),
        (_EXCEPTION + "repository = 'a'\nlimit = 'total'", 5, "this policy does not set", "[limits]"),
        (_EXCEPTION + "repository = 'a'\nrule = 'secrt'", 5, "cannot be 'secrt'", "`secret`"),
        (_EXCEPTION + "repository = '[b-a]'", 4, "is not a valid glob", "`*`"),
        (_EXCEPTION + "repositry = 'a'", 4, "unknown key `repositry`", "`repository`"),
        ("a = [", 1, "", "correct the TOML"),
        ("[limits]\ntotal = 'many'", 2, "many", ""),
    ],
)
def test_errors_name_line_and_remedy(tmp_path: Path, text: str, line: int, message: str, hint: str | None) -> None:
    with pytest.raises(ContextError) as caught:
        policy(tmp_path, text)
    assert caught.value.category == "invalid_request"
    assert caught.value.message.startswith(f"{tmp_path / 'policy.toml'}:{line}: ")
    assert message in caught.value.message
    assert hint is None or hint in str(caught.value.hint)


def test_a_policy_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no\.toml does not exist"):
        read_policy(tmp_path / "no.toml")
    (tmp_path / "binary.toml").write_bytes(b"a = 1\n\xff")
    with pytest.raises(ContextError, match=r"binary\.toml:2: not valid UTF-8"):
        read_policy(tmp_path / "binary.toml")


def test_each_repository_that_breaks_a_policy_is_one_line(tmp_path: Path) -> None:
    outcomes = (
        Outcome(
            Member("acme/api", "/a"),
            tokens=50_000,
            agents=(AgentStart("codex", 12_001), AgentStart("cursor", 99_000)),
            faults=(fault("secret"), fault("broken-link", "warning", 1), fault("broken-link", "warning", 2)),
            context=(file("s.md", "x" * 11, kind="skill"), file("r.md", "y" * 99, kind="rule")),
        ),
        Outcome(Member("legacy-web", "/b"), agents=(AgentStart("codex", 20_000),)),
        Outcome(Member("fine", "/c"), tokens=40_000, agents=(AgentStart("codex", 12_000),)),
        Outcome(Member("gone\x1b[2J", "/d"), "is gone"),
    )
    verdict = judged(tmp_path, WHOLE, *outcomes)
    assert not verdict.passed
    place = tmp_path / "policy.toml"
    assert list(verdict_lines(verdict)) == [
        "FAIL acme/api: total 50,000 > 40,000; start codex 12,001 > 12,000; kind skill s.md 110 > 100;"
        " broken-link 2 > 1; secret 1 > 0",
        "ok   legacy-web: start codex 20,000 > 12,000 (excepted until 2026-11-01: moves to skills)",
        f"{place}:19: the exception for acme/api, secret ended on 2026-10-31; remove it, or agree on another day",
        "1 repository not audited, so not judged: gone␛[2J",
    ]


def test_an_exception_that_covers_nothing_is_reported(tmp_path: Path) -> None:
    verdict = judged(tmp_path, WHOLE, Outcome(Member("legacy-web", "/b")))
    assert verdict.passed
    assert any("legacy-*, start codex covers nothing" in line for line in verdict_lines(verdict))


@cases(
    ("name", "pattern", "covers"),
    [
        *(("acme/api", pattern, True) for pattern in ("acme/api", "acme/*", "**", "acme/a[op]i")),
        *(("acme/api", pattern, False) for pattern in ("*", "api")),
        # A name that looks like a glob is covered by itself.
        ("a[1]", "a[1]", True),
    ],
)
def test_exceptions_name_repositories_by_glob(tmp_path: Path, name: str, pattern: str, covers: bool) -> None:
    exception = f'repository = "{pattern}"\nlimit = "total"\nreason = "x"\nuntil = 2027-01-01'
    text = f"[limits]\ntotal = 1\n[[exceptions]]\n{exception}"
    assert judged(tmp_path, text, Outcome(Member(name, "/a"), tokens=2)).passed is covers


def test_estimates_are_judged_by_the_upper_end_of_their_band(tmp_path: Path) -> None:
    text = "[limits]\ntotal = 1000\n[limits.kind]\nrule = 1000"
    outcome = Outcome(Member("a", "/a"), tokens=1_000, context=(file("r.md", "x" * 100),))
    assert judged(tmp_path, text, outcome).passed
    breaches = judged(tmp_path, text, outcome, tokenizer="claude-opus-4-1").breaches
    assert [breach.name for breach in breaches] == ["total", "kind rule"]
    assert all(breach.found == breach.allowed == 1_000 < breach.judged for breach in breaches)
    assert all("judged by" in breach.words for breach in breaches)


_faults = st.lists(
    st.builds(fault, st.sampled_from(["secret", "blob", "links"]), st.sampled_from(SEVERITIES)), max_size=6
)
_starts = st.dictionaries(st.sampled_from(["codex", "cursor"]), st.integers(0, 30), max_size=2)
_sizes = st.lists(st.integers(0, 3), max_size=3)
_most = st.dictionaries(st.sampled_from(["secret", "blob", *SEVERITIES]), st.integers(0, 3))


@given(
    fleet=st.lists(st.tuples(st.integers(0, 30), _starts, _sizes, _faults), max_size=4),
    total=st.integers(0, 30),
    start=_starts,
    most=_most,
)
def test_exactly_what_is_above_a_limit_breaks_it(tmp_path: Path, fleet, total: int, start, most) -> None:
    lines = [f"[limits]\ntotal = {total}\n[limits.kind]\nrule = 15\n[limits.start]"]
    lines += [f"{agent} = {limit}" for agent, limit in start.items()] + ["[rules.most]"]
    lines += [f"{name} = {number}" for name, number in most.items()]
    outcomes, wanted = [], []
    for number, (tokens, starts, sizes, faults) in enumerate(fleet):
        name = f"r{number}"
        context = tuple(file(f"{place}.md", "x" * size) for place, size in enumerate(sizes))
        agents = tuple(AgentStart(*each) for each in starts.items())
        outcomes.append(
            Outcome(Member(name, "/x"), tokens=tokens, agents=agents, faults=tuple(faults), context=context)
        )
        counts = {each: sum(each in (fault.rule, fault.severity) for fault in faults) for each in most}
        above = [("total", tokens, total, "")]
        above += [(f"start {agent}", starts[agent], start[agent], "") for agent in starts if agent in start]
        above += [("kind rule", 10 * size, 15, f"{place}.md") for place, size in enumerate(sizes)]
        above += [(each, count, most[each], "") for each, count in counts.items()]
        wanted += [
            Breach(name, what, found, found, limit, path) for what, found, limit, path in above if found > limit
        ]
    verdict = judged(tmp_path, "\n".join(lines), *outcomes)
    assert sorted(verdict.breaches) == sorted(wanted)
    assert verdict.passed is not bool(wanted)
