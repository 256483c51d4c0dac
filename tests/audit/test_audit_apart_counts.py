"""An audit whose files another process counts finds what it finds alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.audit import Settings
from ctxtui.audit.cached.snapshot import known_audit
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.workspace import counting
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import LOREM, ignore
from tests.conftest import Project

DECLARED = (
    "---\nname: pay\ndescription: Pays for it all.\nestimatedTokens: 9000\nsections:\n"
    "  - name: One\n    estimatedTokens: 900\n  - name: Gone\n    estimatedTokens: 5\n---\n\n# Pay\n\n## One\n\n"
)
TOKEN = "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E"
FILES = {
    "AGENTS.md": f"# Work\n\nSee [a](.claude/rules/a.md), [none](docs/none.md) and [page](.claude/rules/b).\n\n{LOREM}",
    "CLAUDE.md": "@AGENTS.md\n",
    ".claude/skills/pay/SKILL.md": f"{DECLARED}Read [more](more.md), [up](../none/SKILL.md) and [root](.claude/rules/a.md).\n",
    ".claude/skills/pay/refs/more.md": "[own](SKILL.md) [shown](shown.md)\n\n```\n[code](code.md)\n```\n",
    ".claude-plugin/plugin.json": '{"name": "p", "commands": ["./commands/gone.md", "./commands/made.md"]}',
    ".claude/rules/a.md": f"{LOREM}\n| a | b |\n|---|---|\n| [t](table.md) | x |\n",
    ".claude/rules/b.md": f"# B\n\n{LOREM}The build writes made.md into a folder.\n",
    ".claude/rules/secret.md": f"[x]({TOKEN}.md) is {TOKEN}\n",
}
PATHS = st.sampled_from((*FILES, ".claude/rules/none.md", ".claude/rules/deep/c.md", ".claude/skills/pay/more.md"))
PIECES = st.sampled_from(
    (
        *FILES.values(),
        "[a](a.md#one) [b](<b c.md>) [c](/.claude/rules/a.md) [d](../rules/a.md) [e](https://e.org/x.md)\n",
        "For example: [f](f.md)\n\n    [g](g.md)\n\n[h]: h.md\n\n<div>\n[i](i.md)\n</div>\n",
        "",
    )
)


@pytest.fixture(scope="module")
def beside() -> Iterator[pytest.MonkeyPatch]:
    """Any amount is enough for another process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "LEAST_BYTES", 1)
        patch.setattr(counting, "cores", lambda: 2)
        yield patch


def _found(root: Path, cache: Path) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        return repr(known_audit(Workspace.open(root, on_notice=ignore), get_counter(), Settings()))


def _alone(root: Path, cache: Path) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "LEAST_BYTES", 10**12)
        return _found(root, cache)


def test_findings_and_sums_are_those_of_one_process(
    project: Project, tmp_path: Path, beside: pytest.MonkeyPatch
) -> None:
    root = project(FILES)
    cold = _found(root, tmp_path / "beside")
    assert cold == _alone(root, tmp_path / "alone")
    assert _found(root, tmp_path / "beside") == cold
    for rule in ("broken-link", "token-drift", "missing-section"):
        assert f"rule='{rule}'" in cold


# Each example starts a process.
@settings(max_examples=3)
@given(st.lists(st.tuples(PATHS, PIECES, PIECES), max_size=4))
def test_findings_are_those_of_one_process_in_any_project(
    tmp_path_factory: pytest.TempPathFactory, beside: pytest.MonkeyPatch, edits: list[tuple[str, str, str]]
) -> None:
    root, caches = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("caches")
    for path, *pieces in [*((path, text, "") for path, text in FILES.items()), *edits]:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("".join(pieces), "utf-8")
    cold = _found(root, caches / "beside")
    assert cold == _alone(root, caches / "alone")
    assert _found(root, caches / "beside") == cold
