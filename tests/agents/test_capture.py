"""An agent starts apart from all that is the user's, and nothing of it is left."""

import json
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ctxtui.agents.capture.capture import (
    COPIED,
    SEPARATE,
    Setting,
    allow,
    capture,
    is_allowed,
    last_capture,
    question,
)
from ctxtui.agents.capture.kept import Capture
from ctxtui.agents.capture.launches import find_program, launches
from ctxtui.core.base.errors import ContextError
from tests.conftest import Project

_FAKE = Path(__file__).with_name("fake_agent.py")
Captured = Callable[..., Capture]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the PATH with an agent of ours under the name of a known one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "claude"
    program.write_text(f"#!{sys.executable}\n{_FAKE.read_text()}")
    program.chmod(0o755)
    (folder / "package.json").write_text('{"version": "9.8.7"}')
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-user")
    return program


@pytest.fixture
def captured(fake: Path) -> Captured:
    def start(root: Path, **more: Any) -> Capture:
        assert fake.exists()
        program = find_program(launches()["claude-code"], root)
        assert program is not None
        paths = tuple(sorted(each.relative_to(root).as_posix() for each in root.rglob("*") if each.is_file()))
        return capture(program, Setting(root, paths=paths, **more), b"state")

    return start


def _told(made: Capture) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(made.parts[0].text.partition("\n")[2])
    return told


def _snapshot(*folders: Path) -> dict[str, bytes]:
    return {str(each): each.read_bytes() for folder in folders for each in folder.rglob("*") if each.is_file()}


def _processes(tmp_path: Path) -> list[str]:
    """The processes in a folder of this test, and those that this process started and that still run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            is_ours = int(parent) == os.getpid() and "capture.child" in (folder / "cmdline").read_text()
            if state != "Z" and (is_ours or Path(os.readlink(folder / "cwd")).is_relative_to(tmp_path)):
                found.append((folder / "cmdline").read_text())
    return found


both_ways = pytest.mark.parametrize("has_namespaces", [True, False])


@both_ways
def test_a_start_is_read_and_leaves_nothing(
    has_namespaces: bool, captured: Captured, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target"
    root = project({"CLAUDE.md": "Be kind to our users.\n", "mode": "orphan", "target": str(target)})
    monkeypatch.setenv("TARGET", "a secret of the user")
    before = _snapshot(tmp_path, Path.home())
    made = captured(root, has_namespaces=has_namespaces)
    assert (made.version, made.model, made.home) == ("9.8.7", "claude-fake", "clean")
    parts = [(part.place, part.name) for part in made.parts]
    assert parts == [("system", "system"), ("tool", "look"), ("message", "user")]
    assert "Be kind to our users." in made.parts[2].text
    told = _told(made)
    assert "TARGET" not in told["env"]
    assert told["home"] in ([], ["written"])
    assert target.exists() == (made.isolation == COPIED)
    target.unlink(missing_ok=True)
    own = (os.environ["XDG_CACHE_HOME"], os.environ["XDG_STATE_HOME"])
    changed = _snapshot(tmp_path, Path.home()).keys() ^ before.keys()
    assert [path for path in changed if not path.startswith(own)] == []
    assert _processes(tmp_path) == []
    assert made.isolation in ((SEPARATE, COPIED) if has_namespaces else (COPIED,))
    if made.isolation == SEPARATE:
        assert made.written == ("written",)


def test_a_subagent_is_started_and_its_first_request_is_read(captured: Captured, project: Project) -> None:
    made = captured(project({"CLAUDE.md": "Be kind to our users.\n", "mode": "delegate"}))
    assert [part.text[:23] for part in made.subagent if part.place == "system"] == ["You are a helper of a f"]
    assert "Be kind to our users." in made.subagent[-1].text
    assert captured(project({"a": ""})).subagent == ()


@both_ways
def test_an_agent_with_too_many_processes_is_ended(
    has_namespaces: bool, captured: Captured, project: Project, tmp_path: Path
) -> None:
    with pytest.raises(ContextError, match="too many processes"):
        captured(project({"mode": "swarm"}), has_namespaces=has_namespaces, seconds=30)
    assert _processes(tmp_path) == []


def test_the_last_start_is_known_with_its_state(captured: Captured, project: Project) -> None:
    root = project({"CLAUDE.md": "Be kind.\n"})
    assert last_capture("claude-code", Setting(root)) is None
    made = captured(root)
    assert last_capture("claude-code", Setting(root)) == (made, b"state")
    assert last_capture("claude-code", Setting(root, home="mine")) is None


@both_ways
def test_a_project_of_many_files_is_started(has_namespaces: bool, captured: Captured, project: Project) -> None:
    files = {f"a-folder-with-a-long-name/and-a-file-with-another-{number:04}.txt": "" for number in range(2_000)}
    assert captured(project(files), has_namespaces=has_namespaces).parts


def test_a_start_with_a_secret_is_not_kept(captured: Captured, project: Project) -> None:
    root = project({"CLAUDE.md": f"The key is AKIA{'QRSTUVWX' * 2}.\n"})
    assert captured(root).parts
    assert last_capture("claude-code", Setting(root)) is None


_MCP = '{"mcpServers": {"bad": {"command": "sleep", "args": ["600"]}}}'


@pytest.fixture
def hostile(project: Project, tmp_path: Path) -> Path:
    """A project with servers, an address, and a hook that writes within and outside."""
    hook = f"echo x > {tmp_path}/hooked; echo x > hooked"
    settings = {"hooks": [hook], "env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, "outputStyle": "short"}
    files = {"CLAUDE.md": "Be kind.\n", ".mcp.json": _MCP, "sub/.mcp.json": "{}"}
    return project({**files, ".claude/settings.json": json.dumps(settings)})


def test_a_project_neither_runs_code_nor_leads_elsewhere(captured: Captured, hostile: Path, tmp_path: Path) -> None:
    before = _snapshot(hostile)
    for has_namespaces in (True, False):
        told = _told(captured(hostile, has_namespaces=has_namespaces))
        assert told["settings"] == {"outputStyle": "short"}
        assert not told["mcp"]
        assert "sub/.mcp.json" not in told["files"]
        assert not (tmp_path / "hooked").exists()
    assert _snapshot(hostile) == before


def test_hooks_that_were_asked_for_write_nothing_outside(captured: Captured, hostile: Path, tmp_path: Path) -> None:
    settings = hostile / ".claude/settings.json"
    settings.write_text(json.dumps({"hooks": json.loads(settings.read_text())["hooks"]}))
    made = captured(hostile, code=True)
    told = _told(made)
    assert told["mcp"]
    assert "hooked" in told["files"]
    assert not (hostile / "hooked").exists()
    if made.isolation == SEPARATE:
        assert not (tmp_path / "hooked").exists()


def test_no_other_server_of_this_machine_is_reached(captured: Captured, project: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        made = captured(project({"port": str(server.getsockname()[1])}))
        assert made.isolation == COPIED or _told(made)["reached"] is False


def test_a_copied_home_has_no_settings_that_could_run(captured: Captured, project: Project, tmp_path: Path) -> None:
    own, notes = tmp_path / "own", tmp_path / "notes"
    own.write_text(json.dumps({"hooks": ["x"], "apiKeyHelper": "x", "language": "en"}))
    notes.write_text("Mine.")
    copied = {".claude/settings.json": own, ".claude/CLAUDE.md": notes}
    home = _told(captured(project({"a": ""}), home="mine", copied=copied))["home"]
    assert [name for name in home if name != "written"] == [".claude/CLAUDE.md", ".claude/settings.json"]


@pytest.mark.parametrize(("mode", "why"), [("silent", "cannot reach my model"), ("hang", "waiting")])
def test_an_agent_without_a_request_says_why(
    mode: str, why: str, captured: Captured, project: Project, tmp_path: Path
) -> None:
    with pytest.raises(ContextError) as raised:
        captured(project({"mode": mode}), seconds=2)
    assert raised.value.category == "unavailable"
    assert why in str(raised.value.hint)
    assert _processes(tmp_path) == []


def test_consent_is_to_program_version_and_project(fake: Path, project: Project) -> None:
    root, other = project({"a": ""}), project({"a": ""})
    launch = launches()["claude-code"]
    program = find_program(launch, root)
    assert program is not None
    assert not is_allowed(program, Setting(root))
    told = "\n".join(question(program, Setting(root)))
    for part in (str(fake), "9.8.7", str(root)):
        assert part in told
    allow(program, Setting(root))
    assert is_allowed(program, Setting(root))
    assert not is_allowed(program, Setting(other))
    assert not is_allowed(program, Setting(root, code=True))
    (fake.parent / "package.json").write_text('{"version": "9.8.8"}')
    newer = find_program(launch, root)
    assert newer is not None
    assert not is_allowed(newer, Setting(root))
    # One in the project is never found.
    assert find_program(launch, fake.parent.parent) is None
