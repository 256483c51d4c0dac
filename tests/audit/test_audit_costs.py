"""Rules about what agents pay for, and what it costs in dollars."""

from decimal import Decimal

import pytest

from ctxtui.audit.prices import money, start_money
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.models import find_model
from tests.audit.auditing_helpers import LOREM, found, one, skill
from tests.audit.reporting_helpers import opened
from tests.cases import cases
from tests.conftest import Project

OTHER = LOREM.replace("says", "tells").replace("Line", "Row")
MORE = LOREM.replace("says", "asks").replace("Line", "Point")
TOKENS = get_counter().count(LOREM)


def test_a_start_over_its_configured_limit_is_told(project: Project) -> None:
    root = project({"AGENTS.md": LOREM})
    finding = one(root, "start-over-budget", start_limits={"codex": 100})
    assert (finding.severity, finding.agent, finding.path) == ("error", "codex", None)
    assert finding.tokens == TOKENS - 100
    assert f"AGENTS.md {TOKENS:,}" in finding.message
    assert found(root, "start-over-budget", start_limits={"codex": TOKENS, "cursor": 1}) == []
    assert found(root, "start-over-budget") == []


def test_a_copy_that_one_agent_reads_beside_the_original_is_paid_twice(project: Project) -> None:
    files = {"AGENTS.md": LOREM, "CLAUDE.md": LOREM}
    assert found(project(files), "paid-twice") == []
    root = project({**files, ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\n"})
    finding = one(root, "paid-twice")
    assert (finding.path, finding.agent, finding.tokens) == ("CLAUDE.md", "cursor", TOKENS)
    assert found(root, "repeated-text") == []
    # Several agents are named once.
    others = {".cursorrules": "# C\n", ".github/copilot-instructions.md": "# P\n"}
    finding = one(project({**files, **others}), "paid-twice")
    assert (finding.agent, finding.tokens) == (None, TOKENS)
    assert "Cursor" in finding.message
    assert "Copilot" in finding.message
    # Cursor alone pays for a link.
    root = project({"AGENTS.md": LOREM, **others})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    finding = one(root, "paid-twice")
    assert (finding.agent, finding.tokens) == ("cursor", TOKENS)


@cases(
    ("skills", "window", "says"),
    [
        (40, 200_000, "take 11,470 characters, of which 1,750 fit (1 % of a window of 200,000 tokens): "),
        (29, 200_000, "(1 % of a window of 200,000 tokens)"),
        (150, None, "(1 % of a window of 1,000,000 tokens)"),
        (40, None, ""),
    ],
)
def test_a_listing_has_the_room_of_the_window(project: Project, skills: int, window: int | None, says: str) -> None:
    text = "Helps with it in many ways. " * 10
    root = project({f".claude/skills/s{n}/SKILL.md": skill(f"s{n}", text) for n in range(skills)})
    told = found(root, "listing-over-budget", window=window)
    assert [(each.agent, each.severity) for each in told] == [("claude-code", "warning")] * bool(says)
    assert all(says in each.message and each.tokens > 0 for each in told)


def test_a_touch_that_brings_a_great_deal_is_told_once_with_all_it_brings(project: Project) -> None:
    rule = "---\npaths: ['src/**/*.py']\n---\n" + LOREM
    files = {".claude/rules/a.md": rule, ".claude/rules/b.md": rule + "more\n", "src/x.py": "", "src/y.py": ""}
    root = project({**files, "docs/z.txt": "", "CLAUDE.md": "# C\n"})
    finding = one(root, "heavy-trigger", heavy_tokens=TOKENS + 10)
    assert (finding.severity, finding.path, finding.agent) == ("info", ".claude/rules/b.md", "claude-code")
    assert "touching src/x.py (2 files like it)" in finding.message
    assert finding.tokens > 2 * TOKENS
    assert found(root, "heavy-trigger") == []
    # A large skill is one as well.
    root = project({".claude/skills/helper/SKILL.md": skill(body=LOREM * 40)})
    finding = one(root, "heavy-trigger")
    assert finding.path == ".claude/skills/helper/SKILL.md"
    assert finding.tokens > 8_000
    assert found(root, "heavy-trigger", heavy_tokens=100_000) == []


OLD_AND_NEW_CLINE = {
    ".clinerules/product.md": f"# Product rules\n\n{LOREM}",
    ".cline/rules/product.md": f"# Product\n\n{LOREM}",
    ".clinerules/tech.md": f"# Tech rules\n\n{OTHER}",
    ".cline/rules/tech.md": f"# Tech\n\n{OTHER}",
}


def test_files_that_are_nearly_equal_at_one_start_are_paid_twice_and_one_can_go(project: Project) -> None:
    root = project(OLD_AND_NEW_CLINE)
    finding = one(root, "paid-twice")
    # Cline's extension and its command line read both.
    assert (finding.agent, finding.severity) == (None, "info")
    assert [each.path for each in finding.places] == [".clinerules/product.md", ".clinerules/tech.md"]
    assert "drop those of .clinerules" in finding.message
    assert finding.tokens == TOKENS + get_counter().count(OTHER.rstrip("\n"))
    assert found(root, "repeated-text") == []


def test_nothing_is_to_be_moved_only_if_all_of_it_is_there(project: Project) -> None:
    old, new = ".clinerules/product.md", ".cline/rules/product.md"
    moved = f"move what {new} lacks into it, then drop {old},"
    for head, share, then in (("Be kind.", 100, f"drop {old}, unless"), ("x", 99, moved)):
        root = project({old: f"{head}\n\n{LOREM}", new: f"# Product\n\n{LOREM}\nBe kind.\n"})
        assert f"{share} % of the text of {old} is in {new} as well; {then}" in one(root, "paid-twice").message


ALWAYS = "---\nalwaysApply: true\n---\n"
ALL = {"AGENTS.md": f"# All\n\n{LOREM}"}
COPY = {"AGENTS.md": LOREM, "CLAUDE.md": LOREM, ".cursorrules": "x\n"}


@cases(
    ("files", "told", "words"),
    [
        # A part that is a file by itself goes out of the larger file.
        (
            {**ALL, ".cursor/rules/all.mdc": f"{ALWAYS}# The same\n\n{LOREM}{OTHER}"},
            "info AGENTS.md",
            "remove it from .cursor/rules/all.mdc",
        ),
        (
            {**ALL, "CLAUDE.md": f"# Claude\n\n{LOREM}{OTHER}", ".cursorrules": "x\n"},
            "info AGENTS.md",
            "; keep in CLAUDE.md the line `@AGENTS.md` and what AGENTS.md lacks",
        ),
        (COPY, "warning CLAUDE.md", "; reduce it to the one line `@AGENTS.md`, or delete it: "),
        # Without CLAUDE.md, Claude Code would not read AGENTS.md.
        ({**COPY, ".claude/CLAUDE.md": "# More\n"}, "warning CLAUDE.md", "; reduce it to the one line `@AGENTS.md`"),
        (
            {".cursorrules": LOREM, "AGENTS.md": LOREM, ".cursor/rules/a.mdc": ALWAYS},
            "warning .cursorrules",
            "all the text of .cursorrules is in AGENTS.md as well (identical text); drop .cursorrules, unless something",
        ),
    ],
)
def test_how_to_pay_for_text_once(project: Project, files: dict[str, str], told: str, words: str) -> None:
    finding = one(project(files), "paid-twice")
    assert (f"{finding.severity} {finding.path}", finding.agent) == (told, "cursor")
    assert words in finding.message
    assert ("delete" in finding.message) == ("delete" in words)


def test_the_file_with_the_text_is_never_to_be_overwritten_or_deleted_for_a_link(project: Project) -> None:
    root = project({"CLAUDE.md": LOREM, ".cursorrules": "x\n"})
    (root / "AGENTS.md").symlink_to("CLAUDE.md")
    finding = one(root, "paid-twice")
    # No source says whether Cursor reads a link again.
    assert finding.severity == "info"
    assert "rename CLAUDE.md to AGENTS.md, now a link to it, and write" in finding.message
    assert "delete" not in finding.message
    root = project({"AGENTS.md": LOREM, ".cursorrules": "x\n"})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    said = "; replace the link by a file of the one line `@AGENTS.md`, or delete it: "
    assert said in one(root, "paid-twice").message


def test_files_that_have_only_a_part_in_common_are_not_paid_twice(project: Project) -> None:
    files = {".cursor/rules/a.mdc": f"---\nalwaysApply: true\n---\n{LOREM}{OTHER}", "AGENTS.md": f"{LOREM}{MORE}"}
    root = project(files)
    assert found(root, "paid-twice") == []
    finding = one(root, "repeated-text")
    assert finding.severity == "info"
    assert "Cursor pays for each from the start" in finding.message


def test_skills_listed_twice_are_one_finding_for_an_agent(project: Project) -> None:
    places, text = (".claude", ".agents"), "Helps with whatever somebody may ask for, and more, whenever it comes up."
    skills = {f"{place}/skills/{name}/SKILL.md": skill(name, text) for place in places for name in "ab"}
    finding = one(project({**skills, ".cursorrules": "# C\n", ".windsurfrules": "# W\n"}), "paid-twice")
    assert all(word in finding.message for word in ("2 names", "Cursor", "Devin"))
    assert (finding.agent, finding.tokens) == (None, 2 * get_counter().count(f"a: {text}"))
    small = {path: skill("a", "x") for path in skills if path.endswith("a/SKILL.md")}
    assert found(project({**small, ".cursorrules": "# C\n"}), "paid-twice") == []
    # What may be installed is not paid.
    files = {f"{place}/skills/{name}/SKILL.md": skill(name, text) for place in ("a", "b") for name in "xyz"}
    assert found(project(files), "paid-twice") == []


def test_touching_the_files_of_agents_or_what_is_only_installed_is_no_heavy_trigger(project: Project) -> None:
    head = "---\nglobs: '**/*.md'\n---\n"
    files = {".cursor/rules/docs.mdc": head + LOREM, ".cursor/notes/a.md": "x\n", ".claude/rules/b.md": "x\n"}
    assert found(project(files), "heavy-trigger", heavy_tokens=50) == []
    assert one(project({**files, "docs/a.md": "x\n"}), "heavy-trigger", heavy_tokens=50).agent == "cursor"
    copied = {"instructions/a.instructions.md": f"---\napplyTo: '**/*.ts'\n---\n{LOREM}", "src/a.ts": ""}
    assert found(project(copied), "heavy-trigger", heavy_tokens=50) == []


def test_many_heavy_touches_are_one_note_with_the_largest(project: Project) -> None:
    rules = {f".claude/rules/{name}.md": f"---\npaths: ['{name}/**']\n---\n{LOREM * size}" for name, size in SIZES}
    files = {f"{name}/x.py": "" for name, _ in SIZES}
    finding = one(project({**rules, **files}), "heavy-trigger", heavy_tokens=300)
    assert "touching large/x.py" in finding.message
    assert finding.message.endswith("; 2 other groups of files bring more than 300")
    few = {path: text for path, text in {**rules, **files}.items() if "large" in path}
    assert "other group" not in one(project(few), "heavy-trigger", heavy_tokens=300).message


SIZES = (("small", 2), ("large", 4), ("middle", 3))


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"])
def test_first_and_cached(model: str) -> None:
    result = money(model, [("nothing", 0), ("start", 12_000)])
    nothing, start = result.expenses
    assert (nothing.first, nothing.cached) == (0, 0)
    # Claude charges a quarter more for what is written to the cache.
    factor = Decimal("1.25") if model.startswith("claude") else 1
    assert start.first == factor * (find_model(model).dollars(12_000) or 0)
    assert start.cached is not None
    assert start.first is not None
    assert 0 < start.cached < start.first
    assert result.remark == ""
    assert result.provider
    assert result.as_of.startswith("genai-prices ")


def test_long_requests_cost_what_their_step_costs() -> None:
    short, long = money("claude-sonnet-4-5", [("short", 100_000), ("long", 300_000)]).expenses
    assert short.first is not None
    assert long.first is not None
    assert long.first > 3 * short.first


@cases(
    ("model", "first", "remark"),
    [
        ("gpt-4", Decimal("0.03"), "the price data have no price for cached input of gpt-4"),
        ("no-such-model-1", None, "the price data have no price of no-such-model-1"),
    ],
)
def test_a_price_that_nobody_knows_is_said(model: str, first: Decimal | None, remark: str) -> None:
    result = money(model, [("start", 1_000)])
    assert (result.expenses[0].first, result.expenses[0].cached, result.remark) == (first, None, remark)


def test_each_agents_start_and_the_whole(project) -> None:  # type: ignore[no-untyped-def]
    found = opened(project({"CLAUDE.md": "Be brief.\n" * 50, "GEMINI.md": "Be brief.\n"}))
    sizes = {each.name: each.tokens for each in start_money("gpt-5", found.agents, 1_000).expenses}
    assert sizes == {**{each.agent.id: each.start_tokens for each in found.agents}, "total": 1_000}
