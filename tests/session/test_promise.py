"""The promise: the number on the meter is the number of tokens in the exported payload, exactly."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui import Payload, Session, Workspace
from ctxtui.core.base.errors import OverBudget
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.tokens.counter import Weights
from ctxtui.core.tokens.encodings import VOCABULARIES, encoding
from ctxtui.core.tokens.families import family_of

TOKENIZERS = ("o200k_base", "cl100k_base", "heuristic", "claude-opus-4-1")
BASES = {"claude-opus-4-1": "o200k_base"}
PATHS = (
    *("AGENTS.md", ".context/CONSTITUTION.md", ".context/TASKS.md", "docs/a b.md", "docs/-->.md", "notes/é#1.md"),
    *("src/main.py", "lib/index.md", "data.json"),
)

_word = st.sampled_from(["alpha", "don't", "42", "/x", "漢字", "😀", "#tag", "x\x0cy\u2028z"])
_words = st.lists(_word, min_size=1).map(" ".join)
_block = st.one_of(
    st.builds(lambda level, words: f"{'#' * level} {words}\n", st.integers(1, 3), _words),
    st.builds("{}\n===\n".format, _words),
    st.builds("```\n# {}\n```\n".format, _words),
    st.builds("- [{}] {}\n".format, st.sampled_from(" x"), _words),
    st.builds("<!-- {} -->\n".format, _words),
    st.builds("## 2026-01-0{}\n{}\n".format, st.integers(1, 9), _words),
    st.builds("{}\n".format, _words),
    st.sampled_from(["\n", "  \n"]),
)
closed = st.lists(_block, max_size=12).map("".join)
_nasty = st.text(st.sampled_from(" \t\r\n\n//##ab9-'`<>漢😀\u2028"), max_size=40)
_odd = st.builds(
    lambda start, text, cut, end: (start + text)[: None if cut == 0 else -cut].replace("\n", end),
    st.sampled_from(["", " ", "/", "\n", "\r\n", "\t/", "#", "---\nid: x\ntags: [a]\n---\n"]),
    closed,
    st.integers(0, 2),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
)
_files = st.dictionaries(st.sampled_from(PATHS), st.one_of(closed, _odd, _nasty), min_size=1, max_size=6)


@dataclass(frozen=True)
class Plan:
    """What is done with a project: steps, prompt, budget and output, all by number."""

    steps: tuple[tuple[str, int, int], ...]
    prompt: str
    position: str
    limit: int | None
    tokenizer: str
    format: str
    over: str


_actions = st.sampled_from(["pick", "pick", "part", "part", "drop", "pin", "move"])
_plans = st.builds(
    Plan,
    st.lists(st.tuples(_actions, st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8).map(tuple),
    st.one_of(st.just(""), _nasty, _words),
    st.sampled_from(["first", "last", "both"]),
    st.one_of(st.none(), st.integers(0, 400)),
    st.sampled_from(TOKENIZERS),
    st.sampled_from(list(FORMATS)),
    st.sampled_from(["cut", "fit", "fail"]),
)


def _follow(plan: Plan, workspace: Workspace) -> Session:
    choice = {"model" if plan.tokenizer in BASES else "tokenizer": plan.tokenizer}
    session = workspace.session().with_budget(plan.limit, **choice)  # type: ignore[arg-type]
    for action, which, other in plan.steps:
        reference = workspace.references[which % len(workspace.references)]
        id_ = reference.id
        parts = workspace.document(reference).parts
        part = f"{id_}#{parts[other % len(parts)].slug}"
        if action == "move":
            session = session.move(id_, other - 5)
        elif action == "pin":
            session = session.pin(id_, other % 3 > 0)
        elif action == "drop":
            session = session.drop(part) if session.selection.document_pick(id_) else session
        else:
            session = session.pick(part if action == "part" else id_)
    return session.with_prompt(plan.prompt, plan.position).with_output(plan.format)  # type: ignore[arg-type]


def true_tokens(text: str, tokenizer: str) -> int:
    """What tiktoken itself says of the whole text, or the published weights of its characters, rounded up."""
    if tokenizer == "heuristic":
        return ceil(len(text) / 4)
    tokens = len(encoding(BASES.get(tokenizer, tokenizer)).encode(text, disallowed_special=()))
    weights = None if tokenizer in VOCABULARIES else family_of(tokenizer).weights
    if weights is None:
        return tokens
    thousandths = weights.token * tokens + sum(_weight(character, weights) for character in text)
    return -(-thousandths // 1000)


def _weight(character: str, weights: Weights) -> int:
    if not character.isascii():
        return weights.wide
    if character.isdigit():
        return weights.digit
    if character.isalpha():
        return weights.capital if character.isupper() else weights.letter
    return weights.space if character == " " else weights.sign


def _numbers(payload: Payload) -> Payload:
    """A payload without its texts and what can only be seen in them."""
    notices = tuple(notice for notice in payload.notices if notice.code != "wrapper-in-text")
    blocks = tuple(replace(block, pieces=()) for block in payload.blocks)
    return replace(payload, pieces=(), blocks=blocks, notices=notices, whole=None)


def _check(session: Session, over: Any, free: Payload | None = None) -> None:
    tokenizer = session.budget.model or session.budget.tokenizer
    free = free or session.with_budget(None).payload()
    limit = session.budget.effective
    if over == "fail" and limit is not None and free.upper > limit:
        with pytest.raises(OverBudget):
            session.payload(over=over)
        return
    payload = session.payload(over=over)
    assert payload.tokens == true_tokens(payload.text, tokenizer)
    assert payload.wanted == true_tokens(free.text, tokenizer)
    assert _numbers(session.layout(over=over)) == _numbers(payload)
    assert not payload.text or payload.text.endswith("\n")
    _check_limit(session, payload, limit)
    _check_blocks(session, payload, free, over)


def _check_limit(session: Session, payload: Payload, limit: int | None) -> None:
    is_over = limit is not None and payload.upper > limit
    assert is_over == any(notice.code == "over-budget" for notice in payload.notices)
    assert payload.upper >= payload.tokens or session.budget.tokenizer == "heuristic"
    states = {block.id: block.state for block in payload.blocks if block.id != "(prompt)"}
    assert set(payload.truncated) == {id_ for id_, state in states.items() if state in ("cut", "header")}
    assert set(payload.omitted) == {id_ for id_, state in states.items() if state == "dropped"}
    if limit is None:
        assert set(states.values()) <= {"whole"}


def _check_blocks(session: Session, payload: Payload, free: Payload, over: Any) -> None:
    is_json = session.selection.format == "json"
    bodies = {block.id: _body(session, block.text) for block in free.blocks if block.id != "(prompt)"}
    rest = payload.text
    for block in payload.blocks:
        assert block.text in rest
        rest = rest.split(block.text, 1)[1] if block.text else rest
        if block.id == "(prompt)":
            continue
        if block.pinned or session.workspace.by_id[block.id].protected:
            assert block.state == "whole"
        if block.state == "whole":
            assert _body(session, block.text) == bodies[block.id]
        elif block.state == "dropped":
            assert block.text == ""
        elif over == "fit":
            # The header names the sections that are left.
            assert 0 < block.tokens < block.wanted
        else:
            assert "[truncated]\\n" in block.text if is_json else "[truncated]\n" in block.text


def _body(session: Session, text: str) -> str:
    """A block without what an index or a place in a list changes."""
    if session.selection.format == "json":
        return text.removeprefix(",")
    return re.sub(r'<document index="\d+">', "", text, count=1)


@settings(max_examples=50)
@given(files=_files, plan=_plans)
def test_every_number_is_that_of_the_export(project: Callable[..., Path], files: dict[str, str], plan: Plan) -> None:
    _check(_follow(plan, Workspace.open(project(files), on_notice=lambda notice: None)), plan.over)


@given(text=closed, limit=st.integers(5, 120), name=st.sampled_from(["markdown", "json"]))
def test_no_cut_ends_inside_a_fence(project: Callable[..., Path], text: str, limit: int, name: str) -> None:
    workspace = Workspace.open(project({"a.md": text}), on_notice=lambda notice: None)
    body = workspace.session(limit).pick("a.md").payload(format=name).text
    if name == "json" and body:
        body = json.loads(body)["documents"][0]["content"]
    fences = [line for line in re.split(r"\r\n|\r|\n", body) if re.match(r" {0,3}```", line)]
    assert len(fences) % 2 == 0


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_the_sample_project_is_counted_exactly(sample: Path, tokenizer: str) -> None:
    workspace = Workspace.open(sample)
    choice = {"model" if tokenizer in BASES else "tokenizer": tokenizer}
    every = workspace.session().with_budget(**choice).with_prompt("Review /this.", "both")
    every = every.pick_in_order([reference.id for reference in workspace.references])
    for name in FORMATS:
        session = every.with_output(name)
        free = session.payload()
        for limit, over in [(None, "cut"), *product((9_000, 1_500), ("cut", "fit", "fail"))]:
            _check(session.with_budget(limit), over, free)


def _checked_parts(workspace: Workspace, session: Session) -> None:
    """Every document with its parts picked in turn, and its rows adding up."""
    counter = session.budget.counter
    for reference in workspace.references:
        document = workspace.document(reference)
        assert sum(workspace.reader.part_tokens(document, counter)) == true_tokens(document.text, counter.name)
    for node in workspace.tree.walk():
        if node.kind == "document" and node.parts:
            assert sum(part.tokens for part in node.parts) == node.tokens
    assert workspace.tree.tokens == sum(child.tokens for child in workspace.tree.children)


def test_rows_of_the_sample_project_add_up(sample: Path) -> None:
    workspace = Workspace.open(sample)
    for tokenizer in ("o200k_base", "cl100k_base"):
        _checked_parts(workspace, workspace.session(tokenizer=tokenizer))


@pytest.mark.parametrize(("name", "tokenizer"), [("xml", "o200k_base"), ("json", "cl100k_base")])
def test_real_context_folders_are_counted_exactly(corpora: Path, name: str, tokenizer: str) -> None:
    for folder in sorted(path for path in corpora.iterdir() if path.is_dir()):
        workspace = Workspace.open(folder, on_notice=lambda notice: None)
        session = workspace.session(tokenizer=tokenizer).with_output(name)
        for reference in workspace.references:
            session = session.pick(reference.id)
        _check(session, "cut")
        halves = session
        for reference in workspace.references[::2]:
            parts = workspace.document(reference).parts
            halves = halves.drop(reference.id)
            for part in parts[::2]:
                halves = halves.pick(f"{reference.id}#{part.slug}")
        _check(halves.with_budget(20_000), "cut")
        _check(halves.with_budget(20_000), "fit")


def test_rows_of_real_context_folders_add_up(corpora: Path) -> None:
    for folder in sorted(path for path in corpora.iterdir() if path.is_dir()):
        workspace = Workspace.open(folder, on_notice=lambda notice: None)
        _checked_parts(workspace, workspace.session())
