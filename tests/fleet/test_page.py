"""The page of a fleet as a document: it parses, is whole, loads nothing, and foreign text in it stays text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.fleet.distribution import distributions
from ctxtui.fleet.page.render import HEIGHT, chart, embedded, page, short, ticks
from ctxtui.fleet.summary import read_summary
from ctxtui.fleet.types import Outcome
from tests.fleet.hostile_fleet import ATTACKS, KINDS, hostile_outcomes
from tests.fleet.kept import generated, keep, outcome
from tests.fleet.test_summary import fault, repository, summary_of

_VOID = frozenset("meta link input br img hr".split())
_LOADS = frozenset("src srcset poster background action formaction data cite ping xlink:href".split())


class Document(HTMLParser):
    """What a page consists of: tags with their attributes, and the texts of styles, scripts and all else."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.raw: dict[str, list[str]] = {"style": [], "script": []}
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        place = self._open[-1] if self._open else ""
        self.raw.get(place, self.texts).append(data)

    @property
    def data(self) -> Any:
        """The rows that the script draws."""
        return json.loads(self.raw["script"][0])


def document(folder: Path, *runs: Iterable[Outcome]) -> Document:
    return Document(page(summary_of(folder, *runs)))


@pytest.fixture
def hostile(tmp_path: Path) -> Document:
    return document(tmp_path, hostile_outcomes(), hostile_outcomes())


def test_the_policy_allows_this_style_and_script_and_no_network(hostile: Document) -> None:
    (policy,) = [each["content"] for tag, each in hostile.tags if each.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(part.split(" ", 1) for part in policy.split("; "))
    assert rules["default-src"] == "'none'"
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(hostile.raw[kind][-1].encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
    assert set(rules) == {"default-src", "style-src", "script-src", "img-src", "base-uri", "form-action"}
    assert rules["img-src"] == "data:"


def test_nothing_is_loaded_no_attribute_runs_and_links_lead_to_parts_of_the_page(hostile: Document) -> None:
    assert {tag for tag, _ in hostile.tags} <= set(
        "html head meta title link style body a header p h1 h2 h3 strong nav main section dl div dt dd span ol li ul"
        " svg line rect text bdi table thead tbody tr th td details summary noscript footer script".split()
    )
    for tag, attributes in hostile.tags:
        assert not any(name.startswith("on") or name in _LOADS or name == "style" for name in attributes), tag
        address = attributes.get("href", "#")
        assert address.startswith("#") or (tag, address) == ("link", "data:,"), address
    assert len(hostile.raw["script"]) == 2
    assert len(hostile.raw["style"]) == 1
    ids = [attributes["id"] for _, attributes in hostile.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {each["href"][1:] for tag, each in hostile.tags if tag == "a"} <= set(ids)


def test_hostile_texts_are_shown_as_texts(hostile: Document) -> None:
    shown = " ".join(" ".join(hostile.texts).split())
    assert "</script><img src=x onerror=alert(1)>" in shown
    assert "{{ 7 * 7 }}" in shown
    names = {row[0] for row in hostile.data["repositories"]}
    assert names == {short(f"{before}{number}/{text}") for number, text in enumerate(ATTACKS) for before in KINDS}
    whole = shown + json.dumps(hostile.data, ensure_ascii=False)
    assert not set(re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", whole))
    assert max(map(len, names)) <= 300


@given(st.text())
def test_any_text_leaves_the_data_one_script(text: str) -> None:
    written = embedded([text])
    assert json.loads(written) == [text]
    assert not set("<>&") & set(written)


def test_what_matters_is_there_without_the_script(tmp_path: Path) -> None:
    before = [repository("api", 100), repository("web", 4_000)]
    now = [
        repository("api", 2_100, fault("secret", "error", path="AGENTS.md", line=12), fault("paid-twice", tokens=77)),
        repository("web", 4_000),
        outcome("gone", error="/srv/gone does not exist"),
    ]
    found = document(tmp_path, before, now)
    shown = " ".join(" ".join(found.texts).split())
    for text in (
        "Context of 3 repositories",
        "1 not audited",
        "All starts since run 1 +2,000 tokens, 1 start grew, 0 shrank",
        "Saves up to 77 tokens.",
        "Secrets 1 in 1 repository",
        "AGENTS.md:12",
        "… does not exist",
        "median 2,100",
    ):
        assert text in shown or text in " ".join(each.get("aria-label", "") for _, each in found.tags), text


def test_every_row_is_in_the_data_and_few_in_the_document(tmp_path: Path) -> None:
    outcomes = generated(700)
    found = document(tmp_path, outcomes)
    assert sorted(row[0] for row in found.data["repositories"]) == sorted(each.member.name for each in outcomes)
    assert sum(tag == "tr" for tag, _ in found.tags) < 80
    starts = {row[0]: [start for _, start in row[7]] for row in found.data["repositories"]}
    assert starts == {each.member.name: sorted(agent.start for agent in each.agents)[::-1] for each in outcomes}


@pytest.mark.parametrize(
    "outcomes", [[], [outcome("bare")], [outcome("gone", error="x")]], ids=["none", "bare", "gone"]
)
def test_a_fleet_without_anything_has_a_page(tmp_path: Path, outcomes: list[Outcome]) -> None:
    shown = " ".join(Document(page(read_summary(keep(tmp_path / "fleet.db", outcomes, is_ended=False)))).texts)
    for text in ("No repository has an agent.", "Nothing leaks, is lost, or can be saved.", "This run did not end:"):
        assert text in shown


@given(st.lists(st.integers(0, 2_000_000), min_size=1, max_size=60), st.none() | st.integers(0, 2_000_000))
def test_charts_stay_within_their_frame(starts: list[int], limit: int | None) -> None:
    (found,) = distributions({"codex": [(each, "r") for each in starts]}, None if limit is None else {"codex": limit})
    drawn = chart(found)
    assert all(0 <= bar.x <= bar.x + bar.width <= 100.01 for bar in drawn.bars)
    assert all(bar.y >= 0 and bar.y + bar.height <= HEIGHT + 0.11 for bar in drawn.bars if bar.height > 1.5)
    assert len(drawn.bars) == sum(bool(each.repositories) for each in found.bins)
    assert 0 <= drawn.median <= drawn.p90 <= 100
    shown = ticks(found.bins)
    assert len(shown) >= 2
    assert [tick.x for tick in shown] == sorted({tick.x for tick in shown})
