"""Counting in threads: the same counts by either engine, and an end when it is asked for."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from unittest.mock import Mock

import pytest

from ctxtui import Workspace
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.root import Root
from ctxtui.core.tokens import encodings, fast
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.ledger import Entry
from ctxtui.workspace import counting
from ctxtui.workspace.counting import count_all
from tests.conftest import Project

FILES: dict[str, str | bytes] = {
    "AGENTS.md": "# Rules\n" + "Never charge a card twice.\n# More\n" * 400,
    "CLAUDE.md": "@AGENTS.md\n",
    "docs/crlf.md": "a\r\n\r\n# b\r\n" * 30,
    "docs/bom.md": b"\xef\xbb\xbf# Title\n",
    "docs/damaged.md": b"# One\n\nTwo \xff three\n",
    "docs/special.md": "<|endoftext|> 漢字 😀\n",
    "docs/new.md": "\U000323b0\U0001e6c0a\u088f letters\n",
    "docs/binary.txt": b"\0\1\2",
    "docs/empty.md": "",
    "names/ü 😀.md": "# Odd\n",
    **{f"many/{number}.md": f"# Number {number}\n" * 9 for number in range(200)},
}


@pytest.fixture(autouse=True)
def any_amount(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any amount is enough for the fast engine and for several batches."""
    monkeypatch.setattr(encodings, "FAST_FROM", 1)
    monkeypatch.setattr(encodings, "expected", set())
    monkeypatch.setattr(counting, "_BATCH", (80, 10_000))


def _opened(root: Path) -> Workspace:
    return Workspace.open(root, on_notice=lambda _: None)


def _entries(root: Path, model: str = "o200k_base") -> tuple[dict[str, Entry | None], list[Notice]]:
    workspace, counter = _opened(root), get_counter(model)
    notices = count_all(workspace, counter)
    return {each.path: workspace.reader.known_entry(each, counter) for each in workspace.references}, notices


@pytest.mark.parametrize("model", ["o200k_base", "claude-opus-5"])
def test_both_engines_count_alike(project: Project, monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    root = project(FILES)
    found, notices = _entries(root, model)
    assert "o200k_base" in encodings.expected
    assert sum(each is not None for each in found.values()) == len(FILES) - 1
    assert sorted(each.code for each in notices) == ["binary-file", "invalid-text"]
    monkeypatch.setattr(encodings, "FAST_FROM", 10**12)
    monkeypatch.setattr(encodings, "expected", set())
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.with_name("other")))
    again, told = _entries(root, model)
    assert (found, sorted(notices, key=str)) == (again, sorted(told, key=str))
    assert not encodings.expected


def test_a_fast_engine_that_does_not_count_is_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({"a.md": "# A\n"})
    for version, why in (("", "it is not installed"), ("0.4.0", "version 0.4.0 was not compared with tiktoken")):
        monkeypatch.setenv("XDG_CACHE_HOME", str(root.with_name(f"cache{version}")))
        monkeypatch.setattr(fast, "fast_version", lambda version=version: version)
        fast.fast_engine.cache_clear()
        found, notices = _entries(root)
        assert found["a.md"] is not None
        assert [found["a.md"].counts.units] == [get_counter().count("# A\n")]
        assert notices == [Notice("fast-engine", f"toktok did not count ({why}); tiktoken did")]
    fast.fast_engine.cache_clear()


def test_another_thread_than_the_main_one_loads_no_fast_engine(project: Project) -> None:
    root = project({"a.md": "# A\n"})
    beside = threading.Thread(target=_entries, args=(root,))
    beside.start()
    beside.join()
    assert not encodings.expected
    assert _entries(root)[0]["a.md"] is not None


def test_a_link_out_of_the_project_is_not_counted(project: Project) -> None:
    root = project({"a.md": "# A\n"})
    (root.parent / "secret.md").write_text("# Secret\n")
    workspace, counter = _opened(root), get_counter()
    (root / "a.md").unlink()
    (root / "a.md").symlink_to(root.parent / "secret.md")
    assert [each.code for each in count_all(workspace, counter)] == ["unreadable-file"]
    assert workspace.reader.known_entry(workspace.require("a.md"), counter) is None


def test_a_file_that_changes_before_it_is_counted_is_counted_as_it_is(project: Project) -> None:
    root, counter = project(FILES), get_counter()
    workspace = _opened(root)
    (root / "many/1.md").write_text("# Now something else\n")
    count_all(workspace, counter)
    assert workspace.tokens(workspace.require("many/1.md"), counter) == counter.count("# Now something else\n")


def test_counting_tells_how_far_it_is_and_ends_when_it_should(project: Project) -> None:
    workspace, counter = _opened(project(FILES)), get_counter()
    stop, told = threading.Event(), list[tuple[int, int]]()
    stop.set()
    assert not count_all(workspace, counter, lambda *each: told.append(each), stop=stop)
    assert not told
    assert not any(workspace.reader.known_entry(each, counter) for each in workspace.references)
    count_all(workspace, counter, lambda *each: told.append(each))
    assert told[-1] == (len(FILES), len(FILES))
    assert len(told) > 2


def test_what_interrupts_a_count_begins_no_further_batch(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, counter = _opened(project(FILES)), get_counter()
    monkeypatch.setattr(counting, "cores", lambda: 1)
    reading = Mock(side_effect=Root.read)
    monkeypatch.setattr(Root, "read", lambda *given: reading(*given))
    with pytest.raises(KeyboardInterrupt):
        count_all(workspace, counter, Mock(side_effect=KeyboardInterrupt))
    assert 0 < reading.call_count < len(FILES)


@pytest.mark.heavy
def test_ctrl_c_ends_a_command(project: Project) -> None:
    text = "Some words, and more of them.\n" * 2_000
    root = project({f"{number}.md": f"# {number}\n{text}" for number in range(400)})
    command = [sys.executable, "-m", "ctxtui", "ls", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as running:
        while len(list(Path(f"/proc/{running.pid}/task").iterdir())) < 2:
            assert running.poll() is None
        os.killpg(running.pid, signal.SIGINT)
        _, told = running.communicate(timeout=60)
    assert (running.returncode, b"Traceback" in told) == (130, False), told
