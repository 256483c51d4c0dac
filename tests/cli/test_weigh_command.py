"""`ctxtui audit --weigh-mcp` from the outside: asks first, weighs with consent, prints no secret."""

import json
import sys
from pathlib import Path

import pytest

from ctxtui.cli.__main__ import main
from ctxtui.core import get_counter
from tests.audit.weigh_helpers import entry, in_home, usual
from tests.conftest import Project

HIDDEN = "AKIA" + "Q7RZ4M2KX9PLT3WB"


def run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["audit", *words])
    return status, *capfd.readouterr()


@pytest.fixture
def root(project: Project) -> Path:
    """A project with one server."""
    return project({"CLAUDE.md": "x", ".mcp.json": usual(small=entry("rich", env={"API_TOKEN": HIDDEN}))})


def test_the_command_of_the_question_weighs(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capfd, str(root), "--weigh-mcp", "small")
    assert (status, out) == (2, "")
    assert f"runs      {sys.executable}" in err
    assert "gets      API_TOKEN" in err
    repeat = next(line.partition("repeat: ctxtui audit ")[2] for line in err.splitlines() if "repeat:" in line)
    status, out, err = run(capfd, *repeat.split())
    assert status == 0
    assert "small  claude-code  2  ≈" in out
    assert HIDDEN not in out + err
    # From now on without being asked, by `all`, and shown without weighing.
    assert run(capfd, str(root), "--weigh-mcp", "all")[0] == 0
    assert "small  claude-code  2  ≈" in run(capfd, str(root))[1]


def test_json_has_prices_tools_and_labels(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, str(root), "--json")
    (server,) = json.loads(out)["result"]["servers"]
    assert (server["state"], server["tools"], server["prices"]) == ("unweighed", None, [])
    run(capfd, str(root), "--weigh-mcp", f"small={server['digest']}")
    status, out, _ = run(capfd, str(root), "--json")
    (server,) = json.loads(out)["result"]["servers"]
    assert status == 0
    assert [tool["name"] for tool in server["tools"]] == ["look", "turn"]
    assert {tool["label"] for tool in server["tools"]} == {"exact"}
    (price,) = server["prices"]
    assert price["label"] == "estimated"
    assert 0 < price["start"] < price["always"] == price["loaded"] + server["instructions"]["tokens"]
    assert (server["prompts"], server["resources"]) == (2, 1)
    assert HIDDEN not in out
    _, out, _ = run(capfd, str(root), "--json", "--tokenizer", "heuristic")
    assert json.loads(out)["result"]["servers"][0]["tools"][0]["label"] == "estimated"


def test_prices_of_an_estimate_have_its_band(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capfd, str(root), "--json")
    run(capfd, str(root), "--weigh-mcp", f"small={json.loads(out)['result']['servers'][0]['digest']}")
    _, out, _ = run(capfd, str(root), "--json")
    (exact,) = json.loads(out)["result"]["servers"]
    _, out, _ = run(capfd, str(root), "--json", "--model", "gemini-3-pro")
    band = get_counter("gemini-3-pro").band
    (server,) = json.loads(out)["result"]["servers"]
    for key in ("tools", "prices"):
        assert {(each["label"], each["band"]) for each in server[key]} == {("estimated", band)}, key
        assert all("band" not in each for each in exact[key])
    assert server["instructions"]["band"] == band
    _, out, _ = run(capfd, str(root), "--model", "gemini-3-pro")
    assert f"≈: tools are estimated for gemini-3-pro as JSON, {band}; how agents wrap them is not known" in out
    assert "counted exactly" not in out
    assert "≈: tools are counted exactly as JSON" in run(capfd, str(root))[1]


def test_markdown_has_a_table(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capfd, str(root), "--format", "markdown")
    assert "#### MCP servers" in out
    assert "| `small` | claude-code | – | – | – | – | not weighed |" in out


def test_a_server_that_fails_is_reported_and_the_audit_is_printed(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    root = project({"CLAUDE.md": "x"})
    in_home({".claude.json": usual(mine=entry("gone"))})
    status, out, err = run(capfd, str(root), "--user", "--weigh-mcp", "mine")
    assert status == 4
    assert "mine cannot be weighed: it ended with status 7" in err
    assert "failed: it ended with status 7" in out
    assert "\x1b" not in out + err


def test_a_name_that_no_server_has(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capfd, str(root), "--weigh-mcp", "smal")
    assert status == 3
    assert "did you mean small?" in err


def test_a_project_cannot_allow_it_by_configuration(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for text in ('[weigh]\nsmall = "yes"\n', '[mcp]\nsmall = {command = "x"}\n', "user = true\n"):
        (root / "ctxtui.toml").write_text(text)
        status, _, err = run(capfd, str(root), "--weigh-mcp", "all")
        assert status == 2
        assert "ctxtui.toml" in err


def test_without_the_sdk_a_sentence_says_what_to_install(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_home({".claude.json": usual(mine=entry())})
    monkeypatch.setitem(sys.modules, "mcp", None)
    status, _, err = run(capfd, str(root), "--user", "--weigh-mcp", "mine")
    assert status == 4
    assert "the MCP SDK is not installed" in err
    assert "install ctxtui[mcp] the way you installed ctxtui" in err
