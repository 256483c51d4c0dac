"""What holds for every project: spans, sums, budgets, and speed."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.agents import AgentContext, Charge, audit_agents, compare, load_table, what_if
from ctxtui.agents.types import AT_START, LISTED, MOMENTS

NAMES = """
AGENTS.md AGENTS.override.md CLAUDE.md CLAUDE.local.md GEMINI.md a/AGENTS.md a/CLAUDE.md a/b/AGENTS.md a/rules.md
.claude/rules/r.md .claude/skills/s/SKILL.md .claude/skills/s/ref.md .claude/commands/c.md .claude/agents/x.md
.claude/agent-memory/x/MEMORY.md .agents/skills/s/SKILL.md .agents/rules/r.md .cursor/rules/r.mdc
.github/copilot-instructions.md .clinerules/r.md .devin/rules/r.md .roo/rules/r.md .continue/rules/r.md docs/a.md
""".split()
_SHORT = "---|paths: a/**|trigger: always_on|name: x|description: does it|name: [|<!-- a comment|-->|```|@docs/a.md"
LINES = _SHORT.split("|")
LINES += ["@AGENTS.md @a/CLAUDE.md", "@../x.md", "é😀", "", "  ", "text", "x" * 3_000, "long é line " * 900]
TEXT = st.lists(st.sampled_from(LINES), max_size=14).map("\n".join) | st.text(max_size=60)
PROJECTS = st.dictionaries(st.sampled_from(NAMES), TEXT, max_size=10)
FOLDERS = st.sampled_from(["", "a", "a/b"])


def audited(files: dict[str, str], cwd: str) -> tuple[AgentContext, ...]:
    return audit_agents(list(files), files.get, len, cwd=cwd, window=60_000)


def pieces(charge: Charge, text: str) -> str:
    return charge.text(text) + "".join(text[loss.span.start : loss.span.end] for loss in charge.lost)


@settings(max_examples=40)
@given(PROJECTS, FOLDERS)
def test_spans_are_the_file_and_sums_add_up(files: dict[str, str], cwd: str) -> None:
    for context in audited(files, cwd):
        for charge in context.charges:
            text = files[charge.path]
            spans = [*(charge.kept or ()), *(loss.span for loss in charge.lost)]
            edges = [edge for span in sorted(spans) for edge in span]
            assert edges == sorted(edges)
            assert all(0 <= edge <= len(text) for edge in edges)
            # Kept and lost are the whole file but for what is stripped.
            if charge.moment == "never":
                assert (charge.tokens, charge.kept, charge.lost) == (0, (), ())
            elif not charge.row.strip:
                assert pieces(charge, text) == text
            elif charge.row.strip == ("space",) and not charge.imported_by:
                assert pieces(charge, text) == text.strip()
            else:
                assert len(pieces(charge, text)) <= len(text)
            if charge.moment != "never":
                assert charge.tokens == len(charge.text(text))
                assert sum(loss.tokens for loss in charge.lost) == len(pieces(charge, text)) - charge.tokens
            assert charge.moment in MOMENTS
            assert bool(charge.start_tokens) <= (charge.moment in (*AT_START, *LISTED))
        full = sum(charge.tokens or 0 for charge in context.at(*AT_START))
        listed = sum(charge.entry.tokens for charge in context.at(*LISTED) if charge.entry)
        assert context.start_tokens == full + listed
        assert context.repeated_tokens <= context.start_tokens


@settings(max_examples=40)
@given(PROJECTS, FOLDERS)
def test_hard_limits_hold(files: dict[str, str], cwd: str) -> None:
    for context in audited(files, cwd):
        chain = 0
        for charge in context.charges:
            size = len(charge.text(files[charge.path]).encode())
            chain += size if charge.row.id == "codex.project" and charge.moment == "start" else 0
            for limit in charge.row.limits:
                if limit.of == "file" and limit.then in ("cut", "cut_line") and charge.moment != "never":
                    assert {"bytes": size, "chars": charge.tokens or 0, "lines": 0}[limit.unit] <= limit.max
        assert chain <= 32_768
        shared = [charge.tokens or 0 for charge in context.at("start") if charge.row.limit("start", "pointer")]
        assert sum(shared) <= 20_000


@settings(max_examples=26)
@given(PROJECTS, FOLDERS, st.sampled_from(["a/x.py", "a/b/c.ts", "x", "docs/a.md"]))
def test_touching_and_comparing_never_fail(files: dict[str, str], cwd: str, path: str) -> None:
    contexts = audited(files, cwd)
    agents = [context.agent.id for context in contexts if not context.agent.installable]
    assert [each.agent.id for each in what_if(contexts, path)] == agents
    assert {line.path for line in compare(contexts).lines} <= files.keys()


def test_two_thousand_files_take_no_time() -> None:
    files = {"CLAUDE.md": "x", "AGENTS.md": "x", ".cursor/rules/a.mdc": "", ".github/copilot-instructions.md": ""}
    for n in range(500):
        skill = f"---\nname: s{n}\ndescription: does thing {n}\n---\nbody {n}\n"
        files |= dict.fromkeys((f".claude/skills/s{n}/SKILL.md", f".agents/skills/s{n}/SKILL.md"), skill)
        files[f"p{n}/AGENTS.md"] = f"# Part {n}\n" + "text\n" * 20
        files[f".cursor/rules/r{n}.mdc"] = f"---\nglobs: p{n}/**\n---\nrule {n}\n"
    load_table()
    times = []
    for _ in range(3):
        start = time.process_time()
        audit_agents(list(files), files.get, len, count_file=lambda path: 1)
        times.append(time.process_time() - start)
    assert min(times) < 1.5  # 0.25 on a quiet machine
