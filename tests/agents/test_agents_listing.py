"""What is listed of skills, commands and rules, and how long lists are cut. A token is a character here."""

import time

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents import AgentContext, Entry, audit_agents, load_table
from tests.agents.conftest import Contexts, skill
from tests.cases import cases


def entries(context: AgentContext) -> list[Entry]:
    return [charge.entry for charge in context.charges if charge.entry]


def texts(context: AgentContext) -> list[str]:
    return [entry.text for entry in entries(context)]


def test_name_and_description_are_paid_at_the_start_and_the_body_later(contexts: Contexts) -> None:
    text = skill("a", "does it")
    (charge,) = contexts({".claude/skills/a/SKILL.md": text})["claude-code"].charges
    assert (charge.start_tokens, charge.tokens) == (len("- a: does it"), len(text))


@cases(
    ("text", "listed"),
    [
        ("---\nname: n\ndescription: d\nwhen_to_use: w\n---\n", "- n: d - w"),
        ("---\ndescription: d\n---\n", "- a: d"),
        ("\n\nFirst line\nand second.\n\nMore.", "- a: First line"),
        ("---\nname: n\n---\n\n# Title\r\n \r\ntext", "- n: Title"),
        ('---\nname: n: mended\ndescription: d "e": f\n---\nBody', '- n: mended: d "e": f'),
        ("---\nname: n\n- broken\n---\nBody", "- a: Body"),
        ("", "- a:"),
    ],
)
def test_claude_lists_what_it_finds(contexts: Contexts, text: str, listed: str) -> None:
    assert texts(contexts({".claude/skills/a/SKILL.md": text})["claude-code"]) == [listed]


def test_commands_are_called_by_their_path(contexts: Contexts) -> None:
    files = {".claude/commands/git/push.md": "Push it.", ".claude/commands/test.md": "Test it."}
    assert texts(contexts(files)["claude-code"]) == ["- git:push: Push it.", "- test: Test it."]


def test_a_skill_beats_a_command_of_its_name(contexts: Contexts) -> None:
    files = {".claude/commands/a.md": "command", ".claude/skills/a/SKILL.md": skill("a", "skill")}
    context = contexts(files)["claude-code"]
    assert texts(context) == ["- a: skill"]
    (lost,) = context.at("never")
    assert (lost.path, lost.tokens) == (".claude/commands/a.md", 0)
    assert ".claude/skills/a/SKILL.md" in lost.reason


@cases("size", [1_535, 1_536, 1_537, 2_000])
def test_claude_cuts_each_description(contexts: Contexts, size: int) -> None:
    (entry,) = entries(contexts({".claude/skills/a/SKILL.md": skill("a", "d" * size)})["claude-code"])
    assert (len(entry.text), entry.lost_tokens) == (len("- a: ") + min(size, 1_536), max(size - 1_536, 0))
    assert (entry.limit is None) == (size <= 1_536)


def claude(count: int, size: int) -> dict[str, str]:
    return {f".claude/skills/s{n:02}/SKILL.md": skill(f"s{n:02}", "d" * size) for n in range(count)}


def test_claude_lists_up_to_one_percent_of_the_window_with_its_own_skills(contexts: Contexts) -> None:
    line = len("- s00: \n")
    full = claude(2, 875 - line)
    context = contexts(full, window=200_000)["claude-code"]
    (listing,) = context.listings
    assert (listing.wanted, listing.room, listing.unit) == (1_750, 1_750, "characters")
    assert not any(entry.lost for entry in entries(context))
    context = contexts(full | claude(1, 876 - line), window=200_000)["claude-code"]
    assert context.listings[0].wanted == 1_751
    assert [bool(entry.lost) for entry in entries(context)] == [False, True]
    assert entries(context)[-1].text == "- s01:"


def test_a_larger_window_has_room_for_more(contexts: Contexts) -> None:
    files = claude(20, 1_000)
    assert contexts(files, window=1_000_000)["claude-code"].lost_tokens == 0
    rooms = [contexts(files, window=n * 100_000)["claude-code"].listings[0].room for n in (20, 6, 1)]
    assert rooms == [30_000 - 6_250, 24_000 - 6_250, 0]


NO_WINDOW = load_table({"codex": {"window": 0}})


def codex(sizes: dict[str, int]) -> dict[str, str]:
    return {f".agents/skills/{name}/SKILL.md": skill(name, "d" * size) for name, size in sizes.items()}


def test_codex_cuts_descriptions_evenly(contexts: Contexts) -> None:
    sizes = {"a": 1_000, "b": 10, **{f"c{n}": 1_000 for n in range(10)}}
    context = contexts(codex(sizes), table=NO_WINDOW)["codex"]
    (listing,) = context.listings
    assert listing.wanted > listing.room == 8_000
    shown = {entry.name: len(entry.description) - len(entry.lost) for entry in entries(context)}
    assert shown.pop("b") == 10
    assert max(shown.values()) - min(shown.values()) <= 1
    assert sum(len(entry.text) + 1 for entry in entries(context)) == 8_000


@cases(("size", "cut"), [(941, 0), (942, 1)])
def test_codex_lists_up_to_the_last_character(contexts: Contexts, size: int, cut: int) -> None:
    overhead = len("- s0:  (file: r1/s0/SKILL.md)\n")
    assert overhead == 30
    sizes = {f"s{n}": 1_000 - overhead for n in range(8)} | {"s0": size + 29}
    assert contexts(codex(sizes), table=NO_WINDOW)["codex"].lost_tokens == cut


def test_codex_has_the_room_of_its_usual_window_if_no_model_is_named(contexts: Contexts) -> None:
    context = contexts(codex({f"s{n}": 900 for n in range(20)}))["codex"]
    (listing,) = context.listings
    assert (listing.unit, listing.room, context.lost_tokens) == ("tokens of four bytes", 272_000 * 2 // 100 - 430, 0)


def test_codex_leaves_skills_out_where_names_alone_are_too_many(contexts: Contexts) -> None:
    context = contexts(codex({f"s{n:03}": 5 for n in range(300)}), table=NO_WINDOW)["codex"]
    shown, left_out = ([entry for entry in entries(context) if bool(entry.text) is kept] for kept in (True, False))
    assert 150 < len(shown) < 300
    assert sum(len(entry.text) + 1 for entry in shown) <= 8_000
    assert [entry.name for entry in shown] == sorted(entry.name for entry in entries(context))[: len(shown)]
    assert all(entry.lost == entry.description for entry in shown)
    assert all(entry.name in entry.lost and entry.tokens == 0 for entry in left_out)


def test_codex_counts_four_bytes_a_token_in_a_known_window(contexts: Contexts) -> None:
    context = contexts(codex({f"s{n}": 500 for n in range(4)}), window=46_500)["codex"]
    (listing,) = context.listings
    assert (listing.unit, listing.room, listing.wanted) == ("tokens of four bytes", 500, 4 * 133)
    assert sum(-(-(len(entry.text.encode()) + 1) // 4) for entry in entries(context)) == 500


@given(
    st.lists(st.text(alphabet="aé😀 ", max_size=400).map(str.strip), min_size=1, max_size=12),
    st.integers(1, 40_000),
    st.sampled_from(["claude-code", "codex"]),
)
def test_lists_never_pass_their_room_and_lose_nothing_unsaid(
    descriptions: list[str], window: int, agent: str
) -> None:
    folder = {"claude-code": ".claude", "codex": ".agents"}[agent]
    files = {f"{folder}/skills/s{n}/SKILL.md": skill(f"s{n}", f"x{text}") for n, text in enumerate(descriptions)}
    (context,) = [each for each in audit_agents(list(files), files.get, len, window=window) if each.agent.id == agent]
    (listing,) = context.listings
    for entry in entries(context):
        shown = entry.description[: len(entry.description) - len(entry.lost)] if entry.text else ""
        assert not entry.text or shown + entry.lost == entry.description
        assert shown in entry.text
    if agent == "codex" and listing.room:
        sizes = [len(entry.text.encode()) + 1 for entry in entries(context) if entry.text]
        assert sum(-(-size // 4) for size in sizes) <= listing.room
    assert (listing.wanted > listing.room) == any(entry.lost for entry in entries(context))


def test_a_hostile_list_takes_no_time(contexts: Contexts) -> None:
    files = codex(dict.fromkeys((f"s{n}" for n in range(300)), 1_000))
    start = time.process_time()
    contexts(files, window=2_000_000)
    assert time.process_time() - start < 3  # 0.4 on a quiet machine
