"""What counts tokens is named, and the numbers do not depend on it."""

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from ctxtui.cli.__main__ import main
from ctxtui.core.tokens import fast
from ctxtui.version import __version__


@pytest.mark.parametrize(
    ("installed", "told"),
    [("", ""), ("0.3.9", ", toktok-rs 0.3.9"), ("0.4.0", ", toktok-rs 0.4.0 (not used)")],
)
def test_the_engines_are_named(
    sample: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], installed: str, told: str
) -> None:
    monkeypatch.setattr(fast, "fast_version", lambda: installed)
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert not ended.value.code
    assert capsys.readouterr().out == f"ctxtui {__version__} (tiktoken {version('tiktoken')}{told})\n"
    for command in (["ls"], ["show", "AGENTS.md"], ["build", "--pick", "AGENTS.md"], ["audit"]):
        main([*command, "-C", str(sample), "--json", "-q"])
        result = json.loads(capsys.readouterr().out)["result"]
        assert (result[0] if isinstance(result, list) else result)["engine"] == "tiktoken", command


def test_characters_are_counted_by_no_engine(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["ls", "-C", str(sample), "--json", "-q", "--tokenizer", "heuristic"])
    assert {"engine"} & json.loads(capsys.readouterr().out)["result"][0].keys() == set()
