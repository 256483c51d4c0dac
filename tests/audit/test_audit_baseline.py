"""Baselines: written, read and compared; damage is named."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.audit.baseline import Baseline, baseline_text, compare_to, make_baseline, read_baseline, write_baseline
from ctxtui.audit.costs import Costs
from ctxtui.audit.types import AuditResult
from ctxtui.core import get_counter
from ctxtui.core.base.errors import ContextError, NotFound
from tests.audit.reporting_helpers import COUNTER, finding
from tests.cases import cases

_SIZES = st.dictionaries(st.text(max_size=8), st.integers(0, 10**9), max_size=4)
_BASELINES = st.builds(
    Baseline,
    st.sampled_from(["o200k_base", "heuristic"]),
    st.lists(st.text(max_size=12), max_size=5).map(lambda keys: tuple(sorted(keys))),
    st.builds(Costs, _SIZES, st.dictionaries(st.text(max_size=6), _SIZES, max_size=3)),
)


@given(_BASELINES)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, baseline: Baseline) -> None:
    file = tmp_path_factory.mktemp("baseline") / "b.json"
    write_baseline(file, baseline)
    assert read_baseline(file) == baseline
    assert baseline_text(read_baseline(file)) == file.read_text()


def test_a_file_that_can_be_read_line_by_line(tmp_path: Path) -> None:
    result = AuditResult((finding(path="b.md"), finding(path="a.md")), ())
    baseline = make_baseline(result, Costs({"b.md": 2, "a.md": 1}, {"codex": {"a.md": 1}}), COUNTER)
    write_baseline(tmp_path / "sub/b.json", baseline)
    whole = {
        "baseline": 1,
        "files": {"a.md": 1, "b.md": 2},
        "findings": ["paid-twice|a.md||", "paid-twice|b.md||"],
        "starts": {"codex": {"a.md": 1}},
        "tokenizer": "o200k_base",
    }
    assert (tmp_path / "sub/b.json").read_text() == json.dumps(whole, indent=1) + "\n"


def test_new_known_and_gone() -> None:
    old, stays, new = finding(path="old.md"), finding(path="stays.md"), finding(path="new.md")
    baseline = make_baseline(AuditResult((old, stays), ()), Costs({"a": 1}), COUNTER)
    moved = finding(path="stays.md", line=99, tokens=5)
    compared = compare_to(baseline, AuditResult((new, moved), ()), Costs({"a": 3}), COUNTER)
    assert (compared.new, compared.known, compared.gone) == ((new,), (moved,), (old.key,))
    assert compared.after.total - compared.before.total == 2


def test_of_findings_with_one_key_as_many_are_known_as_there_were() -> None:
    twice = finding(), finding(line=9)
    baseline = make_baseline(AuditResult(twice, ()), Costs(), COUNTER)
    thrice = (*twice, finding(line=20))
    compared = compare_to(baseline, AuditResult(thrice, ()), Costs(), COUNTER)
    assert (compared.known, compared.new, compared.gone) == (twice, (thrice[2],), ())
    once = compare_to(baseline, AuditResult(twice[:1], ()), Costs(), COUNTER)
    assert (len(once.known), once.new, once.gone) == (1, (), (twice[0].key,))


def test_another_tokenizer_is_refused() -> None:
    baseline = make_baseline(AuditResult((), ()), Costs(), COUNTER)
    with pytest.raises(ContextError, match="counted with o200k_base, this audit with heuristic"):
        compare_to(baseline, AuditResult((), ()), Costs(), get_counter("heuristic"))


def _data(**changed: Any) -> str:
    whole: dict[str, Any] = {"baseline": 1, "tokenizer": "o200k_base", "findings": [], "files": {}, "starts": {}}
    return json.dumps({**whole, **changed})


@cases(
    ("content", "what"),
    [
        ("", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"baseline": 1, "tokenizer": ' + "9" * 5_000 + "}", "not JSON"),
        ("[]", "should be a mapping"),
        (_data(baseline=2), "`baseline` should be `1`"),
        (_data(tokenizer=None), "`tokenizer`"),
        (_data(findings={"a": 1}), "`findings`"),
        (_data(findings=[1]), "`findings[0]`"),
        (_data(files=[]), "`files`"),
        (_data(files={"a": -1}), "`files.a`"),
        (_data(files={"a": True}), "`files.a`"),
        (_data(files={"a": 2**60}), "`files.a`"),
        (_data(starts=[]), "`starts`"),
        (_data(starts={"codex": {"a": "1"}}), "`starts.codex.a`"),
    ],
)
def test_a_damaged_file_is_named_with_what_is_wrong(tmp_path: Path, content: str | bytes, what: str) -> None:
    file = tmp_path / "b.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ContextError) as caught:
        read_baseline(file)
    assert caught.value.category == "invalid_request"
    assert caught.value.message.startswith(f"{file} is not a baseline: ")
    assert caught.value.hint == "write it again with --write-baseline"
    assert what in caught.value.message


def test_a_file_that_is_not_there_or_a_folder(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_baseline(tmp_path / "none.json")
    with pytest.raises(ContextError) as caught:
        read_baseline(tmp_path)
    assert caught.value.category == "unavailable"
