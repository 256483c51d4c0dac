from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxtui import ContextError, Session, Workspace
from ctxtui.core.base.errors import OverBudget
from ctxtui.session.budget import Budget
from ctxtui.session.saved.recipe_yaml import dump_recipe, parse_recipe
from tests.cases import cases

TEXT = "# A\n\nSome words.\n"


@pytest.fixture
def session(project: Callable[..., Path]) -> Session:
    files = {"a.md": TEXT, "b.md": TEXT * 30, ".context/CONSTITUTION.md": "# Law\n" * 20}
    return Workspace.open(project(files)).session()


def test_a_budget_is_a_number_of_tokens_as_people_write_it(session: Session) -> None:
    assert session.with_budget("12k").budget.limit == 12_000
    assert session.with_budget(7).budget.limit == 7
    assert session.with_budget("12k").with_budget(None).budget.effective is None
    for limit, cut in ((0, ("b.md",)), (None, ())):
        assert session.pick("b.md").with_budget(limit).payload().truncated == cut
    assert session.with_budget("12k").with_budget(tokenizer="heuristic").budget.limit == 12_000


@cases("changes", [{"limit": "lots"}, {"limit": "-1"}, {"limit": -1}, {"model": " "}, {"tokenizer": "o300k"}])
def test_other_budgets_are_refused(session: Session, changes: dict[str, Any]) -> None:
    with pytest.raises(ContextError) as caught:
        session.with_budget(**changes)
    assert caught.value.category == "invalid_request"


def test_a_model_brings_its_window_less_what_is_reserved_and_gives_way_to_a_tokenizer(session: Session) -> None:
    budget = session.with_budget("900k", model="gpt-5", reserve="8k").budget
    assert budget.window is not None
    assert budget.effective == min(900_000, budget.window - 8_000)
    assert budget.counter.exact
    assert session.with_budget("10k", model="gpt-5").budget.effective == 10_000
    assert Budget(window=100, reserve=200).effective == 0
    chosen = session.with_budget(model="gpt-4")
    assert chosen.budget.counter.basis == "cl100k_base"
    back = chosen.with_budget(tokenizer="o200k_base").budget
    assert (back.model, back.window, back.counter.basis) == (None, None, "o200k_base")


def test_a_prompt_stands_where_it_is_wanted(session: Session) -> None:
    picked = session.pick("a.md").with_prompt("Do it.")
    assert [block.id for block in picked.payload().blocks] == ["a.md", "(prompt)"]
    first = picked.with_prompt("Do it.", "first")
    assert [block.id for block in first.payload().blocks] == ["(prompt)", "a.md"]
    assert [block.id for block in first.with_prompt("Other").payload().blocks] == ["(prompt)", "a.md"]
    assert len(picked.with_prompt("Do it.", "both").payload().blocks) == 3
    assert picked.with_prompt(" ").selection == session.pick("a.md").selection


def test_the_constitution_is_never_cut(session: Session) -> None:
    payload = session.pick(".context/CONSTITUTION").pick("b.md").with_budget(30).payload()
    assert {block.id: block.state for block in payload.blocks} == {".context/CONSTITUTION": "whole", "b.md": "header"}
    assert [notice.code for notice in payload.notices] == ["over-budget"]
    assert session.pick(".context/CONSTITUTION").picks[0].pinned


def test_an_output_is_a_known_format(session: Session) -> None:
    picked = session.pick("a.md").with_output("xml", over="fail")
    assert picked.payload().text.startswith("<documents>")
    assert picked.payload(format="json").text.startswith("{")
    with pytest.raises(ContextError) as caught:
        picked.payload(format="yaml")
    assert "markdown" in (caught.value.hint or "")
    with pytest.raises(OverBudget):
        picked.with_budget(3).payload()
    assert picked.with_budget(3).payload(over="fit").omitted == ("a.md",)


def test_fit_takes_sections_in_the_order_of_the_picks_also_after_a_recipe_is_read_again(
    project: Callable[..., Path],
) -> None:
    text = "".join(f"# {name}\n\n{name} again and again.\n\n" for name in ("One", "Two", "Three", "Four"))
    workspace = Workspace.open(project({"a.md": text, "b.md": "# Five\n"}))
    picked = workspace.session().pick_in_order(["a.md#three", "a.md#one", "a.md#two", "b.md"]).with_output(over="fit")
    two = workspace.session().pick_in_order(["a.md#one", "a.md#three"]).payload()
    payload = picked.with_budget(two.tokens).payload()
    assert payload.text == two.text
    assert (payload.truncated, payload.omitted, payload.tokens) == (("a.md",), ("b.md",), two.tokens)
    assert payload.wanted == picked.payload().tokens
    assert picked.with_budget(two.tokens - 1).payload().text.count("again") == 2
    front = f"---\ntitle: {'long ' * 30}\n---\n"
    workspace = Workspace.open(project({"a.md": f"{front}# One\n\none\n\n# Two\n\ntwo\n"}))
    picked = workspace.session().pick("a.md", ["(frontmatter)"]).pick("a.md#one").with_output(over="fit")
    one = workspace.session().pick("a.md#one").payload()
    fitted = picked.with_budget(one.tokens)
    again = workspace.session().with_selection(parse_recipe(dump_recipe(fitted), "r").selection)
    assert again.selection == fitted.selection
    assert again.payload().text == fitted.payload().text == one.text


def test_the_tokens_of_a_markdown_file_are_those_without_its_frontmatter(project: Callable[..., Path]) -> None:
    text = f"---\nid: one\n---\n{TEXT}"
    root = project({"a.md": text, "b.md": f"---\n---\n{TEXT}", "AGENTS.md": text, "c.txt": text})
    session = Workspace.open(root).session()
    count = session.budget.counter.count
    assert {session.tokens(path) for path in ("a.md", "b.md", "AGENTS.md")} == {count(TEXT)}
    assert session.tokens("c.txt") == count(text)


def test_the_meter_adds_up_and_a_cost_is_what_a_pick_adds(session: Session) -> None:
    payload = session.pick("a.md").pick("b.md#a").with_prompt("x").payload()
    assert sum(block.tokens for block in payload.blocks) == payload.tokens
    assert sum(block.text_tokens for block in payload.blocks) == payload.text_tokens
    assert payload.text_tokens < payload.tokens
    start = session.pick("a.md").with_budget(5)
    for id_ in ("b.md", "b.md#a-3", "a.md", ""):
        free = start.with_budget(None)
        assert start.cost(id_) == free.pick(id_).payload().tokens - free.payload().tokens
    assert start.cost("a.md") == 0
