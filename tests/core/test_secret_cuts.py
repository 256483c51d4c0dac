"""What is cut from a text shows no part of its secrets, and how many labelled secrets are found."""

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.text.secrets import Cut, find_secrets, lines_at, redact, redacted
from tests.fuzz.growth import LIMIT, measure

# Put together here, so that no scanner takes this file for a leak.
_KEY = "-----BEGIN PRIVATE KEY-----\n" + "".join(f"MIIE{place:02d}ow+/Ab1XyZ\n" for place in range(9))
_PLANTS = st.sampled_from(
    [
        _KEY + "-----END PRIVATE KEY-----\n",
        "token: " + "ghp_" + "aB3" * 12 + "\n",
        "| User | Password |\n|---|---|\n" + "".join(f"| u{place} | zq{place}Kv8{place}Lw |\n" for place in range(9)),
        "DATABASE_URL=postgres://reporting:t0rnado" + "Basalt88@pg.internal/ledger\n",
        *("plain words\n\n", "# A heading\n", "- [ ] a task\n"),
    ]
)
_TEXTS = st.lists(_PLANTS, min_size=1, max_size=8).map("\n".join)


@given(_TEXTS, st.data())
def test_no_character_of_a_secret_leaves_with_a_cut(text: str, data: st.DataObject) -> None:
    hidden = {place for each in find_secrets(text) for place in range(each.start, each.end)}
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=12)))
    between = data.draw(st.sampled_from(["", "\n", " … ", "+"]))
    ranges = list(zip(places[::2], places[1::2], strict=False))
    cut = Cut.of(text, [piece for each in ranges for piece in (each, between)])
    here = {place for each in cut.secrets() for place in range(each.start, each.end)}
    at = 0
    for start, end in ranges:
        shown = [place for place in range(start, end) if place in hidden and at + place - start not in here]
        assert not shown, cut.text
        at += end - start + len(between)
    exported = redacted(cut.text, cut.secrets(), 0, len(cut.text))[0]
    assert find_secrets(exported) == []


_LINES = st.sampled_from(
    [
        *("kind: Secret", "data:", "  password: aHVudGVyMg==9x", "stringData: |", "name,password", "anna,token"),
        *("bob,zq7Kv8Lw3x", "| User | Password |", "|---|---|", "| u | zq7Kv8Lw3x |", "password: |", "---", "```"),
        *("", "the azure account key", "key: " + "aB3/" * 21 + "Q==", "-----BEGIN PRIVATE KEY-----"),
        "MIIE02ow+/Ab1XyZMIIE02ow+/Ab1XyZMIIE02ow+/Ab1XyZ",
    ]
)


@given(st.lists(_LINES, max_size=6), st.sampled_from(["---", "+++"]), st.lists(_LINES, max_size=8))
def test_a_body_is_searched_as_if_alone(front: list[str], rule: str, lines: list[str]) -> None:
    body = "\n".join(lines)
    text = "\n".join([rule, *front, rule, body])
    found = Cut.of(text, [(len(text) - len(body), len(text))]).secrets()
    covered = {place for each in found for place in range(each.start, each.end)}
    assert all(covered.issuperset(range(each.start, each.end)) for each in find_secrets(body))


@given(_TEXTS, st.data())
def test_an_offset_of_a_cut_leads_back(text: str, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    cut = Cut.of(text, ["words", (start, end), "more"])
    assert [cut.back(place) for place in range(5, 5 + end - start)] == list(range(start, end))


@given(st.sampled_from("\n\r"), st.data())
def test_lines_are_those_of_the_text(end: str, data: st.DataObject) -> None:
    text = data.draw(st.text(f"a{end}", max_size=40))
    offsets = sorted(data.draw(st.lists(st.integers(0, len(text)))))
    assert lines_at(text, offsets) == [text.count(end, 0, offset) + 1 for offset in offsets]


def test_many_secrets_take_time_that_grows_with_their_number() -> None:
    found = measure("exported secrets", repr("token=abc1xyz4q\n"), 160_000)
    assert found is None or found.exponent <= LIMIT, found


DATA: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "secrets.json").read_text("utf-8"))


def _plain(encoded: str) -> str:
    return b64decode(encoded[::-1]).decode()


def _shows(secret: str, redacted: str) -> bool:
    """Whether a credential is left; of one of many lines, whether one of its lines is."""
    if "PRIVATE KEY" in secret:
        return any(len(line) > 30 and line in redacted for line in secret.split("\n"))
    return secret in redacted


def _measured(split: str) -> tuple[float, float]:
    """Precision and recall over the texts of a split, or over all."""
    right = missed = false = 0
    for row in DATA["texts"]:
        if split not in (row["split"], "all"):
            continue
        redacted, found = redact(_plain(row["text"]))
        secrets = [_plain(secret) for secret in row["secrets"]]
        if secrets:
            is_missed = any(_shows(secret, redacted) for secret in secrets)
            missed, right = missed + is_missed, right + (not is_missed)
        else:
            false += bool(found)
    return right / (right + false), right / (right + missed)


@pytest.mark.parametrize("split", ["all", "test"])
def test_labelled_secrets_are_found_and_nothing_else(split: str) -> None:
    precision, recall = _measured(split)
    others = DATA["detect-secrets 1.5.0"][split]
    print(f"{split}: precision {precision:.3f} recall {recall:.3f}; detect-secrets 1.5.0 {others[0]} {others[1]}")
    if split == "test":
        assert precision >= 0.98
        assert recall >= 0.95
