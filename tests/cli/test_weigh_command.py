"""`ctxtui audit --weigh-mcp` from the outside: asks first, weighs with consent, prints no secret."""

import sys
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import get_counter
from tests.audit.weigh_helpers import entry, in_home, usual
from tests.conftest import Asked, Project

HIDDEN = "AKIA" + "Q7RZ4M2KX9PLT3WB"


@pytest.fixture
def root(project: Project) -> Path:
    """A project with one server."""
    return project({"CLAUDE.md": "x", ".mcp.json": usual(small=entry("rich", env={"API_TOKEN": HIDDEN}))})


def test_the_command_of_the_question_weighs(root: Path, asked: Asked) -> None:
    out, err = asked("audit", str(root), "--weigh-mcp", "small", status=2)
    assert (out, f"runs      {sys.executable}" in err, "gets      API_TOKEN" in err) == ("", True, True)
    repeat = next(line.partition("repeat: ctxtui audit ")[2] for line in err.splitlines() if "repeat:" in line)
    out, err = asked("audit", *repeat.split())
    assert "small  claude-code  2  ≈" in out
    assert HIDDEN not in out + err
    # From now on without being asked, by `all`, and shown without weighing.
    asked("audit", str(root), "--weigh-mcp", "all")
    assert "small  claude-code  2  ≈" in asked("audit", str(root)).out


def _server(asked: Asked, root: Path, *words: str) -> Any:
    (server,) = asked("audit", str(root), *words, "--json").result["servers"]
    return server


def _weigh(asked: Asked, root: Path) -> None:
    asked("audit", str(root), "--weigh-mcp", f"small={_server(asked, root)['digest']}")


def test_json_has_prices_tools_and_labels(root: Path, asked: Asked) -> None:
    server = _server(asked, root)
    assert (server["state"], server["tools"], server["prices"]) == ("unweighed", None, [])
    _weigh(asked, root)
    server = _server(asked, root)
    assert [(tool["name"], tool["label"]) for tool in server["tools"]] == [("look", "exact"), ("turn", "exact")]
    (price,) = server["prices"]
    assert price["label"] == "estimated"
    assert 0 < price["start"] < price["always"] == price["loaded"] + server["instructions"]["tokens"]
    assert (server["prompts"], server["resources"]) == (2, 1)
    assert HIDDEN not in asked("audit", str(root), "--json").out
    assert _server(asked, root, "--tokenizer", "heuristic")["tools"][0]["label"] == "estimated"


def test_prices_of_an_estimate_have_its_band(root: Path, asked: Asked) -> None:
    _weigh(asked, root)
    exact, server = _server(asked, root), _server(asked, root, "--model", "gemini-3-pro")
    band = get_counter("gemini-3-pro").band
    for key in ("tools", "prices"):
        assert {(each["label"], each["band"]) for each in server[key]} == {("estimated", band)}, key
        assert all("band" not in each for each in exact[key])
    assert server["instructions"]["band"] == band
    out = asked("audit", str(root), "--model", "gemini-3-pro").out
    assert f"≈: tools are estimated for gemini-3-pro as JSON, {band}; how agents wrap them is not known" in out
    assert "counted exactly" not in out
    assert "≈: tools are counted exactly as JSON" in asked("audit", str(root)).out


def test_markdown_has_a_table_and_a_name_that_no_server_has_the_nearest(root: Path, asked: Asked) -> None:
    out = asked("audit", str(root), "--format", "markdown").out
    assert "#### MCP servers" in out
    assert "| `small` | claude-code | – | – | – | – | not weighed |" in out
    assert "did you mean small?" in asked("audit", str(root), "--weigh-mcp", "smal", status=3).err


def test_a_server_that_fails_is_reported_and_the_audit_is_printed(project: Project, asked: Asked) -> None:
    root = project({"CLAUDE.md": "x"})
    in_home({".claude.json": usual(mine=entry("gone"))})
    out, err = asked("audit", str(root), "--user", "--weigh-mcp", "mine", status=4)
    assert "mine cannot be weighed: it ended with status 7" in err
    assert "failed: it ended with status 7" in out
    assert "\x1b" not in out + err


def test_a_project_cannot_allow_it_by_configuration(root: Path, asked: Asked) -> None:
    for text in ('[weigh]\nsmall = "yes"\n', '[mcp]\nsmall = {command = "x"}\n', "user = true\n"):
        (root / "ctxtui.toml").write_text(text)
        assert "ctxtui.toml" in asked("audit", str(root), "--weigh-mcp", "all", status=2).err


def test_without_the_sdk_a_sentence_says_what_to_install(
    root: Path, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_home({".claude.json": usual(mine=entry())})
    monkeypatch.setitem(sys.modules, "mcp", None)
    err = asked("audit", str(root), "--user", "--weigh-mcp", "mine", status=4).err
    assert "the MCP SDK is not installed" in err
    assert "install ctxtui[mcp] the way you installed ctxtui" in err
