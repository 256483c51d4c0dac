"""The installed skill, used as an agent would: only what its text says, on the command line and over MCP."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from ctxtui.core.tokens.by_name import get_counter
from tests import warm
from tests.mcp.mcp_helpers import over_stdio

count = get_counter().count


def run(folder: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    assert words[0] == "ctxtui"
    return warm.run(words[1:], "", folder, os.environ)


@pytest.fixture
def skill(sample: Path) -> str:
    """The text that an agent reads in the sample project once the skill is installed there."""
    done = run(sample, ["ctxtui", "skill", "install", "--agent", "claude-code", "--yes", "--json"])
    assert done.returncode == 0
    return Path(json.loads(done.stdout)["result"]["path"]).read_text("utf-8")


def commands(skill: str) -> dict[str, list[list[str]]]:
    """The command lines of the skill by their first word, as words."""
    (block,) = re.findall(r"```sh\n(.*?)```", skill, re.DOTALL)
    found: dict[str, list[list[str]]] = {}
    for line in block.splitlines():
        words = shlex.split(line, comments=True)
        found.setdefault(words[1], []).append(words)
    return found


def filled(words: list[str], **values: str) -> list[str]:
    """A command line with its words in capitals filled in."""
    return [re.sub(r"\b[A-Z]{2,}\b", lambda name: values[name[0]], word) for word in words]


def test_its_commands_lead_to_a_payload_within_the_budget(sample: Path, skill: str) -> None:
    by_name = commands(skill)
    assert list(by_name) == ["suggest", "build", "search", "show", "ls"]
    (suggesting,), (asking, building), (searching,), (looking,), (listing,) = by_name.values()

    listed = json.loads(run(sample, ["ctxtui", "ls", "--short", "--json"]).stdout)["result"]
    folders = dict(line.split("\t")[:2] for line in run(sample, listing).stdout.splitlines())
    assert sum(map(int, folders.values())) == sum(listed.values())
    task = "how long is the refund window"
    suggested = run(sample, filled(suggesting, TASK=task))
    assert "#" in suggested.stdout
    built = run(sample, filled(asking, TASK=task))
    assert f" {count(built.stdout):,} tokens of 8,000" in suggested.stderr
    found = run(sample, filled(searching, WORDS="refund window")).stdout.splitlines()
    place, tokens = next(line.split()[1:3] for line in found if "#" in line.split()[1])
    whole, _, slug = place.rpartition(":")[0].partition("#")
    assert whole in listed

    # The same as JSON, to read it as a program does.
    shown = json.loads(run(sample, [*filled(looking, ID=whole), "--json"]).stdout)["result"]
    told = {each["slug"]: each["tokens"] for each in shown["sections"]}
    assert told[slug] == int(tokens) < shown["tokens"] == listed[whole]

    # The section, and lines of a file that alone is larger than the budget.
    words = filled(building, ID=whole, SECTION=slug)
    words[words.index(f"{whole}#L10-L20")] = max(listed, key=lambda each: listed[each] or 0)
    for budget in ("4k", "400"):
        words[words.index("--budget") + 1] = budget
        done = run(sample, words)
        assert (done.returncode, 0 < count(done.stdout) <= {"4k": 4_000, "400": 400}[budget]) == (0, True)
        assert f"{count(done.stdout):,} tokens (o200k_base)" in done.stderr
        assert ("cut: " in done.stderr) == (budget == "400")


def test_the_servers_tools_that_it_names_do_the_same(sample: Path, skill: str, tmp_path: Path) -> None:
    named = set(re.findall(r"`(\w+_\w+)`", skill))
    assert named == {"suggest_context", "build_payload"}
    with over_stdio(tmp_path / "home", path=sample) as session:
        assert named <= {tool.name for tool in session.run(session.client.list_tools()).tools}
        found = session.call("suggest_context", task="how long is the refund window").result
        path = found["picks"][0]["id"]
        assert "refund" in found["picks"][0]["reason"]
        hit = session.call("search", query="pydantic").result[0]["reference"]
        sections = [hit["sections"][0]["name"]]
        section = session.call("materialize_sections", reference=hit, sections=sections).result
        assert [each["name"] for each in section["sections"]] == sections
        for budget in (2_000, 150):
            built = session.call("build_payload", picks=[path, "CLAUDE.md"], budget=budget).result
            assert built["tokens"] == count(built["text"]) <= budget
            assert bool(built["truncated"] or built["omitted"]) == (budget == 150)
