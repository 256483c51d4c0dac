"""`@path` imports: what counts as one, and how far they are followed."""

import re
import time

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents import classify, load_table
from ctxtui.agents.project.imports import mentions
from tests.agents.conftest import Loads, Moments
from tests.cases import cases


@cases(
    ("text", "targets"),
    [
        ("See @README.md and @docs/a.md.", ("README.md", "docs/a.md.")),
        ("@./a.md#part", ("./a.md",)),
        (r"@my\ notes.md", ("my notes.md",)),
        ("mail@example.org (@a.md)", ()),
        ("`@a.md` and ``x ` @b.md`` @c.md", ("c.md",)),
        ("`open\n@a.md close`", ()),
        ("`open\n\n@a.md` @b.md", ("a.md`", "b.md")),
        ("```\n@a.md\n```\n@b.md", ("b.md",)),
        ("~~~~ text\n@a.md\n~~~\n@b.md\n~~~~\n@c.md", ("c.md",)),
        ("- item\n\n  ```sh\n  @a.md\n  ```\n- @b.md", ("b.md",)),
        ("```unclosed\n@a.md", ()),
        ("Example:\n\n    @a.md\n\tand @b.md\n\n@c.md", ("c.md",)),
        ("- item\n\n    @a.md\n", ("a.md",)),
        ("text\n    @a.md\n", ("a.md",)),
        ("<div>\n    @a.md\n</div>\n", ("a.md",)),
        ("``` not `a fence\n@a.md", ("a.md",)),
        ("<!-- @a.md\n@b.md -->\n@c.md", ("c.md",)),
        ("@a.md @a.md", ("a.md",)),
        ("@ @# nothing", ()),
        ("**@a.md**", ("a.md",)),
        ("- **@a.md**: read it\n> _see @b.md_\n# [@c.md](x)", ("a.md", "b.md", "c.md")),
        ("**see @my_file.md**", ("my_file.md",)),
        ("**Mind @a.md.**", ("a.md.",)),
        ("`x`@a.md *y*@b.md <b>@c.md</b>", ("a.md", "b.md", "c.md")),
        ("**`@a.md`** and **x@b.md** and (@c.md)", ()),
    ],
)
def test_mentions(text: str, targets: tuple[str, ...]) -> None:
    assert mentions(text) == targets


def test_some_agents_take_markup_for_a_part_of_the_path(loads: Loads) -> None:
    files = {"a.md": "", "b.md": "", "CLAUDE.md": "**@a.md** @b.md", "GEMINI.md": "**@a.md** @b.md"}
    assert {"a.md", "b.md"} <= loads("claude-code", files).keys()
    assert "a.md" not in loads("gemini-cli", files)
    assert "b.md" in loads("gemini-cli", files)


@cases(
    ("text", "targets"),
    [
        ("~~~\n@a.md\n~~~", ("a.md",)),
        ("```\n@a.md\n", ("a.md",)),
        ("```\n@a.md\n```\n@b.md", ("b.md",)),
        ("    @a.md", ("a.md",)),
        ("<!-- @a.md -->", ("a.md",)),
        ("@b\\ c.md", ("b\\",)),
        ("@1.md @_u.md @規約.md @./1.md", ("./1.md",)),
        ("x @a.md\u3000y", ("a.md\u3000y",)),
        ("x\u3000@a.md", ()),
        ("@a.md#part", ("a.md#part",)),
        ("one ` here\n\n@a.md\n\nand ` there @b.md", ("b.md",)),
        ("`` @a.md ``` @b.md", ("b.md",)),
        ("```` @a.md", ("a.md",)),
    ],
)
def test_gemini_cli_has_a_grammar_of_its_own(text: str, targets: tuple[str, ...]) -> None:
    assert mentions(text, GEMINI) == targets


(GEMINI,) = {
    row.imports_as for agent in load_table() if agent.id == "gemini-cli" for row in agent.rows if row.imports
}


@given(st.text(alphabet="`@a \n", max_size=40))
def test_runs_of_backticks_are_those_of_the_regular_expression(text: str) -> None:
    code = [match.span() for match in re.finditer(r"(`+)([\s\S]*?)\1", text)]
    found = list(re.finditer(r"(?:^|(?<=[ \n]))@([a-z][^ \n`]*)(?=[ \n]|\Z)", text))
    outside = [match[1] for match in found if not any(start <= match.start() < end for start, end in code)]
    assert [each for each in mentions(text, GEMINI) if "`" not in each] == list(dict.fromkeys(outside))


def test_imports_are_relative_to_their_file_and_follow_it(loads: Loads) -> None:
    files = {"zzz.md": "", "CLAUDE.md": "@docs/a.md @zzz.md", "docs/a.md": "@b.md", "docs/b.md": "", "b.md": ""}
    found = loads("claude-code", files)
    assert [(load.path, load.imported_by, load.moment) for load in found.values()] == [
        ("CLAUDE.md", None, "start"),
        ("docs/a.md", "CLAUDE.md", "start"),
        ("docs/b.md", "docs/a.md", "start"),
        ("zzz.md", "CLAUDE.md", "start"),
    ]
    assert found["docs/b.md"].row == "claude.project"


def chain(first: str, length: int) -> dict[str, str]:
    return {first: "@./1.md"} | {f"{n}.md": f"@./{n + 1}.md" for n in range(1, length + 1)}


@cases(("agent", "first", "hops"), [("claude-code", "CLAUDE.md", 4), ("gemini-cli", "GEMINI.md", 5)])
def test_imports_end_after_the_last_hop(moments: Moments, agent: str, first: str, hops: int) -> None:
    expected = {first: "start"} | {f"{n}.md": "start" for n in range(1, hops + 1)} | {f"{hops + 1}.md": "never"}
    assert moments(agent, chain(first, 9)) == expected


def test_a_file_too_deep_on_one_way_may_be_reached_on_another_and_cycles_end(moments: Moments) -> None:
    files = chain("CLAUDE.md", 9) | {"CLAUDE.md": "@1.md @5.md"}
    assert moments("claude-code", files)["5.md"] == "start"
    files = {"CLAUDE.md": "@a.md", "a.md": "@b.md @CLAUDE.md", "b.md": "@a.md @b.md"}
    assert moments("claude-code", files) == dict.fromkeys(files, "start")


def test_nothing_outside_the_project_is_imported() -> None:
    asked: list[str] = []

    def read(path: str) -> str:
        asked.append(path)
        return "@../x.md @/etc/passwd @~/x.md @../../root.md @missing.md"

    assert not any(load.imported_by for load in classify(["sub/CLAUDE.md", "sub/GEMINI.md", "CLAUDE.md"], read))
    assert set(asked) == {"sub/CLAUDE.md", "sub/GEMINI.md", "CLAUDE.md"}


def test_an_import_has_the_earliest_moment_of_its_importers(loads: Loads) -> None:
    touched = loads("claude-code", {"pkg/CLAUDE.md": "@notes.md", "pkg/notes.md": ""})["pkg/notes.md"]
    assert (touched.moment, touched.globs) == ("touch", ("pkg/**",))
    files = {"CLAUDE.md": "@pkg/CLAUDE.md @AGENTS.md", "pkg/CLAUDE.md": "", "AGENTS.md": ""}
    found = loads("claude-code", files)
    assert {path: load.moment for path, load in found.items()} == dict.fromkeys(files, "start")
    assert found["AGENTS.md"].imported_by == "CLAUDE.md"


@cases(
    "text",
    ["` `` " * 60_000 + "@a", "<!--\n" * 60_000 + "@a", " " * 200_000 + "@a", "@" * 200_000]
    + [part * (95_000 // len(part)) for part in ("*@a_", "[" * 900 + "*@a\n\n", "<" * 900 + "*@a\n\n")],
)
def test_hostile_texts_take_no_time(text: str) -> None:
    start = time.process_time()
    mentions(text)
    assert time.process_time() - start < 1


@given(st.text(alphabet="@a.md`~ \n<!->#\\/*_[]()", max_size=200))
def test_no_text_breaks_mentions(text: str) -> None:
    assert all(mentions(text))
