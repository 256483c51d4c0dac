"""No way out shows a secret: a project with one in every kind of place, through every command and MCP tool."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from ctxtui.cli.__main__ import main
from ctxtui.core.text.secrets import find_secrets
from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.mcp.mcp_helpers import ASKED, call

# Put together here, so that no scanner takes this file for a leak.
_TOKENS = iter("ghp_" + f"Z{place:02d}" * 12 for place in range(10, 99))
_PASSWORDS = iter(f"Orchid{place}Lantern{place * 7}" for place in range(10, 99))
_PLACES: dict[str, str] = {}


def _token(place: str) -> str:
    return _PLACES.setdefault(place, next(_TOKENS))


def _password(place: str) -> str:
    return _PLACES.setdefault(place, next(_PASSWORDS))


_BODY = [f"MIIE{place:02d}ow+/Ab1XyZqTu{place * 31:06d}" for place in range(20)]
_PEM = "-----BEGIN PRIVATE KEY-----\n" + "\n".join(_BODY) + "\n-----END PRIVATE KEY-----\n"
_PLACES |= {f"key line {place}": line for place, line in enumerate(_BODY)}
_CELLS = "".join(f"| h{place} | {_password(f'cell {place}')} |\n" for place in range(12))
_TABLE = f"| Host | Password |\n|---|---|\n{_CELLS}"
_AGENTS = f"""---
title: Deploy {_token("title")}
tags: [{_token("tag")}]
description: uses {_token("description")}
password: {_password("metadata")}
---
# Runbook {_token("heading")}

DATABASE_URL=redis://:{_password("address")}@cache.internal/0

See [deploy](docs/{_token("link")}.md) and @docs/{_token("import")}.md and `src/{_token("path")}.py`.

## Keys

{_PEM}
## Users

{_TABLE}
"""
_CODE = f'''"""Deploys."""

AWS = "{_token("code")}"


def deploy() -> None:
    """Deploy with {_token("docstring")}."""
    connect("{_token("argument")}")
'''
_CELL = {"cell_type": "code", "source": [f'TOKEN = "{_token("cell of code")}"\n'], "outputs": []}
_NOTEBOOK = json.dumps({"cells": [_CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
_RULE = f"---\ndescription: rule {_token('rule')}\nglobs: src/{_token('glob')}/**\n---\n# Rule\n\nBe kind.\n"
_ENTRY = "---\nentryId: e1\ncategory: Lesson\ncreatedAt: 2026-01-01T00:00:00Z\ntags: [{tag}]\n---\n\nUse {token}\n"
FILES = {
    "AGENTS.md": _AGENTS,
    "CLAUDE.md": "@AGENTS.md\n" + _AGENTS.split("---\n", 2)[2],
    ".context/TASKS.md": f"# Tasks\n\n- [ ] rotate {_token('task')}\n- [x] done\n",
    ".cursor/rules/a.mdc": _RULE,
    ".claude/skills/deploy/SKILL.md": f"---\nname: deploy\ndescription: deploys with {_token('skill')}\n---\n# Deploy\n",
    "src/deploy.py": _CODE,
    f"docs/{_token('file name')}.md": "# Named\n\nSee `src/deploy.py`.\n",
    "docs/long.md": "# Long\n\n" + "".join(f"word{place}\n\n" for place in range(20)) + _PEM + _TABLE,
    "notes.ipynb": _NOTEBOOK,
    "app.log": "".join(f"{place} token={_token(f'log {place}')}\n" for place in range(5)),
    "library/cross_domain.md": "# Cross-domain\n",
    "library/loading_protocol.md": "# Protocol\n\n## Step 1: Read the Domain Index\n\nOpen it.\n",
    "library/python/index.md": "---\nid: python/index\ndomain: python\ntype: index\n---\n\n# Python\n\n## Files\n\n"
    f"| File | Purpose |\n|---|---|\n| `runbook.md` | {_token('index')} |\n",
    "library/python/runbook.md": "---\nid: python/runbook\ndomain: python\ntype: always\nloadingStrategy: always\n"
    f"tags: [{_token('catalog tag')}]\n{_AGENTS[4:]}",
    "notes/e1.md": _ENTRY.format(tag=_token("entry tag"), token=_token("entry")),
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo(tmp_path_factory.mktemp("sweep") / "r")
    repo.commit(FILES, f"Begin with {_token('subject')}")
    changed = {
        "docs/long.md": FILES["docs/long.md"].replace(_BODY[9], "A" * 40).replace("| h5 |", "| x5 |"),
        "AGENTS.md": _AGENTS.replace("## Keys", "## The keys"),
        ".ctxtui/recipes/lines.yaml": "picks:\n- id: docs/long.md\n  lines: 50-60\n",
        ".ctxtui/recipes/broken.yaml": f"format: {_token('recipe')}\npicks: []\n",
    }
    repo.write(changed)
    return repo


def _shown(text: str) -> list[str]:
    return sorted(place for place, secret in _PLACES.items() if secret in text)


def test_the_guard_knows_what_is_planted() -> None:
    whole = "\n".join(FILES.values())
    found = "\n".join(whole[each.start : each.end] for each in find_secrets(whole))
    assert [place for place, secret in _PLACES.items() if secret in whole and secret not in found] == []


# A command, and the ends of its lines.
LINES = {
    "ls": ("", "--json"),
    "show": (
        *("AGENTS.md", "AGENTS.md --json", "AGENTS.md#users --json", "src/deploy.py --outline --json"),
        *("AGENTS.md --related", "AGENTS.md --related --json"),
    ),
    "search": (
        *("deploy", "deploy --json", "deploy --in text --json", "Password --in text", "h5 --in text"),
        *("MIIE09 --in text --json", "deploy --in prompt --json"),
    ),
    "retrieve": ("deploy --json", "h5"),
    "audit": (
        *("", "--every", "--json", "--format markdown", "--format sarif", "--slim --every", "--slim --json"),
        *("--history", "--history --json", "--touch src/deploy.py --json"),
    ),
    "build": (
        *("--pick . --tree all", "--pick . --json", "--pick . --format xml", "--pick AGENTS.md --related 2"),
        *("--diff", "--diff --format json", "--changed-sections", "--log HEAD", "--outline src/deploy.py"),
        *("--pick docs/long.md#long", "--recipe lines", "--recipe broken"),
    ),
    "check": ("", "--json"),
    "load": ("", "--json"),
    "protocol": ("python --json",),
    "entry": ("query", "query --json"),
}


@cases("line", [f"{command} {end}".strip() for command, ends in LINES.items() for end in ends])
def test_a_command_shows_none(repo: Repo, line: str, capfd: pytest.CaptureFixture[str]) -> None:
    status = main([*line.split(" "), "-C", str(repo.root)])
    out, err = capfd.readouterr()
    assert status in ((2,) if "broken" in line else (0, 1)), err
    # A row of `ls` is an id, for who gives it back.
    assert [place for place in _shown(out) if (line, place) != ("ls", "file name")] == []
    assert _shown(err) == []


_PICKS = ["AGENTS.md", "docs/long.md", "app.log", "notes.ipynb", "src/deploy.py"]
CALLS: dict[str, list[dict[str, Any]]] = {
    "retrieve_context": [{**ASKED, "prompt": "deploy", "providerId": "filesystem"}],
    **{name: [{}] for name in ("get_catalog", "get_agent_starts", "query_entries")},
    **{name: [{"domain": "python"}] for name in ("get_domain_index", "get_always_load_files")},
    "get_reference": [{"domain": "python", "file": "runbook"}],
    "materialize": [{"reference": "python/runbook"}],
    "materialize_sections": [{"reference": "python/runbook", "sections": ["Keys", "Users"]}],
    "search": [{"query": "deploy"}],
    "load_context": [{"structure": True}],
    "build_payload": [
        *({"picks": _PICKS}, {"diff": ""}, {"sections": ""}, {"log": "HEAD"}, {"outline": ["src/deploy.py"]}),
        *({"recipe": "lines"}, {"recipe": "broken"}, {"picks": ["AGENTS.md#users"], "format": "json"}),
    ],
}


async def test_no_tool_and_no_resource_shows_one(repo: Repo) -> None:
    project = Project(repo.root, lambda _notice: None)
    try:
        async with Client(make_server(project)) as client:
            for name, arguments in [(name, each) for name, calls in CALLS.items() for each in calls]:
                answer = await call(client, name, **arguments)
                assert answer.is_error == ("broken" in arguments.values()), (name, answer.text)
                assert (name, arguments, _shown(answer.text)) == (name, arguments, [])
            listed = (await client.list_resources()).resources
            assert _shown("\n".join(f"{each.name} {each.title} {each.uri}" for each in listed)) == []
            for uri in [each.uri for each in listed] + ["ctxtui://document/docs/long.md#long"]:
                if "broken" not in uri:
                    contents = (await client.read_resource(uri)).contents
                    assert (uri, _shown(str(contents))) == (uri, [])
    finally:
        project.close()


def test_nothing_of_a_text_is_kept_and_nobody_else_can_read_what_is(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes = {name: tmp_path / name for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME")}
    for name, place in homes.items():
        monkeypatch.setenv(name, str(place))
    # What an older version left open is closed.
    (homes["XDG_CACHE_HOME"] / "ctxtui").mkdir(parents=True)
    for line in ("ls", "audit", "retrieve deploy", "build --pick . --related 1", "entry query", "audit --history"):
        words = [sys.executable, "-P", "-m", "ctxtui", *line.split(), "-C", str(repo.root)]
        assert subprocess.run(words).returncode == 0, line
    kept = [file for place in homes.values() for file in place.rglob("*")]
    assert {file.name for file in kept} >= {"cache.sqlite3", "retrieval"}
    for file in kept:
        assert (file, file.stat().st_mode & 0o077) == (file, 0)
        if file.is_file():
            shown = _shown(file.read_bytes().decode("latin-1"))
            # The names of files are kept.
            assert (file, [place for place in shown if place != "file name"]) == (file, [])
