"""Nothing runs without a yes to that very thing, and a project can neither give that yes nor change what it is for."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import user_state_path

from ctxtui.audit.weigh.consent import approve, digest_of, is_approved, launch_lines
from ctxtui.audit.weigh.types import Launch
from ctxtui.cli.__main__ import main
from ctxtui.cli.options import REPORT_NAMES
from ctxtui.core import ContextError
from ctxtui.core.base.errors import NotFound
from tests.audit.weigh_helpers import entry, in_home, looked, named, usual
from tests.cases import cases
from tests.conftest import Project

HIDDEN = "AKIA" + "Q7RZ4M2KX9PLT3WB"
# A value that nothing shows to be a secret.
QUIET = "the-quiet-value"
LAUNCH = Launch(("npx", "-y", "x"), folder="/p", env={"TOKEN": HIDDEN, "LEVEL": "info"})


def marks(project: Project, name: str = "small") -> tuple[Path, Path]:
    """A project whose server leaves a mark when it runs."""
    root = project({"CLAUDE.md": "x"})
    mark = root / "mark"
    (root / ".mcp.json").write_text(usual(**{name: entry("mark", str(mark))}))
    return root, mark


@cases(
    "other",
    [
        {"command": ("npx", "-y", "y")},
        {"command": ("npx", "-y x")},
        {"command": (), "url": "https://a"},
        {"folder": "/q"},
        {"env": {"TOKEN": HIDDEN}},
        {"env": {"TOKEN": HIDDEN, "LEVEL": "info", "NODE_OPTIONS": "--require ./evil.js"}},
        {"env": {"TOKEN": "${OTHER}", "LEVEL": "info"}},
        {"passed": ("HOME",)},
        {"transport": "sse"},
    ],
)
def test_another_launch_is_another_question(other: Mapping[str, Any]) -> None:
    fields = {each: getattr(LAUNCH, each) for each in ("command", "url", "transport", "folder", "env", "passed")}
    assert digest_of(Launch(**{**fields, **other})) != digest_of(LAUNCH)


@given(st.text(min_size=1, max_size=8), st.text(max_size=8), st.text(max_size=8))
def test_each_value_is_a_part_of_it(name: str, value: str, other: str) -> None:
    """No list could name all variables that decide which code runs, such as `CLASSPATH` or one that a shell expands."""
    for field in ("env", "headers"):
        changes: list[dict[str, Any]] = [{field: {name: each}} for each in (value, other)]
        one, two = (digest_of(replace(LAUNCH, **each)) for each in changes)
        assert (one == two) == (value == other)


def test_a_value_of_the_environment_that_a_server_gets_is_a_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    taking: tuple[dict[str, Any], ...] = (
        {"passed": ("SERVER",)},
        {"env": {"X": "${SERVER}"}},
        {"command": ("run", "${SERVER:-x}")},
        {"folder": "/p/${SERVER}"},
        {"url": "https://a/${SERVER}", "command": ()},
        {"token_env": "SERVER", "url": "https://a", "command": ()},
    )
    launches = [replace(LAUNCH, **each) for each in taking]
    seen: set[str] = set()
    for value in (None, "one", "two"):
        if value is not None:
            monkeypatch.setenv("SERVER", value)
        seen |= {digest_of(launch) for launch in launches}
        monkeypatch.setenv("UNRELATED", value or "")
        assert {digest_of(launch) for launch in launches} <= seen
    assert len(seen) == 3 * len(launches)


def test_it_is_another_one_for_another_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Who sees a digest cannot try values for it; the key is the user's alone and is made once."""
    first = digest_of(LAUNCH)
    key = user_state_path("ctxtui") / "key"
    assert key.stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert digest_of(LAUNCH) != first
    (tmp_path / "ctxtui/key").write_bytes(key.read_bytes())
    code = (
        "import sys; from ctxtui.audit.weigh.consent import digest_of; from ctxtui.audit.weigh.types import Launch;"
    )
    code += f"print(digest_of({LAUNCH!r}))".replace("token_env=''", f"token_env='', env={LAUNCH.env!r}")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == first


@given(st.lists(st.text(max_size=4), max_size=4), st.lists(st.text(max_size=4), max_size=4))
def test_only_the_same_words_have_one_digest(one: list[str], other: list[str]) -> None:
    same = digest_of(Launch(tuple(one))) == digest_of(Launch(tuple(other)))
    assert same == (one == other)


def test_the_question_shows_what_would_run_and_no_secret(project: Project) -> None:
    args = ["--key", HIDDEN, "a b\x1b[2J\u202e"]
    env = {"TOKEN": HIDDEN, "KEY": "${MY_KEY}", "NODE_OPTIONS": "--require ./x.js"}
    web = {"url": f"https://a.example/mcp?key={HIDDEN}", "headers": {"Authorization": f"Bearer {HIDDEN}"}}
    root = project({".mcp.json": usual(s={"command": "run", "args": args, "env": env}, web=web)})
    found = named(looked(root))
    shown = "\n".join(line for each in found.values() for line in launch_lines(each))
    assert HIDDEN not in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    for part in (
        "runs      run --key",
        f"in        {root}",
        'gets      KEY=${MY_KEY}, NODE_OPTIONS="--require ./x.js", TOKEN="[redacted: aws-key]"',
        "reads     MY_KEY of your environment",
        ".mcp.json:3, the project's file, for claude-code, copilot-cli",
        "connects  https://a.example/mcp?key=",
        "headers   Authorization",
        found["s"].digest,
    ):
        assert part in shown


def test_the_question_is_whole_or_there_is_none(project: Project) -> None:
    long = [f"argument-{number}" for number in range(900)]
    (line, *_) = launch_lines(named(looked(project({".mcp.json": usual(s={"command": "run", "args": long})})))["s"])
    assert line == f"runs      run {' '.join(long)}"
    for entry_ in ({"args": long * 3}, {"env": dict.fromkeys(long * 3, "x") | {"a" * 20_000: "x"}}):
        found = looked(project({".mcp.json": usual(s={"command": "run", **entry_})}))
        assert found.servers == ()
        assert "more than 20,000 characters" in found.notices[0].message


def test_a_project_server_runs_only_with_its_digest(project: Project) -> None:
    root, mark = marks(project)
    with pytest.raises(ContextError, match="needs your consent") as asked:
        looked(root, "small")
    digest = named(looked(root))["small"].digest
    assert asked.value.category == "invalid_request"
    assert asked.value.hint
    assert f"ctxtui audit {root} --weigh-mcp small={digest}" in asked.value.hint
    with pytest.raises(ContextError, match="not the one with this digest"):
        looked(root, f"small={'0' * 40}")
    assert looked(root, "all").servers[0].state == "unweighed"
    assert not mark.exists()
    assert looked(root, f"small={digest}").servers[0].state == "weighed"
    assert mark.exists()


def test_a_changed_command_is_a_new_question(project: Project) -> None:
    root, mark = marks(project)
    server = named(looked(root))["small"]
    looked(root, f"small={server.digest}")
    mark.unlink()
    assert looked(root, "all").servers[0].state == "weighed"
    assert mark.exists()
    other = root / "other"
    (root / ".mcp.json").write_text(usual(small=entry("mark", str(other))))
    for words in (("small",), (f"small={server.digest}",)):
        with pytest.raises(ContextError):
            looked(root, *words)
    assert looked(root, "all").servers[0].state == "unweighed"
    assert not other.exists()


def test_naming_a_server_of_the_users_own_is_the_yes(project: Project) -> None:
    in_home({".claude.json": usual(mine=entry())})
    root = project({"CLAUDE.md": "x"})
    with pytest.raises(NotFound):
        looked(root, "mine")
    assert [each.state for each in looked(root, "mine", user=True).servers] == ["weighed"]
    # A project cannot hide behind the name.
    root, mark = marks(project, "mine")
    states = [(each.server.owner, each.state) for each in looked(root, "mine", user=True).servers]
    assert states == [("project", "unweighed"), ("user", "weighed")]
    assert not mark.exists()


def test_a_home_within_the_project_is_the_projects(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({"CLAUDE.md": "x"})
    text = usual(mine=entry("mark", str(root / "mark")))
    for home, path in (("home", "home/.claude.json"), (".", ".cursor/mcp.json")):
        (root / path).parent.mkdir()
        (root / path).write_text(text)
        monkeypatch.setenv("HOME", str(root / home))
        with pytest.raises(ContextError, match="needs your consent"):
            looked(root, "mine", user=True)
        if home == "home":
            (found,) = looked(root, user=True).servers
            assert (found.server.path, found.server.owner) == (path, "project")
    assert not (root / "mark").exists()


def test_all_leaves_out_what_is_off(project: Project) -> None:
    root = project({".mcp.json": usual(s=entry(disabled=True))})
    approve(named(looked(root))["s"])
    assert looked(root, "all").servers[0].state == "off"
    # Unless it is named.
    assert looked(root, "s").servers[0].state == "weighed"


def test_consent_is_kept_for_the_user_alone_without_secrets(project: Project) -> None:
    server = named(looked(project({".mcp.json": usual(s=entry("good", HIDDEN, env={"TOKEN": HIDDEN}))})))["s"]
    approve(server)
    (record,) = (user_state_path("ctxtui") / "mcp").iterdir()
    assert record.stat().st_mode & 0o777 == 0o600
    assert HIDDEN not in record.read_text()
    assert is_approved(server)
    record.write_text(json.dumps({"digest": "0" * 40}))
    assert not is_approved(server)
    record.write_text("[" * 10_000)
    assert not is_approved(server)


def test_nothing_in_a_project_is_consent(project: Project) -> None:
    root, mark = marks(project)
    server = named(looked(root))["small"]
    for folder in (".ctxtui", ".local/state/ctxtui", "mcp"):
        place = root / folder / "mcp" / f"{server.digest}.json"
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps({"digest": server.digest}))
    assert looked(root, "all").servers[0].state == "unweighed"
    assert not mark.exists()


@cases("name", ["PERLLIB", "CLASSPATH", "XDG_CONFIG_HOME", "BASH_FUNC_server%%", "SERVER", "PAGER"])
def test_a_changed_value_is_a_new_question(name: str, project: Project) -> None:
    root, mark = marks(project)
    written = {**json.loads((root / ".mcp.json").read_text())["mcpServers"]["small"], "env": {name: "harmless"}}
    (root / ".mcp.json").write_text(usual(small=written))
    server = named(looked(root))["small"]
    assert any(f"{name}=harmless" in line for line in launch_lines(server))
    assert looked(root, f"small={server.digest}").servers[0].state == "weighed"
    mark.unlink()
    (root / ".mcp.json").write_text(usual(small={**written, "env": {name: "./evil"}}))
    with pytest.raises(ContextError, match="needs your consent") as asked:
        looked(root, "small")
    assert f"{name}=./evil" in (asked.value.hint or "")
    assert looked(root, "all").servers[0].state == "unweighed"
    assert not mark.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"command": "true", "cwd": "${GH_PAT}"},
        {"command": "${GH_PAT}"},
        {"command": "./${GH_PAT}/run"},
        {"url": "http://127.0.0.1:1/${GH_PAT}"},
        {"url": "nothing://${GH_PAT}"},
    ],
)
def test_no_value_of_the_environment_is_told_when_weighing_fails(
    fields: Mapping[str, Any], project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GH_PAT", QUIET)
    root = project({".mcp.json": usual(s=dict(fields))})
    server = named(looked(root))["s"]
    assert any(line == "reads     GH_PAT of your environment" for line in launch_lines(server))
    for form in set(REPORT_NAMES) - {"comment"}:
        main(["audit", str(root), "--weigh-mcp", f"s={server.digest}", "--format", form])
        said = capsys.readouterr()
        assert QUIET not in said.out + said.err
        assert "GH_PAT" in said.out + said.err or "url" in fields
