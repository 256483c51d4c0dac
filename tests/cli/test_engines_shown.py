"""What counts tokens is named, and the numbers do not depend on it."""

from importlib.metadata import version
from pathlib import Path

import pytest

from ctxtui.core.tokens import fast
from ctxtui.version import __version__
from tests.conftest import Asked


@pytest.mark.parametrize(
    ("installed", "told"), [("", ""), ("0.3.9", ", toktok-rs 0.3.9"), ("0.4.0", ", toktok-rs 0.4.0 (not used)")]
)
def test_the_engines_are_named(
    sample: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked, installed: str, told: str
) -> None:
    monkeypatch.setattr(fast, "fast_version", lambda: installed)
    assert asked("--version").out == f"ctxtui {__version__} (tiktoken {version('tiktoken')}{told})\n"
    for command in (["ls"], ["show", "AGENTS.md"], ["build", "--pick", "AGENTS.md"], ["audit"]):
        result = asked(*command, "-C", str(sample), "--json", "-q", status=(0, 1)).result
        assert (result[0] if isinstance(result, list) else result)["engine"] == "tiktoken", command
    rows = asked("ls", "-C", str(sample), "--json", "-q", "--tokenizer", "heuristic").result
    assert "engine" not in rows[0], "characters are counted by no engine"
