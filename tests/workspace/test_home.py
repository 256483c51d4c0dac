"""What agents read in the user's home folder: only if asked for, only what rows name, never as a document."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctxtui.agents import Start, load_table
from ctxtui.agents.project.base import HOME
from ctxtui.audit.apply_rules import audit
from ctxtui.audit.run import run_audit
from ctxtui.audit.slim.plan import make_plan
from ctxtui.core.base.errors import ContextError
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.session.agent_start import agent_starts
from ctxtui.session.pick_start import pick_start
from ctxtui.session.saved.config import load_config, user_file
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace
from tests.audit.repositories import Repo
from tests.conftest import Asked, Project, write

SKILL = "---\nname: {0}\ndescription: What {0} does.\n---\nBody.\n"
OWN = "# How I work\n\n" + "Be brief, be kind and be exact, in that order, always.\n" * 3
PLUGIN = ".claude/plugins/cache/shop/tools/1.0"
PROJECT = {
    "CLAUDE.md": "# Project\n",
    "AGENTS.md": "# Rules\n",
    "GEMINI.md": "# Gemini\n",
    "opencode.json": "{}",
    ".cursor/rules/a.md": "x",
    ".claude/skills/one/SKILL.md": SKILL.format("one"),
}
AT_HOME = {
    ".claude/CLAUDE.md": f"{OWN}@more.md\n",
    ".claude/more.md": "More.\n",
    ".claude/rules/always.md": "Always.\n",
    ".claude/rules/touch.md": "---\npaths: ['src/**']\n---\nOn touch.\n",
    ".claude/skills/one/SKILL.md": SKILL.format("one"),
    ".claude/skills/two/SKILL.md": SKILL.format("two"),
    ".codex/AGENTS.md": "# Codex of mine\n",
    ".agents/skills/three/SKILL.md": SKILL.format("three"),
    ".gemini/GEMINI.md": "# Gemini of mine\n",
    ".kiro/steering/s.md": "Not for an agent of this project.\n",
    "secret.md": "Nobody names this.\n",
}


@pytest.fixture
def home() -> Path:
    """The user's home folder, with files of several agents."""
    return write(Path.home(), AT_HOME)


def _opened(root: Path) -> Workspace:
    return Workspace.open(root, scope=Scope(home=True), on_notice=lambda _notice: None)


def _starts(workspace: Workspace) -> dict[str, Start]:
    return {each.agent: each for each in agent_starts(workspace, get_counter(), home=workspace.home.at)}


def _paths(workspace: Workspace, agent: str) -> list[str]:
    return [path for path in _starts(workspace)[agent].paths if path.startswith(f"{HOME}/")]


def _notices(workspace: Workspace) -> list[tuple[str, str | None]]:
    return [(each.message, each.path) for each in workspace.notices if each.code == "home"]


_WATCH = """
import os, sys
home = os.environ["HOME"]
met = []
def hook(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], (str, bytes, os.PathLike)):
        place = os.path.abspath(os.fsdecode(arguments[0]))
        if place == home or place.startswith(home + os.sep):
            met.append(place)
from ctxtui.cli.__main__ import main
sys.addaudithook(hook)
status = main(sys.argv[1:])
print(len(met), *met[:3], file=sys.stderr)
"""


@pytest.mark.parametrize(("words", "is_read"), [((), False), (("--user",), True)])
def test_nothing_at_home_is_opened_unless_asked_for(
    project: Project, home: Path, tmp_path: Path, words: tuple[str, ...], is_read: bool
) -> None:
    root = project(PROJECT)
    folders = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "STATE", "CONFIG", "DATA")}
    command = [sys.executable, "-c", _WATCH, "audit", str(root), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, **folders})
    met = done.stderr.splitlines()[-1].split(" ")
    assert (int(met[0]) > 0) == is_read, done.stderr
    assert ("home folder" in done.stdout) == is_read


def test_starts_have_the_users_files_where_agents_read_them(project: Project, home: Path) -> None:
    root = project(PROJECT)
    workspace = _opened(root)
    starts = _starts(workspace)
    assert starts["claude-code"].paths == (
        "~/.claude/CLAUDE.md",
        "~/.claude/more.md",
        "~/.claude/rules/always.md",
        "CLAUDE.md",
        "~/.claude/skills/one/SKILL.md",
        "~/.claude/skills/two/SKILL.md",
    )
    assert starts["codex"].paths == ("~/.codex/AGENTS.md", "AGENTS.md", "~/.agents/skills/three/SKILL.md")
    assert starts["gemini-cli"].paths[0] == "~/.gemini/GEMINI.md"
    assert "~/.claude/CLAUDE.md" in starts["opencode"].paths
    plain = {each.agent: each for each in agent_starts(workspace, get_counter())}
    assert plain["codex"].paths == ("AGENTS.md",)
    for agent, start in starts.items():
        at_home = [each for each in start.entries if each.path.startswith("~/")]
        assert start.home_tokens == sum(each.start_tokens for each in at_home)
        assert start.from_home == (f"of which {start.home_tokens:,} from your home folder" if at_home else "")
        assert all(each.home == (each in at_home) for each in start.entries)
        assert plain[agent].home_tokens == 0
    assert starts["codex"].tokens - starts["codex"].home_tokens == plain["codex"].tokens
    touched = next(each for each in audit(workspace).agents if each.agent.id == "claude-code").at("touch")
    assert [each.path for each in touched] == ["~/.claude/rules/touch.md"]


def test_they_are_not_documents_and_are_read_by_their_names_only(project: Project, home: Path) -> None:
    workspace = _opened(project(PROJECT))
    assert not any(each.path.startswith("~") for each in workspace.references)
    assert workspace.text("~/.claude/more.md") == "More.\n"
    assert workspace.text("~/secret.md") is None
    assert not any("kiro" in path or "secret" in path for path in workspace.home.at.paths)
    assert Workspace.open(workspace.root).text("~/.claude/more.md") is None
    assert workspace.real("~/.claude/more.md") == "~/.claude/more.md"


def test_a_pick_leaves_them_out_and_adds_up(project: Project, home: Path) -> None:
    workspace = _opened(project(PROJECT))
    session = workspace.session()
    for start in _starts(workspace).values():
        picked = pick_start(session, start)
        assert picked.tokens + sum(each.tokens for each in picked.left) == start.tokens
        assert not any("~" in pick.id for pick in picked.picks)
        told = {each.name for each in picked.left if each.why == "your own, at home"}
        assert told == {path for path in start.paths if path.startswith("~/")}
    claude = pick_start(session, _starts(workspace)["claude-code"])
    assert "your own, at home" in claude.summary


def test_findings_are_about_the_project_alone(project: Project, home: Path) -> None:
    write(home, {".claude/CLAUDE.md": f"{OWN}@gone.md\n", ".claude/skills/bad/SKILL.md": "---\nname: [\n---\n"})
    root = project({**PROJECT, "CLAUDE.md": f"{OWN}@gone.md\n"})
    workspace = _opened(root)
    report = run_audit(workspace, workspace.session().budget, load_config(root))
    assert not any((each.path or "").startswith("~") for each in report.findings)
    twice = next(each for each in report.findings if each.rule == "paid-twice" and each.path == "CLAUDE.md")
    assert "~/.claude/CLAUDE.md" in twice.message
    assert "drop ~" not in twice.message
    assert not any("~" in change.path for change in make_plan(workspace, report).changes)


def test_nobody_is_told_to_drop_a_file_at_home(project: Project, home: Path) -> None:
    (home / ".claude/CLAUDE.md").write_text(OWN)
    # Cursor reads that of the project as well, so the user's own could go.
    workspace = _opened(project({"CLAUDE.md": OWN, ".cursor/rules/a.md": "x"}))
    (twice,) = [each for each in audit(workspace).findings if each.rule == "paid-twice"]
    assert twice.path == "CLAUDE.md"
    assert "drop" not in twice.message


def test_since_a_commit_nothing_grew_at_home(tmp_path: Path, home: Path, asked: Asked) -> None:
    repo = Repo(tmp_path / "project")
    repo.commit(PROJECT)
    report = asked("audit", str(repo.root), "--user", "--since", "HEAD", "--json", status=(0, 1)).result
    assert {each["after"] - each["before"] for each in report["since"]["agents"]} <= {0}
    claude = next(each for each in report["agents"] if each["id"] == "claude-code")
    assert claude["homeTokens"] == sum(each["startTokens"] for each in claude["files"] if each["home"]) > 0


def test_imports_stay_in_the_agents_own_folder(project: Project, home: Path) -> None:
    (home / ".claude/CLAUDE.md").write_text("@~/.claude/more.md\n@../secret.md\n@~/secret.md\n@/etc/hostname\n")
    workspace = _opened(project({"CLAUDE.md": "@~/.claude/more.md\n@~/secret.md\n"}))
    assert _paths(workspace, "claude-code")[:2] == ["~/.claude/CLAUDE.md", "~/.claude/more.md"]
    assert workspace.home.text("~/secret.md") is None
    message = "imports ~/secret.md, which is outside ~/.claude and not read"
    assert _notices(workspace) == [(message, "~/.claude/CLAUDE.md")]


def test_no_project_decides_what_is_read(project: Project, home: Path) -> None:
    rows = [{"id": "claude.trap", "files": ["secret.md", ".claude/CLAUDE.md"], "at": "home", "load": "start"}]
    trap = {
        "claude-code": {"home": ".", "variable": "HOME", "rows": rows},
        "trap": {"detect": ["CLAUDE.md"], "home": "x", "variable": "HOME", "rows": [{**rows[0], "id": "trap.all"}]},
        "codex": {"off": True},
    }
    workspace = Workspace.open(project(PROJECT), scope=Scope(home=True, table=load_table(trap)))
    assert workspace.text("~/secret.md") is None
    assert not any("secret" in path or path.startswith("~/x/") for path in workspace.home.at.paths)
    assert not any("codex" in path for path in workspace.home.at.paths)
    assert "~/secret.md" not in _starts(workspace)["claude-code"].paths
    assert _starts(workspace)["trap"].paths == ("~/.claude/CLAUDE.md",)


def test_memory_is_that_of_this_project(project: Project, home: Path) -> None:
    root = project({**PROJECT, ".git/HEAD": ""})
    place = "".join(each if each.isalnum() else "-" for each in str(root))
    for name in (place, "-somewhere-else"):
        write(home, {f".claude/projects/{name}/memory/MEMORY.md": "Known.\n"})
    found = [path for path in _paths(_opened(root), "claude-code") if path.endswith("MEMORY.md")]
    assert found == [f"~/.claude/projects/{place}/memory/MEMORY.md"]


def test_a_variable_moves_the_agents_folder(project: Project, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(write(home / "elsewhere", {"CLAUDE.md": "Moved.\n"})))
    monkeypatch.setenv("CODEX_HOME", "relative")
    workspace = _opened(project(PROJECT))
    assert _paths(workspace, "claude-code") == ["~/.claude/CLAUDE.md"]
    assert workspace.text("~/.claude/CLAUDE.md") == "Moved.\n"
    assert _paths(workspace, "codex")[0] == "~/.codex/AGENTS.md"


def _installed(home: Path, where: str, enabled: bool = True, **more: str) -> None:
    plugin = {"scope": "user", "installPath": where, **more}
    installed = {"version": 2, "plugins": {"tools@shop": [plugin]}}
    settings = {"enabledPlugins": {"tools@shop": enabled}, "hooks": {"Stop": []}}
    files = {
        ".claude/plugins/installed_plugins.json": json.dumps(installed),
        ".claude/settings.json": json.dumps(settings),
        f"{PLUGIN}/.claude-plugin/plugin.json": json.dumps({"name": "tools", "agents": "./people/"}),
        f"{PLUGIN}/skills/pack/SKILL.md": SKILL.format("pack"),
        f"{PLUGIN}/commands/go.md": "---\ndescription: Goes.\n---\nGo.\n",
        f"{PLUGIN}/people/helper.md": "---\nname: helper\ndescription: Helps.\n---\nHelp.\n",
        f"{PLUGIN}/src/other.md": "Nobody names this.\n",
    }
    write(home, files)


def test_active_plugins_are_listed(project: Project, home: Path) -> None:
    _installed(home, str(home / PLUGIN))
    workspace = _opened(project(PROJECT))
    start = _starts(workspace)["claude-code"]
    listed = {each.entry.name: each.home for each in start.entries if each.package and each.entry}
    assert listed == {"tools:pack": True, "tools:go": True, "tools:helper": True}
    assert "1 hook" in start.left_out
    assert "plugin" not in start.left_out
    assert not any("other.md" in path for path in workspace.home.at.paths)


@pytest.mark.parametrize(
    ("where", "enabled", "more"),
    [
        ("{home}/" + PLUGIN, False, {}),
        ("{home}/" + PLUGIN, True, {"scope": "project", "projectPath": "/elsewhere"}),
        ("/usr/share", True, {}),
        ("{home}", True, {}),
        ("\0", True, {}),
    ],
)
def test_other_plugins_are_not(project: Project, home: Path, where: str, enabled: bool, more: dict[str, str]) -> None:
    _installed(home, where.format(home=home), enabled, **more)
    workspace = _opened(project(PROJECT))
    assert not any(each.package for each in _starts(workspace)["claude-code"].entries)
    is_outside = enabled and not more
    assert any("installed outside your home folder" in told for told, _ in _notices(workspace)) == is_outside


def test_links_are_followed_within_the_home_folder_only(project: Project, home: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside.md": "Outside.\n"})
    folder = home / ".claude/rules"
    (folder / "out.md").symlink_to(tmp_path / "outside.md")
    (folder / "in.md").symlink_to(home / "secret.md")
    (folder / "loop").symlink_to(home / ".claude")
    (folder / "self.md").symlink_to("self.md")
    os.mkfifo(folder / "pipe.md")
    workspace = _opened(project(PROJECT))
    rules = [path for path in _paths(workspace, "claude-code") if "/rules/" in path]
    assert rules == ["~/.claude/rules/always.md", "~/.claude/rules/in.md"]
    assert workspace.text("~/.claude/rules/out.md") is None
    assert workspace.real("~/.claude/rules/in.md") == "~/secret.md"
    assert ("leads out of your home folder; it is not read", "~/.claude/rules/out.md") in _notices(workspace)


def test_a_project_at_home_is_not_counted_twice(home: Path) -> None:
    workspace = _opened(home)
    assert not workspace.home.at.paths
    assert not any(path.startswith("~/") for start in _starts(workspace).values() for path in start.paths)


def test_a_project_with_a_folder_of_that_name_is_told(project: Project, home: Path) -> None:
    workspace = _opened(project({**PROJECT, "~/.claude/CLAUDE.md": "A trap.\n"}))
    assert not workspace.home.at.is_read
    assert workspace.text("~/.claude/CLAUDE.md") == "A trap.\n"
    ((told, _),) = _notices(workspace)
    assert told == "the project has a folder named ~, so your home folder is not looked at"


def test_a_folder_below_the_root_of_its_repository_has_them_too(project: Project, home: Path) -> None:
    root = project({".git/HEAD": "", "CLAUDE.md": "Top.\n"})
    write(root / "pkg", PROJECT)
    paths = _starts(_opened(root / "pkg"))["claude-code"].paths
    assert paths[:2] == ("~/.claude/CLAUDE.md", "~/.claude/more.md")
    assert {"../CLAUDE.md", "CLAUDE.md"} <= set(paths)


def test_only_the_users_own_configuration_turns_it_on(project: Project, home: Path, asked: Asked) -> None:
    root = project({**PROJECT, "ctxtui.toml": "user = true\n"})
    with pytest.raises(ContextError, match=r"ctxtui.toml:1.*is about your home folder; a project cannot set it"):
        load_config(root)
    (root / "ctxtui.toml").unlink()
    write(user_file().parent, {user_file().name: "user = true\n"})
    assert load_config(root).user is True
    assert "from your home folder" in asked("audit", str(root), status=(0, 1)).out
