"""Nothing runs without a yes to that very thing, and a project can neither give that yes nor change what it is for."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import user_state_path

from ctxtui.audit.weigh.consent import approve, digest_of, is_approved, question
from ctxtui.audit.weigh.types import Launch
from ctxtui.core import ContextError
from ctxtui.core.errors import NotFound
from tests.audit.weigh_helpers import entry, in_home, looked, named, usual
from tests.conftest import Project

HIDDEN = "AKIA" + "Q7RZ4M2KX9PLT3WB"
LAUNCH = Launch(("npx", "-y", "x"), folder="/p", env={"TOKEN": HIDDEN, "LEVEL": "info"})


def marks(project: Project, name: str = "small") -> tuple[Path, Path]:
    """A project whose server leaves a mark when it runs."""
    root = project({"CLAUDE.md": "x"})
    mark = root / "mark"
    (root / ".mcp.json").write_text(usual(**{name: entry("mark", str(mark))}))
    return root, mark


@pytest.mark.parametrize(
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


def test_values_are_no_part_of_it_unless_they_decide_what_runs() -> None:
    changed = Launch(LAUNCH.command, folder="/p", env={"LEVEL": "debug", "TOKEN": "another"})
    assert digest_of(changed) == digest_of(LAUNCH)
    for name in ("PATH", "LD_PRELOAD", "NODE_OPTIONS", "npm_config_registry", "PYTHONPATH", "HTTPS_PROXY"):
        one, other = (Launch(("npx",), folder="/p", env={name: value}) for value in ("a", "b"))
        assert digest_of(one) != digest_of(other)


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
    shown = "\n".join(line for each in found.values() for line in question(each))
    assert HIDDEN not in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    for part in (
        "runs      run --key",
        f"in        {root}",
        "gets      KEY, NODE_OPTIONS=--require ./x.js, TOKEN",
        "reads     MY_KEY of your environment",
        ".mcp.json:3, the project's file, for claude-code, copilot-cli",
        "connects  https://a.example/mcp?key=",
        "headers   Authorization",
        found["s"].digest,
    ):
        assert part in shown


def test_the_question_is_whole_or_there_is_none(project: Project) -> None:
    long = [f"argument-{number}" for number in range(900)]
    (line, *_) = question(named(looked(project({".mcp.json": usual(s={"command": "run", "args": long})})))["s"])
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
    root = project({"CLAUDE.md": "x"})
    in_home({".claude.json": usual(mine=entry())})
    with pytest.raises(NotFound):
        looked(root, "mine")
    found = looked(root, "mine", user=True)
    assert [each.state for each in found.servers] == ["weighed"]


def test_a_project_cannot_hide_behind_the_name_of_a_users_server(project: Project) -> None:
    root, mark = marks(project, "mine")
    in_home({".claude.json": usual(mine=entry())})
    found = looked(root, "mine", user=True)
    assert [(each.server.owner, each.state) for each in found.servers] == [
        ("project", "unweighed"),
        ("user", "weighed"),
    ]
    assert not mark.exists()


def test_a_home_within_the_project_is_the_projects(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({"CLAUDE.md": "x"})
    mark = root / "mark"
    (root / "home").mkdir()
    (root / "home/.claude.json").write_text(usual(mine=entry("mark", str(mark))))
    monkeypatch.setenv("HOME", str(root / "home"))
    with pytest.raises(ContextError, match="needs your consent"):
        looked(root, "mine", user=True)
    assert [(each.server.path, each.server.owner) for each in looked(root, user=True).servers] == [
        ("home/.claude.json", "project")
    ]
    monkeypatch.setenv("HOME", str(root))
    (root / ".cursor").mkdir()
    (root / ".cursor/mcp.json").write_text(usual(mine=entry("mark", str(mark))))
    with pytest.raises(ContextError, match="needs your consent"):
        looked(root, "mine", user=True)
    assert not mark.exists()


def test_all_leaves_out_what_is_off(project: Project) -> None:
    root = project({".mcp.json": usual(s=entry(disabled=True))})
    server = named(looked(root))["s"]
    approve(server)
    assert looked(root, "all").servers[0].state == "off"
    # Unless it is named.
    assert looked(root, "s").servers[0].state == "weighed"


def test_consent_is_kept_for_the_user_alone_without_secrets(project: Project) -> None:
    root = project({".mcp.json": usual(s=entry("good", HIDDEN, env={"TOKEN": HIDDEN}))})
    server = named(looked(root))["s"]
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
