"""What counts tokens is named, and the numbers do not depend on it."""

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from ctxtui.cli.__main__ import main
from ctxtui.core.tokens import engines
from ctxtui.version import __version__


@pytest.mark.parametrize(
    ("installed", "told", "engine"),
    [
        ("", "", "tiktoken"),
        ("0.10.3", ", gigatoken 0.10.3", "gigatoken"),
        ("0.11.0", ", gigatoken 0.11.0 (not used)", "tiktoken"),
    ],
)
def test_the_engines_are_named(
    sample: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    installed: str,
    told: str,
    engine: str,
) -> None:
    monkeypatch.setattr(engines, "fast_version", lambda: installed)
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert not ended.value.code
    assert capsys.readouterr().out == f"ctxtui {__version__} (tiktoken {version('tiktoken')}{told})\n"
    for command in (["ls"], ["show", "AGENTS.md"], ["build", "--pick", "AGENTS.md"], ["audit"]):
        main([*command, "-C", str(sample), "--json", "-q"])
        result = json.loads(capsys.readouterr().out)["result"]
        assert (result[0] if isinstance(result, list) else result)["engine"] == engine, command


def test_characters_are_counted_by_no_engine(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["ls", "-C", str(sample), "--json", "-q", "--tokenizer", "heuristic"])
    assert {"engine"} & json.loads(capsys.readouterr().out)["result"][0].keys() == set()
