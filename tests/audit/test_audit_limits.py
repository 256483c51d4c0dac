"""Limits of the configuration: how they are read, what they measure, how they are told."""

import tomllib
from decimal import Decimal

import pytest

from ctxtui.audit.costs import Costs, Growth
from ctxtui.audit.history.since_ref import since
from ctxtui.audit.limits import LimitResult, Limits, limit_line, parse_limits
from ctxtui.core import get_counter
from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.data.schema import Place
from tests.audit.reporting_helpers import COUNTER, opened
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.conftest import Project

count = COUNTER.count


def _skill(words: int, name: str = "s") -> str:
    return f"---\nname: {name}\ndescription: d\n---\n{'word ' * words}\n"


def test_what_the_configuration_says() -> None:
    data = tomllib.loads(
        'total = "40k"\nmax_growth = "2.5 %"\nfiles."AGENTS.md" = "3k"\n[start]\nclaude-code = "12k"\ncodex = 8_000\n[kind]\nskill = "1.5k"\n".context" = "9,000"\n'
    )
    assert parse_limits(data) == Limits(
        40_000,
        {"claude-code": 12_000, "codex": 8_000},
        {"skill": 1_500, ".context": 9_000},
        {"AGENTS.md": 3_000},
        Decimal("2.5"),
    )
    assert parse_limits({}) == Limits()


@cases(
    ("data", "message", "hint"),
    [
        ({"totl": 1}, "unknown key `totl`", "did you mean `total`?"),
        ({"start": {"claude": 1}}, "unknown key `claude`", "did you mean `claude-code`?"),
        ({"kind": {"skills": 1}}, "unknown key `skills`", "did you mean `skill`?"),
        ({"kind": {"on-demand": 1}}, "unknown key `on-demand`", "did you mean `onDemand`?"),
        ({"start": 5}, "`start` should be a table", "codex"),
        ({"total": True}, "`total` should be a number", "12k"),
        ({"total": 1.5}, "`total` should be a number", "12k"),
        ({"total": "many"}, "`total`: not a number of tokens", "12k"),
        ({"total": -1}, "`total`: not a number of tokens", "12k"),
        ({"kind": {"skill": []}}, "`kind.skill` should be a number", "12k"),
        ({"files": "AGENTS.md"}, "`files` should be a table", "AGENTS.md"),
        ({"files": {"AGENTS.md": "big"}}, "`files.AGENTS.md`: not a number of tokens", "12k"),
        ({"files": {"[b-a].md": 5}}, "`files.[b-a].md` is not a valid glob", "write a path"),
        ({"max_growth": 10}, "`max_growth` should be a percentage, not `10`", "10%"),
        ({"max_growth": "-1%"}, "`max_growth` should be a percentage", "10%"),
        ({"zzz": 1}, "unknown key `zzz`", "total, start, kind"),
    ],
)
def test_what_cannot_be_read_is_named(data: dict[str, object], message: str, hint: str) -> None:
    with pytest.raises(ContextError) as caught:
        parse_limits(data, Place.named("ctxtui.toml: [limits]"))
    assert caught.value.category == "invalid_request"
    assert caught.value.message.startswith("ctxtui.toml: [limits]")
    assert message in caught.value.message
    assert hint in str(caught.value.hint)


def test_total_start_and_kinds(project: Project) -> None:
    files = {f".claude/skills/{name}/SKILL.md": _skill(size, name) for name, size in (("a", 30), ("b", 50), ("c", 5))}
    files |= {"CLAUDE.md": "Be brief.\n", ".claude/skills/a/long.md": "word " * 900, ".context/TASKS.md": "- [ ] x\n"}
    found = opened(project({**files, "README.md": "word " * 500}))
    total, tasks = sum(map(count, files.values())), count("- [ ] x\n")
    start = next(each.start_tokens for each in found.agents if each.agent.id == "claude-code")
    middle, large = count(_skill(30, "a")), count(_skill(50, "b"))
    kinds = {"skill": middle - 1, ".context": 3, "always": 1000, "rule": 7}
    checked = found.check(Limits(total, {"claude-code": start - 1, "codex": 10}, kinds))
    assert [(each.name, each.tokens, each.limit, each.passed) for each in checked] == [
        ("total", total, total, True),
        ("start claude-code", start, start - 1, False),
        ("start codex", 0, 10, True),
        ("kind skill", large, middle - 1, False),
        ("kind skill", middle, middle - 1, False),
        ("kind .context", tasks, 3, False),
        ("kind always", max(count("Be brief.\n"), tasks), 1000, True),
        ("kind rule", 0, 7, True),
    ]
    assert checked[0].path == ".claude/skills/a/long.md"
    # Every file of a kind that is too large is named.
    assert [each.path[-10:] for each in checked[3:5]] == ["b/SKILL.md", "a/SKILL.md"]
    (skill,) = found.check(Limits(kind={"skill": large}))
    assert (skill.path, skill.tokens, skill.passed) == (".claude/skills/b/SKILL.md", large, True)


def test_files_by_path_and_by_glob(project: Project) -> None:
    root = project({"AGENTS.md": "word" * 50, "docs/a.md": "word" * 9, "docs/in/b.md": "word" * 99})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    files = {"AGENTS.md": 40, "CLAUDE.md": 1_000, "docs/**/*.md": 20, "gone/*.md": 7}
    assert [limit_line(result) for result in opened(root).check(Limits(files=files))] == [
        "FAIL files AGENTS.md 50 > 40",
        "ok   files CLAUDE.md AGENTS.md 50 <= 1,000",
        "FAIL files docs/**/*.md docs/in/b.md 99 > 20",
        "ok   files gone/*.md 0 (no such file) <= 7",
    ]


def test_growth_of_the_total_and_of_starts(repo: Repo) -> None:
    repo.commit({"AGENTS.md": "word" * 100})
    repo.write({"AGENTS.md": "word" * 110, "CLAUDE.md": ""})
    found = opened(repo.root)
    before = since(found.workspace, COUNTER, "main", agents=found.agents).before
    for percent, passed in {"0%": False, "9.9%": False, "10%": True, "10.1%": True}.items():
        limits = parse_limits({"max_growth": percent})
        results = {result.name: result for result in found.check(limits, since="main", before=before)}
        grown = {name: (each.tokens, each.passed) for name, each in results.items() if each.tokens}
        assert grown == dict.fromkeys(("growth total", "growth start codex"), (110, passed)), percent
        assert limit_line(results["growth total"]).endswith(" (+10 since main; AGENTS.md +10)")
        assert found.check(limits) == ()
    # A new start does not grow.
    total, start, _ = found.check(Limits(max_growth=Decimal(0)), since="v1", before=Costs())
    assert limit_line(total) == "ok   growth total 110 (new) <= 110 (+110 since v1; AGENTS.md +110)"
    assert start.passed


def test_an_estimate_is_judged_by_its_upper_end(project: Project) -> None:
    counter = get_counter("claude-sonnet-4-5")
    found = opened(project({"AGENTS.md": "word " * 1000}), counter)
    (result,) = found.check(Limits(total=counter.count("word " * 1000)))
    assert result.judged > result.tokens
    assert not result.passed
    assert f"{result.tokens:,} (judged by {result.judged:,}) > {result.limit:,}" in limit_line(result)


def test_with_something_to_compare_with(repo: Repo) -> None:
    old = {"CLAUDE.md": "Be brief.\n", ".claude/rules/api.md": "Speak JSON.\n"}
    repo.commit(old)
    new = {"CLAUDE.md": "Be brief, please.\n", ".claude/rules/api.md": "Speak JSON. " * 30}
    repo.write(new)
    found = opened(repo.root)
    change = since(found.workspace, COUNTER, "main", agents=found.agents)
    limits = Limits(1, {"claude-code": 1}, {"rule": 1, "memory": 1})
    total, start, rule, memory = found.check(limits, since="main", before=change.before)
    grown = count(new[".claude/rules/api.md"]) - count(old[".claude/rules/api.md"])
    tokens = sum(map(count, new.values()))
    assert total.growth == Growth(tokens - sum(map(count, old.values())), ".claude/rules/api.md", grown)
    assert limit_line(total) == (
        f"FAIL total {tokens:,} > 1 ({total.growth.tokens:+,} since main; .claude/rules/api.md {grown:+,})"
    )
    assert limit_line(start).startswith(f"FAIL start claude-code {start.tokens:,} > 1 (+")
    assert limit_line(rule) == (f"FAIL kind rule .claude/rules/api.md {rule.tokens:,} > 1 ({grown:+,} since main)")
    assert limit_line(memory) == "ok   kind memory 0 <= 1"


def test_lines_of_results() -> None:
    kept = LimitResult("start codex", 900, 12_000, True, 900, growth=Growth(0), since="v1")
    assert limit_line(kept) == "ok   start codex 900 <= 12,000 (unchanged since v1)"
    less = LimitResult("total", 13_240, 12_000, False, 13_240, growth=Growth(-10, "a\x1b.md", 5), since="v1")
    assert limit_line(less) == "FAIL total 13,240 > 12,000 (-10 since v1; a\u241b.md +5)"
