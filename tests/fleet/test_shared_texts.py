"""Texts in many repositories: what a straightforward computation finds, whole files, prices, and nothing left behind."""

import sqlite3
from collections import defaultdict
from contextlib import closing, suppress
from dataclasses import astuple
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError
from ctxtui.fleet.results.read import find_run
from ctxtui.fleet.results.schema import reading
from ctxtui.fleet.shared_texts import SharedText, SharedTexts, find_texts, shared_texts
from ctxtui.fleet.types import Member, Outcome
from tests.cases import cases
from tests.fleet.kept import keep
from tests.fleet.results_helpers import file, results

Fleet = dict[str, dict[str, tuple[tuple[str, ...], int]]]
"""The blocks of files, and their tokens at the start, by repository and path."""

_words = st.lists(st.sampled_from(["a", "bb", "ccc", "dddd", "e", "ff"]), max_size=6).map(tuple)
_files = st.dictionaries(
    st.sampled_from(["A.md", "B.md", "é 'x'"]), st.tuples(_words, st.integers(0, 250)), max_size=3
)
_fleets = st.dictionaries(st.sampled_from(["r1", "r2", "r3", "r10", "Z", "ü/\u202e"]), _files, max_size=6)


def outcomes(fleet: Fleet) -> list[Outcome]:
    return [
        Outcome(
            Member(name, f"/srv/{name}"),
            context=tuple(file(path, *words, start=start) for path, (words, start) in files.items()),
        )
        for name, files in fleet.items()
    ]


def slowly(fleet: Fleet, least: int, tokens: int) -> list[SharedText]:
    """The shared texts of a fleet, by definition."""
    files = [(name, path, *fleet[name][path]) for name in sorted(fleet) for path in sorted(fleet[name])]
    having: dict[object, set[str]] = defaultdict(set)
    first: dict[str, tuple[int, int]] = {}
    for number, (name, _, words, _) in enumerate(files):
        having[words].add(name)
        for position, word in enumerate(words):
            having[word].add(name)
            first.setdefault(word, (number, position))
    shared = sorted((word for word in first if len(having[word]) >= least), key=first.__getitem__)
    parts: list[list[str]] = []
    for word in shared:
        before = parts[-1][-1] if parts else ""
        follows = before and first[word] == (first[before][0], first[before][1] + 1)
        if follows and having[word] == having[before] == {
            name for name, _, words, _ in files if (before, word) in pairwise(words)
        }:
            parts[-1].append(word)
        else:
            parts.append([word])
    found = []
    for part in parts:
        whole = files[first[part[0]][0]][2]
        if 10 * len("".join(part)) >= tokens and having[part[0]] != having[whole]:
            holders = [each for each in files if set(part) & set(each[2])]
            paid = [(each[0], sum(_paid(each[2], each[3], part))) for each in holders]
            found.append(_text(part[0], "".join(part), having[part[0]], holders, paid, False, part[0]))
    for words in dict.fromkeys(each[2] for each in files):
        if len(having[words]) >= least and 10 * len("".join(words)) >= tokens:
            holders = [each for each in files if each[2] == words]
            paid = [(each[0], min(each[3], 10 * len("".join(words)))) for each in holders]
            found.append(_text(words[0] if words else "", "".join(words), having[words], holders, paid, True))
    return found


def _paid(words: tuple[str, ...], start: int, part: list[str]) -> list[int]:
    """The tokens of each block of a file that is in a part, as far as the start of an agent reaches."""
    ends = [10 * len("".join(words[: place + 1])) for place in range(len(words))]
    return [
        max(0, min(end, start) - (end - 10 * len(word)))
        for word, end in zip(words, ends, strict=True)
        if word in part
    ]


def _text(head, text, repositories, holders, paid, whole, lead=None) -> SharedText:
    places: dict[str, tuple[str, str, int]] = {}
    for name, path, words, _ in holders:
        if lead is None or lead in words:
            places.setdefault(name, (name, path, 1 if lead is None else 1 + 2 * words.index(lead)))
    return SharedText(
        head,
        10 * len(text),
        len(repositories),
        len(holders),
        len({name for name, tokens in paid if tokens}),
        sum(tokens for _, tokens in paid),
        whole,
        tuple(places.values()),
    )


@given(fleet=_fleets, least=st.integers(1, 4), tokens=st.sampled_from([0, 10, 25]))
def test_shared_texts_are_those_of_a_plain_computation(tmp_path: Path, fleet: Fleet, least: int, tokens: int) -> None:
    # Another run has the same contents, and more of them.
    more: Fleet = {**fleet, "other": {"A.md": (("a", "bb", "ccc"), 10)}, "more": {"A.md": (("a", "bb"), 10)}}
    with results(tmp_path, outcomes(more), outcomes(fleet), outcomes(more)) as connection:
        found = find_texts(connection, 2, least, tokens, 1_000, 1_000)
    wanted = slowly(fleet, least, tokens)
    assert sorted(found.texts, key=repr) == sorted(wanted, key=repr)
    assert found.count == len(wanted)
    assert [text.at_start for text in found.texts] == sorted((text.at_start for text in wanted), reverse=True)


@given(fleet=_fleets, least=st.integers(1, 3))
def test_what_texts_have_in_common_is_paid_once(tmp_path: Path, fleet: Fleet, least: int) -> None:
    with results(tmp_path, outcomes(fleet)) as connection:
        found = find_texts(connection, 1, least, 0, 1_000, 1)
        some = find_texts(connection, 1, least, 25, 1_000, 1)
    starts = sum(min(start, 10 * len("".join(words))) for files in fleet.values() for words, start in files.values())
    assert some.at_start <= found.at_start <= starts
    assert max((text.at_start for text in found.texts), default=0) <= found.at_start
    if least == 1:
        assert found.at_start == starts


def test_a_copied_file_is_one_text_also_if_others_have_a_piece_of_it(tmp_path: Path) -> None:
    copy = ("intro", "rules", "rest")
    fleet: Fleet = {f"r{number}": {"AGENTS.md": (copy, 140)} for number in range(4)}
    fleet["other"] = {"x.md": (("mine", "rules"), 0)}
    with results(tmp_path, outcomes(fleet)) as connection:
        whole, rules = find_texts(connection, 1, 3, 20, 10, 2).texts
    assert (whole.head, whole.whole, whole.repositories, whole.tokens) == ("intro", True, 4, 140)
    assert whole.places == (("r0", "AGENTS.md", 1), ("r1", "AGENTS.md", 1))
    assert (rules.head, rules.whole, rules.repositories) == ("rules", False, 5)
    assert rules.places == (("other", "x.md", 3), ("r0", "AGENTS.md", 3))


def test_texts_that_follow_one_another_everywhere_are_one(tmp_path: Path) -> None:
    fleet: Fleet = {f"r{number}": {"AGENTS.md": ((f"own{number}", "one", "two", "three"), 0)} for number in range(3)}
    with results(tmp_path, outcomes(fleet)) as connection:
        (text,) = find_texts(connection, 1, 3, 20, 10, 1).texts
    assert (text.head, text.tokens, text.files, text.at_start) == ("one", 110, 3, 0)
    fleet["r2"]["AGENTS.md"] = (("own2", "one", "two", "between", "three"), 0)
    with results(tmp_path, outcomes(fleet)) as connection:
        assert [text.head for text in find_texts(connection, 1, 3, 20, 10, 1).texts] == ["one", "three"]


def test_a_text_in_a_start_has_the_price_of_its_tokens(tmp_path: Path) -> None:
    fleet: Fleet = {f"r{number}": {"AGENTS.md": (("x" * 100,), 1_000)} for number in range(3)}
    with results(tmp_path, outcomes(fleet)) as connection:
        run = find_run(connection)
        found = shared_texts(connection, run, "gpt-4o")
        # 2.50 dollars for a million tokens; 3,000 tokens, 1,000 times.
        assert found.texts[0].dollars == found.dollars == Decimal("7.5")
        assert "gpt-4o" in found.heading
        assert shared_texts(connection, run).dollars is None
        assert shared_texts(connection, run, "no such model").texts[0].dollars is None


def test_a_small_fleet_shares_what_two_repositories_have(tmp_path: Path) -> None:
    def fleet(size: int) -> Fleet:
        return {
            f"r{number}": {"A.md": (("shared",) if number < 2 else (f"own {number}",), 0)} for number in range(size)
        }

    with results(tmp_path, outcomes(fleet(9)), outcomes(fleet(10))) as connection:
        assert [shared_texts(connection, find_run(connection, number)).count for number in (1, 2)] == [1, 0]


def test_reading_texts_leaves_nothing_behind(tmp_path: Path) -> None:
    with results(tmp_path, outcomes({"a": {"A.md": (("one",), 30)}})) as connection:
        found = [find_texts(connection, 1, 1, 0, 10, 1) for _ in range(2)]
        assert found[0] == found[1] == SharedTexts(found[0].texts, 1, 1, 30)
        assert connection.execute("SELECT count(*) FROM temp.sqlite_schema").fetchone() == (0,)


@cases(
    ("table", "column"),
    [
        ("texts", "head"),
        ("blocks", "tokens"),
        ("blocks", "line"),
        ("contents", "tokens"),
        ("files", "path"),
        ("files", "start"),
        ("repositories", "name"),
    ],
)
@cases("value", ["'words'", "x'ff00'", "1e999", "-5", "9223372036854775807"])
def test_values_that_no_run_wrote_have_types_or_fail(tmp_path: Path, table: str, column: str, value: str) -> None:
    path = keep(tmp_path / "fleet.db", outcomes({"a": {"A.md": (("one", "two"), 30)}}))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE {table} SET {column} = {value}")
    with suppress(ContextError), reading(path) as connection:
        found = find_texts(connection, 1, 1, 0, 10, 3)
        types = {type(each) for text in found.texts for each in astuple(text)[1:6]} | {type(found.at_start)}
        assert types == {int}
        for text in found.texts:
            for name, place, line in text.places:
                assert [type(each) for each in (text.head, name, place, line)] == [str, str, str, int]


def test_the_work_grows_in_line_with_the_rows(tmp_path: Path) -> None:
    def fleet(size: int) -> Fleet:
        return {
            f"r{number}": {
                "A.md": (("intro", "rules", "rest"), 90),
                "B.md": ((f"own {number}", "rules", f"half {number // 2}", "tail", "end"), 200),
            }
            for number in range(size)
        }

    def steps(size: int) -> int:
        taken = 0

        def step() -> None:
            nonlocal taken
            taken += 1

        with results(tmp_path, outcomes(fleet(size))) as connection:
            # What the database computes, not how long it takes: a busy machine changes nothing.
            connection.set_progress_handler(step, 100)
            assert find_texts(connection, 1, 3, 0, 3, 3).count == 2
        return taken

    assert steps(800) < 2.6 * steps(400)
