"""The rule about text in several files, and the search behind it."""

import time

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.audit import RULES, audit
from ctxtui.audit.text.facts import read_facts
from ctxtui.audit.text.repeats import find_runs, pieces
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import LOREM, found, ignore, one
from tests.cases import cases
from tests.conftest import Project

TOKENS = get_counter().count(LOREM.rstrip("\n"))
OTHER = LOREM.replace("says", "tells").replace("Line", "Row")


def test_a_block_in_two_files_is_priced_in_tokens(project: Project) -> None:
    root = project({".context/A.md": f"# A\n\nown\n\n{LOREM}", ".context/B.md": f"{OTHER}\n{LOREM}\n# End\n"})
    finding = one(root, "repeated-text")
    assert (finding.path, finding.line, finding.severity) == (".context/A.md", 5, "info")
    assert finding.tokens == TOKENS
    assert finding.subject == ".context/B.md"
    assert "lines 5 to 16" in finding.message


def test_a_block_in_many_files_is_one_finding_and_all_repeats_are_priced(project: Project) -> None:
    root = project({f".context/{name}.md": f"# {name}\n\n{LOREM}" for name in "ABCD"})
    finding = one(root, "repeated-text")
    assert finding.tokens == 3 * TOKENS
    assert finding.subject == ".context/B.md, .context/C.md, .context/D.md"
    assert finding.fact.endswith("; `ctxtui load` loads all")


def test_a_changed_line_does_not_part_a_block(project: Project) -> None:
    lines = LOREM.splitlines(keepends=True)
    changed = "".join([*lines[:4], "Something else entirely.\n", *lines[5:8], *lines[9:]])
    finding = one(project({".context/A.md": LOREM, ".context/B.md": changed}), "repeated-text")
    assert "lines 1 to 12" in finding.message
    assert finding.tokens == get_counter().count("".join(lines[:4] + lines[5:8] + lines[9:]).rstrip("\n"))


def test_line_ends_indents_and_blank_lines_make_no_difference(project: Project) -> None:
    other = LOREM.replace("\n", "\r\n\r\n").replace("Line", "  Line")
    assert one(project({".context/A.md": LOREM, ".context/B.md": other}), "repeated-text").tokens > 100


def test_long_paragraphs_on_one_line_are_compared_as_well(project: Project) -> None:
    paragraph = LOREM.replace("\n", " ")
    root = project({".context/A.md": f"a\n\n{paragraph}\n\nb\n", ".context/B.md": f"c\n\n{paragraph}\n\nd\n"})
    assert one(root, "repeated-text").line == 3


def test_blocks_that_different_files_share_are_different_findings(project: Project) -> None:
    root = project({".context/A.md": f"{LOREM}\n# Rest\n\n{OTHER}", ".context/B.md": LOREM, ".context/C.md": OTHER})
    assert sorted(each.subject for each in found(root, "repeated-text")) == [".context/B.md", ".context/C.md"]


def _rules(times: int) -> dict[str, str]:
    """Two files of one start with a part in common, and parts of their own that are as large."""
    part, own, more = ("".join(f"{word} {number} {LOREM}" for number in range(times)) for word in ("a", "b", "c"))
    own, more = (
        own.replace("says", "tells").replace("Line", "Row"),
        more.replace("says", "asks").replace("Line", "Item"),
    )
    return {"AGENTS.md": f"{part}{own}", ".cursorrules": f"{part}{more}"}


def test_a_repeat_names_the_agent_that_pays_for_it(project: Project) -> None:
    large, small = (one(project(_rules(times)), "repeated-text") for times in (4, 1))
    assert (large.severity, large.agent, small.agent) == ("info", "cursor", "cursor")
    assert large.tokens > small.tokens


def test_copies_that_say_they_are_generated_are_one_note(project: Project) -> None:
    files = _rules(4)
    made = f"# Rules\n\n> **Generated from `AGENTS.md`**: do not change it by hand.\n\n{files['.cursorrules']}"
    root = project({"AGENTS.md": files["AGENTS.md"], ".cursorrules": made, ".windsurfrules": made.replace("c", "k")})
    told = found(root, "repeated-text")
    assert [each.severity for each in told] == ["info"]
    assert told[0].message == "files that are generated, as they say, repeat the text of others in 3 places"


def test_files_that_never_meet_are_only_information(project: Project) -> None:
    root = project({"AGENTS.md": f"# A\n{LOREM}", "GEMINI.md": f"# C\n{LOREM}"})
    assert one(root, "repeated-text").severity == "info"


def test_little_text_and_links_and_frontmatter_are_no_repeats(project: Project) -> None:
    short = "".join(LOREM.splitlines(keepends=True)[:4])
    head = "---\n" + "".join(f"key{n}: the same long value for all of them {n}\n" for n in range(30)) + "---\n"
    root = project(
        {".context/A.md": f"{head}# A\n{short}", ".context/B.md": f"{head}# B\n{short}", "AGENTS.md": OTHER}
    )
    (root / "GEMINI.md").symlink_to("AGENTS.md")
    assert found(root, "repeated-text") == []
    assert found(root, "repeated-text", repeat_tokens=50) != []


def test_plain_files_are_left_alone(project: Project) -> None:
    root = project({"docs/a.md": LOREM, "docs/b.md": LOREM})
    assert found(root, "repeated-text") == []


SKILL = "---\nname: pots\ndescription: Makes pots.\n---\n"


@cases(
    ("one_path", "other_path"),
    [
        ("docs/ja-JP/AGENTS.md", "AGENTS.md"),
        ("docs/tr/AGENTS.md", "docs/fr/AGENTS.md"),
        ("vendor/lib/AGENTS.md", "AGENTS.md"),
        ("third_party/lib/AGENTS.md", "lib/AGENTS.md"),
        (".cursor/rules/a.mdc", ".kiro/steering/a.md"),
        ("plugins/x/skills/pots/SKILL.md", ".agents/skills/pots/SKILL.md"),
        ("skills/pots/scripts/one.md", "skills/cups/scripts/two.md"),
        ("skills/pots/LICENSE.txt", "skills/cups/LICENSE.txt"),
    ],
)
def test_translations_editions_and_material_are_not_compared(
    project: Project, one_path: str, other_path: str
) -> None:
    files = {f"skills/{name}/SKILL.md": SKILL for name in ("pots", "cups")}
    root = project({**files, one_path: f"{SKILL}{LOREM}", other_path: f"{SKILL}{LOREM}\n# End\n"})
    assert found(root, "repeated-text") == []


def test_repeats_that_no_start_pays_for_are_information(project: Project) -> None:
    body = f"{SKILL}{LOREM}{OTHER}"
    root = project({"skills/pots/SKILL.md": body, "skills/pots/references/more.md": f"# More\n\n{LOREM}{OTHER}"})
    finding = one(root, "repeated-text")
    assert (finding.severity, finding.path) == ("info", "skills/pots/SKILL.md")
    assert finding.message.endswith("; an agent that uses the skill may read both")
    root = project({"skills/pots/SKILL.md": body, "skills/cups/SKILL.md": body.replace("pots", "cups")})
    assert one(root, "repeated-text").severity == "info"
    small = {"skills/pots/SKILL.md": f"{SKILL}{LOREM}", "skills/pots/references/more.md": LOREM}
    assert one(project(small), "repeated-text").severity == "info"


def test_each_file_is_named_with_its_own_lines(project: Project) -> None:
    part = "".join(LOREM.splitlines(keepends=True)[:7])
    root = project({".context/A.md": LOREM, ".context/B.md": f"# B\n\n{part}", ".context/C.md": f"{OTHER}\n{LOREM}"})
    told = {each.subject: each for each in found(root, "repeated-text")}
    assert "lines 1 to 7 are equal to lines 3 to 9 of .context/B.md" in told[".context/B.md"].message
    assert "lines 1 to 12 are equal to lines 14 to 25 of .context/C.md" in told[".context/C.md"].message
    assert [(each.path, each.line) for each in told[".context/C.md"].places] == [
        (".context/A.md", 1),
        (".context/C.md", 14),
    ]


@given(st.lists(st.lists(st.sampled_from("abcdefg"), max_size=40), min_size=2, max_size=4))
def test_pieces_of_runs_are_dense_and_lose_no_line(files: list[list[str]]) -> None:
    facts = [read_facts("\n".join(f"this is line {line}" for line in lines)) for lines in files]
    for run in find_runs(facts, 1):
        found = list(pieces(run, facts))
        assert tuple(pair for piece in found for pair in piece.pairs) == run.pairs
        for piece in found:
            for side in (0, 1):
                assert len(piece.pairs) >= 0.8 * (piece.pairs[-1][side] - piece.pairs[0][side] + 1)


def test_a_thousand_rules_of_one_start_take_no_quadratic_time(project: Project) -> None:
    head = "---\nalwaysApply: true\n---\n"
    root = project({f".cursor/rules/{n}.mdc": f"{head}# Rule {n}\n{LOREM}{n}\n" for n in range(400)})
    workspace = Workspace.open(root, on_notice=ignore)
    audit(workspace, rules=())
    start = time.process_time()
    audit(workspace, rules=[rule for rule in RULES if rule.id in ("paid-twice", "repeated-text")])
    assert time.process_time() - start < 2.0
