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


def test_a_start_at_its_limit_or_without_one_is_fine(project: Project) -> None:
    root = project({"AGENTS.md": LOREM})
    assert found(root, "start-over-budget", start_limits={"codex": TOKENS, "cursor": 1}) == []
    assert found(root, "start-over-budget") == []


def test_a_copy_that_one_agent_reads_beside_the_original_is_paid_twice(project: Project) -> None:
    root = project({"AGENTS.md": LOREM, "CLAUDE.md": LOREM, ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\n"})
    finding = one(root, "paid-twice")
    assert (finding.path, finding.agent, finding.tokens) == ("CLAUDE.md", "cursor", TOKENS)
    assert found(root, "repeated-text") == []


def test_a_link_is_paid_twice_by_cursor_alone_and_a_copy_named_once_for_several_agents(project: Project) -> None:
    files = {"AGENTS.md": LOREM, ".cursorrules": "# C\n", ".github/copilot-instructions.md": "# P\n"}
    root = project(files)
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    finding = one(root, "paid-twice")
    assert (finding.agent, finding.tokens) == ("cursor", TOKENS)
    finding = one(project({**files, "CLAUDE.md": LOREM}), "paid-twice")
    assert (finding.agent, finding.tokens) == (None, TOKENS)
    assert "Cursor" in finding.message
    assert "Copilot" in finding.message


def test_skills_listed_twice_are_one_finding_for_an_agent(project: Project) -> None:
    places, text = ("claude", "agents"), "Helps with whatever somebody may ask for, and more."
    skills = {f".{place}/skills/{name}/SKILL.md": skill(name, text) for place in places for name in "ab"}
    root = project({**skills, ".cursorrules": "# C\n", ".windsurfrules": "# W\n"})
    finding = one(root, "paid-twice")
    assert "2 names" in finding.message
    assert "Cursor" in finding.message
    assert "Devin" in finding.message
    assert (finding.agent, finding.tokens) == (None, 2 * get_counter().count(f"a: {text}"))
    small = {path: skill("a", "x") for path in skills if path.endswith("a/SKILL.md")}
    assert found(project({**small, ".cursorrules": "# C\n"}), "paid-twice") == []


def test_texts_that_no_agent_reads_together_are_not_paid_twice(project: Project) -> None:
    assert found(project({"AGENTS.md": LOREM, "CLAUDE.md": LOREM}), "paid-twice") == []


def test_a_listing_without_enough_room_is_told_for_the_window_at_hand(project: Project) -> None:
    skills = {f".claude/skills/s{n}/SKILL.md": skill(f"s{n}", "Helps with it in many ways. " * 10) for n in range(40)}
    root = project(skills)
    finding = one(root, "listing-over-budget", window=200_000)
    assert (finding.agent, finding.severity) == ("claude-code", "warning")
    assert finding.tokens > 0
    assert "take 11,470 characters, of which 1,750 fit (1 % of a window of 200,000 tokens): " in finding.message
    assert found(root, "listing-over-budget") == []


@pytest.mark.parametrize(
    ("skills", "window", "says"),
    [(29, 200_000, "(1 % of a window of 200,000 tokens)"), (150, None, "(1 % of a window of 1,000,000 tokens)")],
)
def test_a_listing_has_the_room_of_the_window(project: Project, skills: int, window: int | None, says: str) -> None:
    text = "Helps with it in many ways. " * 10
    root = project({f".claude/skills/s{n}/SKILL.md": skill(f"s{n}", text) for n in range(skills)})
    finding = one(root, "listing-over-budget", window=window)
    assert finding.severity == "warning"
    assert says in finding.message


def test_a_touch_that_brings_a_great_deal_is_told_once_with_all_it_brings(project: Project) -> None:
    rule = "---\npaths: ['src/**/*.py']\n---\n" + LOREM
    files = {".claude/rules/a.md": rule, ".claude/rules/b.md": rule + "more\n", "src/x.py": "", "src/y.py": ""}
    root = project({**files, "docs/z.txt": "", "CLAUDE.md": "# C\n"})
    finding = one(root, "heavy-trigger", heavy_tokens=TOKENS + 10)
    assert (finding.severity, finding.path, finding.agent) == ("info", ".claude/rules/b.md", "claude-code")
    assert "touching src/x.py (2 files like it)" in finding.message
    assert finding.tokens > 2 * TOKENS
    assert found(root, "heavy-trigger") == []


def test_a_large_skill_is_a_heavy_trigger(project: Project) -> None:
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


@cases(
    ("old", "said"),
    [
        (f"Be kind.\n\n{LOREM}", "100 % of the text of {old} is in {new} as well; drop {old}, unless"),
        (
            f"x\n\n{LOREM}",
            "99 % of the text of {old} is in {new} as well; move what {new} lacks into it, then drop {old},",
        ),
    ],
)
def test_nothing_is_to_be_moved_only_if_all_of_it_is_there(project: Project, old: str, said: str) -> None:
    paths = {"old": ".clinerules/product.md", "new": ".cline/rules/product.md"}
    finding = one(project({paths["old"]: old, paths["new"]: f"# Product\n\n{LOREM}\nBe kind.\n"}), "paid-twice")
    assert said.format(**paths) in finding.message


def test_a_part_that_is_a_file_by_itself_goes_out_of_the_larger_file(project: Project) -> None:
    files = {
        "AGENTS.md": f"# All\n\n{LOREM}",
        ".cursor/rules/all.mdc": f"---\nalwaysApply: true\n---\n# The same\n\n{LOREM}{OTHER}",
    }
    finding = one(project(files), "paid-twice")
    assert (finding.severity, finding.agent, finding.path) == ("info", "cursor", "AGENTS.md")
    assert "remove it from .cursor/rules/all.mdc" in finding.message


def test_claude_md_may_lead_to_agents_md_in_one_line(project: Project) -> None:
    files = {"AGENTS.md": f"# All\n\n{LOREM}", "CLAUDE.md": f"# Claude\n\n{LOREM}{OTHER}", ".cursorrules": "x\n"}
    finding = one(project(files), "paid-twice")
    assert (finding.severity, finding.agent) == ("info", "cursor")
    assert finding.message.endswith("; keep in CLAUDE.md the line `@AGENTS.md` and what AGENTS.md lacks")


def test_the_file_with_the_text_is_never_to_be_overwritten_or_deleted_for_a_link(project: Project) -> None:
    files = {"CLAUDE.md": LOREM, ".cursorrules": "x\n"}
    root = project(files)
    (root / "AGENTS.md").symlink_to("CLAUDE.md")
    finding = one(root, "paid-twice")
    said = finding.message
    # No source says whether Cursor reads a link again.
    assert finding.severity == "info"
    assert "rename CLAUDE.md to AGENTS.md, now a link to it, and write" in said
    assert "delete" not in said
    root = project({"AGENTS.md": LOREM, ".cursorrules": "x\n"})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    said = one(root, "paid-twice").message
    assert "; replace the link by a file of the one line `@AGENTS.md`, or delete it: " in said
    said = one(project({**files, "AGENTS.md": LOREM}), "paid-twice").message
    assert "; reduce it to the one line `@AGENTS.md`, or delete it: " in said


def test_claude_md_is_to_be_deleted_only_if_claude_code_then_reads_agents_md(project: Project) -> None:
    files = {"AGENTS.md": LOREM, "CLAUDE.md": LOREM, ".cursorrules": "x\n", ".claude/CLAUDE.md": "# More\n"}
    said = one(project(files), "paid-twice").message
    assert said.endswith("; reduce it to the one line `@AGENTS.md`")


def test_the_place_of_text_paid_twice_is_the_file_that_can_go(project: Project) -> None:
    always = "---\nalwaysApply: true\n---\n"
    finding = one(project({".cursorrules": LOREM, "AGENTS.md": LOREM, ".cursor/rules/a.mdc": always}), "paid-twice")
    assert finding.path == ".cursorrules"
    assert "all the text of .cursorrules is in AGENTS.md as well" in finding.message
    assert "drop .cursorrules, unless something else reads it" in finding.message


def test_files_that_have_only_a_part_in_common_are_not_paid_twice(project: Project) -> None:
    files = {".cursor/rules/a.mdc": f"---\nalwaysApply: true\n---\n{LOREM}{OTHER}", "AGENTS.md": f"{LOREM}{MORE}"}
    root = project(files)
    assert found(root, "paid-twice") == []
    finding = one(root, "repeated-text")
    assert finding.severity == "info"
    assert "Cursor pays for each from the start" in finding.message


def test_what_may_be_installed_is_not_paid_twice(project: Project) -> None:
    text = "Helps with whatever somebody may ask for, and more, whenever it comes up in the day."
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


def test_no_price_for_cached_input_is_said() -> None:
    result = money("gpt-4", [("start", 1_000)])
    assert result.expenses[0].cached is None
    assert result.expenses[0].first == Decimal("0.03")
    assert result.remark == "the price data have no price for cached input of gpt-4"


def test_a_model_without_a_price_is_said() -> None:
    result = money("no-such-model-1", [("start", 1_000)])
    assert (result.expenses[0].first, result.expenses[0].cached) == (None, None)
    assert result.remark == "the price data have no price of no-such-model-1"


def test_each_agents_start_and_the_whole(project) -> None:  # type: ignore[no-untyped-def]
    found = opened(project({"CLAUDE.md": "Be brief.\n" * 50, "GEMINI.md": "Be brief.\n"}))
    result = start_money("gpt-5", found.agents, 1_000)
    sizes = {each.name: each.tokens for each in result.expenses}
    assert sizes == {**{each.agent.id: each.start_tokens for each in found.agents}, "total": 1_000}
