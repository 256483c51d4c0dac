"""What the benchmarks measure with, and what they write: whole processes, verdicts, the page."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctxtui.core.tokens.by_name import get_counter
from tests.bench import counts, table
from tests.bench.corpus import write_texts
from tests.bench.counts import Corpus
from tests.bench.processes import fresh_home, watched, whole
from tests.bench.table import Limit, Row
from tests.cases import cases

TEXT = "# Rules\n\nSome words about them, and <|endoftext|> as text.\n"
PATHS = ("AGENTS.md", "docs/a.md", "docs/b.md")
HOLDS = 'import sys; data = b"x" * int(sys.argv[1]); sum(range(3_000_000)); print(sys.stdin.read(), end="")'


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """A small folder, everything in it measured once."""
    monkeypatch.setattr(counts, "_TIMES", 1)
    write_texts(tmp_path / "corpus", ((path, TEXT + path) for path in PATHS))
    return Corpus(tmp_path / "corpus")


def test_a_whole_process_is_measured_by_clock_processor_and_its_own_memory() -> None:
    grown = bytearray(os.urandom(1) * 150_000_000)  # what this process holds is not the other's
    small = whole((sys.executable, "-c", HOLDS, "0"), os.environ, b"given")
    large = whole((sys.executable, "-c", HOLDS, "100000000"), os.environ)
    assert small.output == b"given"
    assert 0 < small.peak < 60_000_000 < len(grown)
    assert small.cpu > 0
    assert small.wall > 0.005
    assert large.peak > small.peak + 50_000_000


def test_memory_includes_that_of_processes_that_have_ended() -> None:
    helper = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLDS!r}, '100000000'])"
    process = subprocess.Popen((sys.executable, "-c", helper + "; sys.stdin.read()"), stdin=subprocess.PIPE)
    with process, watched(process.pid) as peak:
        process.communicate(b"")
        assert peak() > 100_000_000


def test_the_program_is_measured_with_compiled_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    with fresh_home() as home:
        said = whole((sys.executable, "-c", "import sys; print(sys.dont_write_bytecode)"), home)
    assert said.output.strip() == b"False"


def test_a_process_that_fails_ends_the_run_with_what_it_said() -> None:
    with pytest.raises(SystemExit, match=r"ended with 3:\nsorry"):
        whole((sys.executable, "-c", "import sys; sys.stderr.write('sorry'); sys.exit(3)"), os.environ)


@pytest.mark.heavy
def test_ref_is_a_whole_process_and_counts_what_ctxtui_counts(corpus: Corpus) -> None:
    ref, cold, _, warm, _ = counts.counts([corpus])
    counter = get_counter()
    assert corpus.counted["tokens"] == sum(counter.count(TEXT + path) for path in PATHS)
    assert ref.quantity.startswith("REF, 3 files, ")
    assert corpus.reference.wall > 0.1  # an encoder is built in it
    assert "the counts differ" not in cold.measured + warm.measured
    assert " × REF (" in cold.measured


@pytest.mark.heavy
def test_counts_that_differ_from_ref_are_never_ok(corpus: Corpus) -> None:
    run, answer = corpus.measured
    corpus.__dict__["measured"] = (run, {**answer, "tokens": answer["tokens"] + 1})
    cold = list(counts.counts([corpus]))[1]
    assert (cold.measured, cold.verdict) == ("the counts differ from REF", "**over**")


@cases(("value", "verdict"), [(0.5, "goal"), (0.8, "goal"), (0.9, "ok"), (1.1, "**over**")])
def test_verdicts_tell_target_and_goal(value: float, verdict: str) -> None:
    limit = Limit(1.0, 0.8)
    assert str(limit.row("time", value, "m", {})) == f"| time | ≤ 1 × REF | 0.8 × REF | m | {verdict} |"
    assert limit.row("time", value, "m", {}, is_right=False).verdict == "**over**"
    assert Row("time", "", "m", True).verdict == ""


@pytest.mark.heavy
def test_a_run_of_some_groups_tells_about_the_folder_its_rows_and_its_length(corpus: Corpus, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    words = ("--corpus", str(corpus.folder), "--only", "start", "--growth", "", "--json", str(told))
    output = whole((sys.executable, "-m", "tests.bench", *words), os.environ).output.decode()
    assert "corpus: 3 files, 0.0 MB" in output
    assert "\nThe run took 0 minutes.\n" in output
    rows = json.loads(told.read_text("utf-8"))
    assert [(row["quantity"], row["reach"]) for row in rows] == [
        ("`ctxtui --version`", "≤ 0.15 s"),
        ("`ctxtui --help`", "≤ 0.15 s"),
    ]
    assert all(row["raw"]["s"] > 0.005 for row in rows)


def test_the_page_keeps_its_text_and_gets_the_table() -> None:
    row = Limit(1.0).row("time", 0.5, "half", {})
    before = table.PAGE.read_text("utf-8")
    once = table.written(before, [row], ["Python 3"])
    text = before.partition(table.MEASURED)[0]
    assert once.startswith(text)
    assert once.endswith(f"{row}\n")
    assert table.written(once, [row], ["Python 3"]) == once
    with pytest.raises(SystemExit, match="has no line '## Measured'"):
        table.written("# Benchmarks\n", [row], [])
