"""Weighing real servers: pages, crashes, floods, silence; nothing stays behind, and nothing secret is kept."""

import json
import os
import select
import time
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from ctxtui.audit.weigh.server_tools import list_servers
from ctxtui.audit.weigh.types import Launch, ServerListing, definition_json
from ctxtui.core import ContextError, get_counter
from ctxtui.core.base.cancel import Stopped
from tests.audit.weigh_helpers import SERVER, entry, looked, names, usual, weighed
from tests.cases import cases
from tests.conftest import Project

HIDDEN = "correct-horse-battery"


def launch(behavior: str, *arguments: str, **more: object) -> Launch:
    command = entry(behavior, *arguments)
    return Launch((command["command"], *command["args"]), folder=str(SERVER.parent), **more)  # type: ignore[arg-type]


def listed(behavior: str, *arguments: str, seconds: float = 20, **more: object) -> ServerListing:
    (found,) = list_servers([launch(behavior, *arguments, **more)], seconds)
    assert isinstance(found, ServerListing), found
    return found


def failed(behavior: str, *arguments: str, seconds: float = 20, **more: object) -> ContextError:
    (found,) = list_servers([launch(behavior, *arguments, **more)], seconds)
    assert isinstance(found, ContextError), found
    return found


def test_what_a_server_lists() -> None:
    found = listed("rich")
    assert names(found.tools) == ["look", "turn"]
    assert (found.name, found.version, found.instructions) == ("small", "1.2", "Look before you turn.")
    assert (found.prompts, found.resources) == (2, 1)
    assert definition_json(found.tools[1]) == (
        '{"name":"turn","description":"Turns it – Grüße.",'
        '"input_schema":{"type":"object","properties":{"by":{"type":"number"}}}}'
    )


def test_pages_noise_and_lists_that_fail_beside_the_tools(capfd: pytest.CaptureFixture[str]) -> None:
    assert names(listed("paged").tools) == [f"tool{page}" for page in range(7)]
    half = listed("half")
    assert (half.prompts, half.resources) == (2, None)
    # What is printed besides messages does no harm.
    assert names(listed("noise").tools) == ["look", "turn"]
    assert capfd.readouterr() == ("", "")


@cases(
    ("behavior", "said"),
    [
        ("gone", "ended with status 7"),
        ("crash", "ended with status 3"),
        ("circular", "the same page again"),
        ("endless", "more than 200 pages"),
        ("huge", "more than 5,000 tools"),
        ("flood", "more than 16 MB"),
        ("babble", "1,000 lines that are not messages"),
        ("mute", "no complete answer within 0.5 s"),
        ("wrong", ""),
    ],
)
def test_servers_that_fail_say_how(behavior: str, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert said in failed(behavior, seconds=0.5 if behavior == "mute" else 20).message
    assert capfd.readouterr() == ("", "")


def _ends(process: int) -> bool:
    """Whether a process that was killed ends in time; it may not have been reaped yet."""
    try:
        watched = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], 10)[0])
    finally:
        os.close(watched)


def test_weighing_stops_when_nobody_waits_any_more(tmp_path: Path) -> None:
    child = tmp_path / "child"

    def check() -> None:
        # It has started.
        if child.exists() and child.read_text():
            raise Stopped

    begun = time.monotonic()
    with pytest.raises(Stopped):
        list_servers([launch("family-mute", str(child))], 60, check)
    assert time.monotonic() - begun < 10
    assert _ends(int(child.read_text()))


def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    found = list_servers([Launch(("/no/such/program",), folder="/"), Launch(("ls",), folder="/no/such/folder")])
    assert [each.message for each in found if isinstance(each, ContextError)] == [
        "the engine cannot be reached: /no/such/program: No such file or directory",
        "its folder /no/such/folder does not exist",
    ]


def test_what_a_server_started_ends_with_it(tmp_path: Path) -> None:
    listed("family", str(tmp_path / "child"))
    assert _ends(int((tmp_path / "child").read_text()))


def test_a_server_that_asks_for_a_password_gets_none(tmp_path: Path) -> None:
    assert names(listed("asks", str(tmp_path / "answer")).tools) == ["look", "turn"]
    answer = json.loads((tmp_path / "answer").read_text())
    assert "result" not in answer
    assert "error" in answer


def test_a_server_gets_what_its_configuration_gives_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", "value of ours")
    monkeypatch.setenv("PASSED", "value passed on")
    code = "import os,sys,json; open(sys.argv[1],'w').write(json.dumps([dict(os.environ), os.getcwd()]))"
    command = (entry()["command"], "-S", "-c", code, str(tmp_path / "seen"))
    env = {"A": "${OURS}", "B": "${NOT_SET:-default}", "C": "{env:OURS}", "D": "${workspaceFolder}"}
    list_servers([Launch(command, folder=str(tmp_path), env=env, passed=("PASSED",))])
    environment, folder = json.loads((tmp_path / "seen").read_text())
    assert Path(folder) == tmp_path
    filled = {"A": "value of ours", "B": "default", "C": "value of ours", "D": str(tmp_path)}
    expected = {**filled, "PASSED": "value passed on", "OURS": None}
    assert {name: environment.get(name) for name in expected} == expected


def test_what_only_the_agent_can_fill_in_is_said() -> None:
    for value in ("${input:token}", "${NOT_SET}", "{file:~/key}"):
        assert value in failed("good", env={"KEY": value}).message


def test_a_server_is_counted_exactly_and_kept_by_its_digest(project: Project) -> None:
    root = project({"CLAUDE.md": "x", ".mcp.json": usual(small=entry("rich"))})
    found = weighed(root)
    assert found.listing
    count = get_counter().count
    assert [tool.tokens for tool in found.tools] == [count(definition_json(tool)) for tool in found.listing.tools]
    assert (found.state, found.instructions) == ("weighed", count("Look before you turn."))
    # Without asking again.
    again = looked(root).servers[0]
    for name in ("state", "tools", "prices", "listing"):
        assert getattr(again, name) == getattr(found, name)


def test_a_listing_that_repeats_a_secret_is_not_kept(project: Project) -> None:
    root = project({".mcp.json": usual(small=entry("repeats", env={"API_KEY": HIDDEN}))})
    (server,) = (each.server for each in looked(root).servers)
    found = looked(root, f"small={server.digest}")
    assert found.servers[0].state == "weighed"
    (notice,) = found.notices
    assert "API_KEY" in notice.message
    assert HIDDEN not in str(found)
    assert looked(root).servers[0].state == "unweighed"
    kept = [file for place in (user_cache_path("ctxtui"), Path.home()) for file in place.rglob("*") if file.is_file()]
    assert HIDDEN.encode() not in b"".join(file.read_bytes() for file in kept)
