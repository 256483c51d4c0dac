"""Prompts: the whole project is searched, and what is picked is what was found."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from ctxtui import Workspace
from ctxtui.core import get_counter
from ctxtui.core.base.errors import ContextError
from ctxtui.session.queries import prompt_search
from ctxtui.session.queries.prompt_search import FILESYSTEM, PromptSearch
from ctxtui.session.saved.recipe_yaml import parse_recipe
from ctxtui.workspace.search import Hit
from tests.cases import cases
from tests.conftest import Asked, Project

FILLING = "".join(f"line {number} is about nothing in particular\n" for number in range(60))
CHANGES = "# Changes\n\ndev\n---\n- a\n\n2.5.0\n-----\n- zebra crossing fixed\n"
CODE = f'''"""Money."""

ROUNDING = "half even zebra"


class Till:
    """Counts okapi coins."""

    def open(self) -> None:
        self.gnu = 1

    def close(self) -> None:
        """Sends the quagga away."""
        self.quagga = 2


def last() -> None:
    """{"padding " * 40}"""
'''
PERL = f"{FILLING}\nsub stripes {{\n  'quokka'\n}}\n{FILLING}"


@pytest.fixture
def inside(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Makes a project that is the current folder."""

    def make(files: Mapping[str, str | bytes]) -> Path:
        root = project(files)
        monkeypatch.chdir(root)
        return root

    return make


def found(root: Path, prompt: str) -> list[Hit]:
    with closing(PromptSearch({})) as prompter:
        return list(prompter.find_in_all(Workspace.open(root), prompt, lambda _: None).hits)


@cases(
    ("name", "text", "prompt", "target", "section"),
    [
        ("CHANGES.md", CHANGES, "zebra crossing", "CHANGES.md#250", "Changes / 2.5.0"),
        ("till.py", CODE, "half even zebra", "till.py#(preamble)", ""),
        ("till.py", CODE, "quagga", "till.py#Till.close", "Till / close"),
        ("notes.txt", f"{FILLING}the quokka\n", "quokka", None, ""),
        ("base.pl", PERL, "quokka", None, ""),
    ],
)
def test_a_hit_is_named_by_the_section_of_the_line_that_matches(
    project: Project, name: str, text: str, prompt: str, target: str | None, section: str
) -> None:
    root = project({name: text})
    [hit] = found(root, prompt)
    assert hit.line
    assert hit.lines
    assert hit.name == section
    assert prompt.split()[-1] in hit.matching
    assert hit.id == (target or f"{name}#L{hit.lines[0]}-L{hit.lines[1]}")
    session = Workspace.open(root).session().pick(hit.id)
    payload = session.payload()
    assert prompt.split()[-1] in payload.text
    assert session.state(hit.id) == "all"
    assert session.tokens(hit.id) == sum(each.text_tokens for each in payload.blocks)
    assert session.drop(hit.id).picks == ()


def test_a_head_of_a_class_is_its_lines_and_a_section_called_like_lines_is_meant_first(project: Project) -> None:
    methods = "".join(f"    def m{number}(self) -> None:\n        {'x = 1; ' * 40}\n\n" for number in range(20))
    [hit] = found(project({"till.py": f'class Till:\n    """Counts okapi coins."""\n\n{methods}'}), "okapi coins")
    assert hit.name == "Till"
    assert hit.id == "till.py#L{}-L{}".format(*hit.lines)
    root = project({"a.py": "def L1() -> None:\n    pass\n\n\ndef L3() -> None:\n    pass\n"})
    picked = Workspace.open(root).session().pick("a.py#L1")
    assert "def L3" not in picked.payload().text
    assert "def L1() -> None:\n    pass" in picked.payload().text


def test_lines_can_be_picked_by_every_way_that_names_them(inside: Project, asked: Asked) -> None:
    inside({"base.pl": PERL, "lib/a b.pl": PERL})
    wanted = "".join(PERL.splitlines(True)[60:64])
    for word in ("base.pl#L61-L64", "filesystem:base.pl#L61-L64", "base.pl#L61-64", "lib/a b.pl#L61-L64"):
        result = asked("build", "--pick", word, "--json").result
        assert wanted in result["text"]
        assert result["tokens"] == get_counter().count(result["text"])
        assert len(result["blocks"]) == 1
    assert asked("show", "base.pl#L61-L64").out == wanted
    asked("build", "--pick", "base.pl", "--pick", "!base.pl#L1-L2", "-q")
    assert "has no lines 61-999" in asked("build", "--pick", "base.pl#L61-L999", status=2).err


def test_a_pick_begins_in_a_line_not_behind_the_last_line_end(inside: Project, asked: Asked) -> None:
    inside({"a.txt": "one\ntwo\n", "empty.txt": ""})
    refused = asked("build", "--pick", "a.txt#L3", status=2).err
    assert refused.splitlines() == ["ctxtui: a.txt has no lines 3-3", "  it has 2"]
    assert "it has 0" in asked("build", "--pick", "empty.txt#L1", status=2).err
    assert "two\n" in asked("build", "--pick", "a.txt#L2-L3").out


def test_what_retrieve_and_search_print_can_be_piped_to_build(inside: Project, asked: Asked) -> None:
    inside({"base.pl": PERL, "till.py": CODE, "CHANGES.md": CHANGES})
    for command in (("retrieve", "quokka zebra"), ("search", "--in", "prompt", "quokka zebra")):
        ids = [each["id"] for each in asked(*command, "--json", "-q", "--limit", "20").result]
        assert len(ids) >= 3
        text = asked("build", *(word for id_ in ids for word in ("--pick", id_)), "-q").out
        assert "quokka" in text
        assert "zebra crossing" in text


def test_a_recipe_may_name_lines_in_an_id(project: Project) -> None:
    session = Workspace.open(project({"base.pl": PERL})).session()
    lines = parse_recipe("picks:\n- {id: base.pl, lines: 61-64}\n", "r").selection.picks
    for text in ("picks:\n- base.pl#L61-L64\n", "picks:\n- id: base.pl#L61-L64\n", "picks: ['base.pl#L61-L64']\n"):
        selection = parse_recipe(text, "r").selection
        assert selection.picks == lines
        assert "quokka" in session.with_selection(selection).payload().text
    with pytest.raises(ContextError, match=r"should be lines|lines of the document"):
        parse_recipe("picks: ['base.pl#L64-L61']\n", "r")


def many(project: Project) -> Path:
    """A project whose answer is in the file that is indexed last."""
    return project({f"docs/{number:03}.md": FILLING for number in range(80)} | {"src/zoo.py": "ZEBRA = 'quagga'\n"})


def test_the_command_waits_for_the_whole_index(
    inside: Project, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(inside)
    # However impatient the app may be.
    monkeypatch.setattr(prompt_search, "_PATIENCE", 0.0)
    answer = asked("search", "quagga", "--in", "prompt", "--json")
    assert [each["id"] for each in answer.result] == ["src/zoo.py"]
    assert answer.notices == []


def test_a_part_of_the_index_is_told_with_how_much_it_is(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_search, "_PATIENCE", 0.0)
    workspace = Workspace.open(many(project))
    reached = []
    with closing(PromptSearch({})) as prompter:
        while (answer := prompter.find(workspace, FILESYSTEM, "quagga", Event())).reached is not None:
            assert [each.code for each in answer.notices] == ["index-incomplete"]
            assert answer.reached.words in answer.notices[0].message
            reached.append(answer.reached)
    assert reached
    assert all(each.of == 81 for each in reached)
    # A file just written is prepared again.
    assert [each.files for each in reached] == sorted(each.files for each in reached)
    assert [hit.id for hit in answer.hits] == ["src/zoo.py"]


def test_the_last_word_of_a_command_is_whole_and_its_notices_are_told(inside: Project, asked: Asked) -> None:
    inside({"a.md": "# A\n\nhorse\n", "b.md": "# B\n\nhorseradish\n", "large.md": "zebra\n" * 400_000})
    said = asked("search", "horse", "--in", "prompt", "--json")
    assert [each["id"] for each in said.result] == ["a.md#a"]
    assert "too-large" in [each["code"] for each in said.notices]


def test_a_deadline_of_the_users_is_told_with_what_it_brought(inside: Project, asked: Asked) -> None:
    many(inside)
    said = asked("retrieve", "quagga", "--timeout", "0.001", status=4).err
    assert "the 0.001 seconds of --timeout ended" in said
    assert "what is indexed is kept: ask again" in said
    assert [each["path"] for each in asked("retrieve", "quagga", "--json", "-q").result] == ["src/zoo.py"]
