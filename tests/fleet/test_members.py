"""Which repositories lists and folders name: each once, by a readable name, and wrong lines with their place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.base.plain import plain_line
from ctxtui.fleet.members import Fleet, find_members
from ctxtui.fleet.results.schema import open_to_write


def _names(fleet: Fleet) -> list[str]:
    return [member.name for member in fleet.members]


@pytest.fixture
def servers(tmp_path: Path) -> Path:
    for name in ("api", "web", "teams/one/jobs", "teams/two/jobs", "teams/one/notes"):
        (tmp_path / "servers" / name).mkdir(parents=True)
    return tmp_path / "servers"


def test_a_list_has_a_path_or_an_address_a_line(servers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"# ours\n\napi\r\n  web \n./api\n{servers}/api/\ngithub:acme/tools@v1//docs\n{servers.parent}\nmissing\n"
    (servers / "list.txt").write_text(text)
    fleet = find_members([str(servers / "list.txt")])
    assert fleet.members == (
        ("api", str(servers / "api")),
        ("web", str(servers / "web")),
        ("github.com/acme/tools@v1//docs", "github:acme/tools@v1//docs"),
        (str(servers.parent), str(servers.parent)),
        ("missing", str(servers / "missing")),
    )
    assert fleet.wrong == ()
    # One on standard input goes on from here.
    monkeypatch.chdir(servers)
    assert find_members(["-"], "api\n../servers/web\n").members == fleet.members[:2]


def test_a_folder_has_the_repositories_below_it(servers: Path) -> None:
    assert _names(find_members([str(servers)])) == ["api", "teams", "web"]
    for name in ("web", "teams/one/jobs", "teams/two/jobs"):
        (servers / name / ".git").mkdir()
    (servers / "web" / "vendored" / ".git").mkdir(parents=True)
    (servers / "link").symlink_to(servers / "teams")
    assert _names(find_members([str(servers)])) == ["teams/one/jobs", "teams/two/jobs", "web"]
    assert _names(find_members([str(servers / "web")])) == ["web"]
    (servers / "list.txt").write_text("teams/\napi\nteams/two/jobs\n")
    assert _names(find_members([str(servers / "list.txt")])) == ["teams/one/jobs", "teams/two/jobs", "api"]


def test_folders_beside_repositories_are_told(servers: Path) -> None:
    assert [*find_members([str(servers)]).notices] == []
    for path in ("notes/more", "web/.git", "web/docs"):
        (servers / path).mkdir(parents=True)
    (told,) = find_members([str(servers)]).notices
    assert told.message == "3 folders without a repository left out: api, notes, teams"
    assert [*find_members([str(servers / "notes")]).notices] == []
    # Those of a repository that a link names are not.
    (servers / "link").symlink_to(servers / "web")
    for words in (["link"], ["link", "web"], ["web", "link"]):
        assert [*find_members([str(servers / word) for word in words]).notices] == []


def test_names_of_several_folders_stay_apart(servers: Path) -> None:
    one, two = servers / "teams" / "one", servers / "teams" / "two"
    assert _names(find_members([str(one), str(two), str(one)])) == ["jobs", "notes", str(two / "jobs")]
    shown = _names(find_members(["-"], "https://example.org/acme/api\nssh://git@example.org/acme/api\n"))
    assert shown == ["example.org/acme/api", "ssh://git@example.org/acme/api"]


def test_the_digest_is_of_the_repositories_in_any_order(servers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(servers)
    one, two, three = (find_members(["-"], text) for text in ("api\nweb\n", "web\n#\napi\n", "api\n"))
    assert one.digest == two.digest != three.digest


def test_a_line_that_names_nothing_is_an_error_with_its_place(servers: Path) -> None:
    place = servers / "list.txt"
    place.write_bytes(b"api\nhttps://me:hunter2@example.org/x\nbad\x1b[2J\nnot\xff utf-8\ngithub:a/b@\n")
    fleet = find_members([str(place)])
    assert _names(fleet) == ["api"]
    assert [each.member.name for each in fleet.wrong] == [f"{place}:{line}" for line in (2, 3, 4, 5)]
    assert fleet.size == 5
    for notice, wrong in zip(fleet.notices, fleet.wrong, strict=True):
        assert notice.message == wrong.error
        assert wrong.error.startswith(f"{wrong.member.name}: ")
        assert "hunter2" not in repr(wrong)
        assert "\x1b" not in wrong.error
    (servers / "esc\x1b[31m" / ".git").mkdir(parents=True)
    (wrong,) = find_members([str(servers)]).wrong
    assert "esc" in wrong.error
    assert plain_line(wrong.error) == wrong.error


def test_what_is_no_list_is_refused(servers: Path) -> None:
    (servers / "binary").write_bytes(b"a\0b")
    open_to_write(servers / "old.db").close()
    (servers / "empty").write_text("# nothing yet\n")
    for name, said in (("binary", "binary"), ("old.db", "holds results"), ("empty", "no repository in")):
        with pytest.raises(ContextError, match=said):
            find_members([str(servers / name)])
    with pytest.raises(NotFound, match="does not exist"):
        find_members(["nowhere"])


@given(st.text(max_size=200))
def test_every_list_gives_names_that_can_be_shown_and_told_apart(text: str) -> None:
    try:
        fleet = find_members(["-"], text)
    except ContextError:
        assert not any(line.strip() and not line.strip().startswith("#") for line in text.split("\n"))
        return
    names = [*_names(fleet), *(each.member.name for each in fleet.wrong)]
    assert len(names) == len(set(names)) == fleet.size
    assert [plain_line(name) for name in names] == names
    repr(fleet).encode()
