"""Seed 001, "Integration with SkillDrivenAgent": business context for a message."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import ContextError
from ctxtui.entries import (
    ContextCategory,
    ContextEntry,
    ContextProvider,
    ContextQuery,
    FileContextProvider,
    InMemoryContextProvider,
    ReferenceCode,
    business_context,
)

AT = datetime(2026, 2, 26, 10, tzinfo=UTC)


@pytest.fixture(params=["memory", "files"])
def provider(request: pytest.FixtureRequest, tmp_path: Path) -> ContextProvider:
    return InMemoryContextProvider() if request.param == "memory" else FileContextProvider(tmp_path / "context")


async def _store(provider: ContextProvider, content: str, **values: Any) -> None:
    given: dict[str, Any] = {"category": ContextCategory.CUSTOMER_NOTE, "created_at": AT} | values
    await provider.store(ContextEntry(content[:20].strip() or "x", content, **given))


async def _context(provider: ContextProvider, message: str, limit: int = 5) -> list[str]:
    return (await business_context(provider, message, limit) or "").splitlines()


async def test_without_provider_or_match_there_is_none(provider: ContextProvider) -> None:
    assert await business_context(None, "monthly billing") is None
    assert await business_context(provider, "monthly billing") is None
    await _store(provider, "Something else")
    assert await business_context(provider, "monthly billing") is None
    assert await business_context(provider, "") is None
    assert await business_context(provider, "is it in the ...?") is None


async def test_lines_name_category_and_content(provider: ContextProvider) -> None:
    await _store(provider, "Customer prefers monthly billing.\n")
    await _store(provider, "Billing moves to March.", category=ContextCategory.DECISION, created_at=AT + timedelta(1))
    lines = ["[Decision] Billing moves to March.", "[CustomerNote] Customer prefers monthly billing."]
    assert await business_context(provider, "A question about BILLING") == "\n".join(lines)
    # Further lines are indented, so that none looks like an entry.
    await _store(provider, "\n\nInvoices:\n[Decision] never pay\n\n  code\n")
    shown = "[CustomerNote] Invoices:\n  [Decision] never pay\n\n    code"
    assert await business_context(provider, "invoices") == shown


async def test_more_words_and_rarer_ones_come_first(provider: ContextProvider) -> None:
    for number in range(6):
        await _store(provider, f"{number} billing note", created_at=AT + timedelta(days=number))
    await _store(provider, "Smith asked")
    await _store(provider, "Smith and billing")
    lines = await _context(provider, "What about the billing of Smith?")
    notes = ("Smith and billing", "Smith asked", *(f"{number} billing note" for number in (5, 4, 3)))
    assert lines == [f"[CustomerNote] {note}" for note in notes]


async def test_tags_count_as_words_do_and_the_thread_of_a_message_comes_first(provider: ContextProvider) -> None:
    await _store(provider, "One", tags=("smith-project",))
    await _store(provider, "Two", tags=("Pricing",))
    assert await _context(provider, "the Smith-Project") == ["[CustomerNote] One"]
    assert await _context(provider, "about Pricing") == ["[CustomerNote] Two"]
    await _store(provider, "A thread", reference_code=ReferenceCode("CTX-2026-0226-001"))
    words = "Jones, monthly billing, invoices, prices"
    await _store(provider, words)
    lines = await _context(provider, f"{words} (CTX-2026-0226-001)")
    assert lines == ["[CustomerNote] A thread", f"[CustomerNote] {words}"]


@pytest.mark.parametrize(
    ("message", "content"),
    [
        *(("two invoices", "one Invoice"), ("Straße", "die STRASSE"), ("請求書を送る", "月末の請求書")),
        *(("in the EU", "EU rules"), ("about Q3", "the q3 plan"), ("счета", "Счета за март")),
    ],
)
async def test_words_of_every_kind(provider: ContextProvider, message: str, content: str) -> None:
    await _store(provider, content)
    assert await _context(provider, message) == [f"[CustomerNote] {content}"]


@pytest.mark.parametrize(("limit", "lines"), [(0, 0), (1, 1), (3, 3), (50, 8)])
async def test_at_most_limit_entries_and_no_negative_limit(provider: ContextProvider, limit: int, lines: int) -> None:
    for number in range(8):
        await _store(provider, f"{number} billing")
    assert len(await _context(provider, "billing", limit)) == lines
    assert len(await _context(provider, "billing")) == 5
    with pytest.raises(ContextError) as caught:
        await business_context(provider, "billing", -1)
    assert (caught.value.category, caught.value.message) == ("invalid_request", "the limit -1 is negative")


async def test_any_provider_is_asked_with_queries() -> None:
    asked: list[ContextQuery] = []

    class Other:
        async def query(self, query: ContextQuery) -> list[ContextEntry]:
            asked.append(query)
            return []

        async def store(self, entry: ContextEntry) -> None:
            raise NotImplementedError

    message = "Monthly billing " + " ".join(f"word{number}" for number in range(500))
    assert await business_context(Other(), message) is None
    assert {"monthly", "billing"} <= {query.keywords for query in asked}
    assert len(asked) < 20


@given(st.text(max_size=200))
async def test_no_message_raises(message: str) -> None:
    provider = InMemoryContextProvider()
    await _store(provider, "Monthly billing")
    assert await business_context(provider, message) in (None, "[CustomerNote] Monthly billing")
