"""Results in which every name, path, reason and text tries to get out of the page, or to steer who reads it."""

from __future__ import annotations

from ctxtui.fleet.types import AgentStart, ContextFile, Fault, Member, Outcome, TextBlock
from tests.tui.hostile import BIDI, ESCAPES

ATTACKS = (
    "</script><img src=x onerror=alert(1)>",
    "</style><svg onload=alert(2)>",
    "\"'><iframe src=https://example.org></iframe>",
    "<!--<script>alert(3)</script>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(4)",
    "<a href=https://example.org>click</a>",
    "]]>&lt;b&gt;&amp;",
    "__proto__",
    "x" * 5_000,
    "".join(BIDI),
    "".join(ESCAPES),
    "\u2028\u2029\x00\x85\r\ntwo lines",
    "אבג עברית العربية",
)


KINDS = ("", "copy ", "third ", "failed ")


def hostile_outcomes() -> list[Outcome]:
    """For each attack repositories with it in every text, and one that was not audited because of it."""
    return [each for number, text in enumerate(ATTACKS) for each in _attacks(number, text)]


def _attacks(number: int, text: str) -> list[Outcome]:
    faults = tuple(
        Fault(rule, severity, text, f"docs/{text}.md", 3, 10 + number, f"{rule}|{text}")  # type: ignore[arg-type]
        for rule, severity in (("secret", "error"), ("paid-twice", "warning"), (f"rule {text}", "info"))
    )
    agents = (AgentStart(f"agent {text}", 500 + number), AgentStart("codex", 100 + number))
    place = f"https://example.org/{text}"
    block = TextBlock(f"{number}".encode(), 1, 200, text)
    file = ContextFile(f"{text}.md", text, f"{number}".encode(), 200, 200, (block,))
    return [
        Outcome(Member(f"{number}/{text}", place), "", text, 2, 900, 3_600, 0.1, agents, faults, (file,)),
        Outcome(Member(f"copy {number}/{text}", place), "", text, 2, 900, 3_600, 0.1, agents, (), (file,)),
        Outcome(Member(f"third {number}/{text}", place), "", text, 2, 900, 3_600, 0.1, agents, (), (file,)),
        Outcome(Member(f"failed {number}/{text}", place), f"cannot read {text}"),
    ]
