"""Starts in a model's own tokens: what is counted, what is kept, and when an estimate stays."""

from pathlib import Path

import pytest

from ctxtui.agents import Start
from ctxtui.agents.types import AT_START
from ctxtui.core.base.cancel import Stopped
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.core.tokens.whole import has_ctok, keep_measured, reconstructed_tokens
from ctxtui.session.agent_start import MOST_CHARACTERS, agent_starts, start_texts, whole_starts
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project

MODEL = "claude-opus-5"
CLAUDE = get_counter(MODEL)
SKILL = "---\nname: {0}\ndescription: What {0} does, in a sentence.\n---\nBody of {0}.\n"
FILES = {
    ".git/HEAD": "",
    "AGENTS.md": "# Rules\n\nNever charge a card twice.\n",
    "CLAUDE.md": "Before.\n<!-- a comment that Claude Code removes -->\nAfter.\n@docs/style.md\n",
    "docs/style.md": "Short words. Übung 練習.\n",
    ".claude/skills/one/SKILL.md": SKILL.format("one"),
    ".claude/skills/two/SKILL.md": SKILL.format("two"),
    ".cursor/rules/r.mdc": "---\nalwaysApply: true\n---\nA rule.\n",
}


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(None, "")


def _found(root: Path, model: str = MODEL) -> tuple[Workspace, tuple[Start, ...]]:
    workspace = Workspace.open(root)
    return workspace, agent_starts(workspace, get_counter(model))


def _measure(ledger: Ledger, workspace: Workspace, start: Start, tokens: int = 100) -> int:
    """Keep a measured number for every text of a start; returns their sum."""
    texts = start_texts(start, workspace.text) or ()
    for text in texts:
        keep_measured(ledger, MODEL, text, tokens)
    return tokens * len(texts)


def _of(starts: tuple[Start, ...], agent: str) -> Start:
    return next(each for each in starts if each.agent == agent)


@pytest.mark.parametrize("where", ["made", "sample"])
def test_the_texts_are_those_of_the_exact_start(where: str, project: Project, sample: Path) -> None:
    workspace, starts = _found(project(FILES) if where == "made" else sample, "o200k_base")
    count = get_counter().count
    assert starts
    for start in starts:
        texts = start_texts(start, workspace.text)
        assert texts is not None
        lines = [each.entry.text for each in start.entries if each.moment not in AT_START and each.entry]
        listed = "".join(f"{line}\n" for line in lines)
        full = texts[:-1] if lines else texts
        assert not lines or texts[-1] == listed
        assert sum(map(count, full)) + sum(map(count, lines)) == start.tokens, start.agent


def test_a_start_is_known_if_all_of_its_texts_are(project: Project, ledger: Ledger) -> None:
    workspace, starts = _found(project(FILES))
    claude = _of(starts, "claude-code")
    total = _measure(ledger, workspace, claude)
    assert total == 300
    (known,) = whole_starts([claude], workspace.text, CLAUDE, ledger)
    assert (known.known, known.whole.label) == (total, "measured")
    assert known.tokens == claude.tokens
    assert known.how_known == f"measured, ≈{claude.tokens:,} estimated"
    assert known.whole.basis_tokens == sum(map(get_counter().count, start_texts(claude, workspace.text) or ()))
    # One whose file vanished stays an estimate.
    (workspace.root / "docs/style.md").unlink()
    assert whole_starts([claude], Workspace.open(workspace.root).text, CLAUDE, ledger) == (claude,)


@pytest.mark.skipif(has_ctok(), reason="without ctok an unknown text stays an estimate")
def test_one_text_that_is_only_estimated_leaves_an_estimate(project: Project, ledger: Ledger) -> None:
    workspace, starts = _found(project(FILES))
    claude = _of(starts, "claude-code")
    _measure(ledger, workspace, claude)
    (workspace.root / "docs/style.md").write_text("Other words.\n")
    (known,) = whole_starts([claude], Workspace.open(workspace.root).text, CLAUDE, ledger)
    assert (known.whole, known.known, known.how_known) == (None, claude.tokens, "")


def test_a_start_of_too_many_characters_stays_an_estimate(project: Project, ledger: Ledger) -> None:
    line = "word " * 199 + "word\n"
    for lines, is_known in ((MOST_CHARACTERS // 1_000, True), (MOST_CHARACTERS // 1_000 + 1, False)):
        workspace, starts = _found(project({"GEMINI.md": line * lines}))
        _measure(ledger, workspace, starts[0])
        (start,) = whole_starts(starts, workspace.text, CLAUDE, ledger)
        assert (start.whole is not None) == is_known


@pytest.mark.parametrize("name", ["o200k_base", "gpt-6", "heuristic"])
def test_starts_that_are_exact_or_no_models_stay_as_they_are(name: str, project: Project, ledger: Ledger) -> None:
    workspace, starts = _found(project(FILES), name)
    for start in starts:
        _measure(ledger, workspace, start)
    assert whole_starts(starts, workspace.text, get_counter(name), ledger) == starts


def test_counting_ends_when_nobody_waits(project: Project, ledger: Ledger) -> None:
    def stop() -> None:
        raise Stopped

    workspace, starts = _found(project(FILES))
    with pytest.raises(Stopped):
        whole_starts(starts, workspace.text, CLAUDE, ledger, stop)


@pytest.mark.skipif(not has_ctok(), reason="needs ctok, and so Python 3.12")
def test_a_reconstructed_start_is_the_sum_of_its_texts(project: Project, ledger: Ledger) -> None:
    workspace, starts = _found(project(FILES))
    for start in whole_starts(starts, workspace.text, CLAUDE, ledger):
        texts = start_texts(start, workspace.text) or ()
        assert start.whole is not None
        assert start.whole.label == "reconstructed"
        assert start.known == sum(reconstructed_tokens(text, "4.8") for text in texts)
