"""Business context for a message (entries specification 6)."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterator
from math import log
from textwrap import indent

from ctxtui.core.base.errors import invalid
from ctxtui.core.tokens.arguments import a_number, a_text, with_methods
from ctxtui.entries.types import ContextEntry, ContextProvider, ContextQuery, ReferenceCode

_TOKEN = re.compile(r"\w+(?:[-.]\w+)*")
_WORD = re.compile(r"[^\W_]+")
# Scripts without spaces between words: two characters count as a word.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_MESSAGE = 20_000
_MOST_TERMS = 12
_STOP = frozenset(
    "about after again all also and any are because been before being both but can could did does doing for from had"
    " has have having hello help her here him his how into its just know let like make many may might more most much"
    " must need new not now off one only other our out over please same she should since some such tell than thank"
    " thanks that the their them then there these they this those too under until use very want was way were what"
    " when where which while who whom why will with would yes yet you your".split()
)


async def business_context(provider: ContextProvider | None, message: str, limit: int = 5) -> str | None:
    """Find the entries for a message, as `[Category] content` lines, or None without a provider or a match.

    The words of the message match content and tags, its reference codes match threads. Entries with more and rarer
    matches come first, at most `limit`. Further lines of an entry are indented. Raises ContextError (invalid_request)
    for a negative limit, TypeError for values of the wrong type, and the provider's exceptions.
    """
    a_text(message, "message")
    a_number(limit, "limit", least=None)
    if limit < 0:
        raise invalid(f"the limit {limit} is negative", hint="give 0 or more")
    if provider is None:
        return None
    with_methods(provider, ("query", "store"), "provider", "a ContextProvider or None")
    best = (await _ranked(provider, message[:_MESSAGE]))[:limit]
    return "\n".join(map(_line, best)) or None


async def _ranked(provider: ContextProvider, message: str) -> list[ContextEntry]:
    """Every entry that matches part of the message, best first, then newest, then by id."""
    entries: dict[str, ContextEntry] = {}
    ids_by_term: dict[str, set[str]] = defaultdict(set)
    queries = dict(_queries(message))
    for term, found in zip(queries, await asyncio.gather(*map(provider.query, queries.values())), strict=True):
        for entry in found:
            entries[entry.entry_id] = entry
            tags = [tag.casefold() for tag in entry.tags if tag in (queries[term].tags or ())]
            for word in tags or (term,):
                ids_by_term[word].add(entry.entry_id)
    scores = dict.fromkeys(entries, 0.0)
    for term, ids in ids_by_term.items():
        # A thread that the message names outweighs all its words.
        weight = len(ids_by_term) if term in queries and queries[term].reference_code else 1
        for id_ in ids:
            scores[id_] += weight * log(1 + len(entries) / len(ids))
    ranked = sorted(entries.values(), key=lambda entry: entry.entry_id)
    ranked.sort(key=lambda entry: (scores[entry.entry_id], entry.created_at), reverse=True)
    return ranked


def _queries(message: str) -> Iterator[tuple[str, ContextQuery]]:
    """The queries of a message: one for all tags, under "", one for each reference code, one for each term."""
    tokens = list(dict.fromkeys(_TOKEN.findall(message)))
    if not tokens:
        return
    yield "", ContextQuery(tags=tuple(dict.fromkeys([*tokens, *(token.lower() for token in tokens)])))
    for token in tokens:
        try:
            yield token, ContextQuery(reference_code=ReferenceCode(token))
        except ValueError:
            continue
    for term in _terms(message):
        yield term, ContextQuery(keywords=term)


def _terms(message: str) -> list[str]:
    """The search words of a message, in lower case and singular, limited to the longest."""
    found: dict[str, None] = {}
    for match in _WORD.finditer(message):
        runs = _UNSPACED.findall(match[0])
        pairs = [run[start : start + 2] for run in runs for start in range(max(1, len(run) - 1))]
        found |= dict.fromkeys(pairs or ([_singular(match[0])] if _is_keyword(match[0]) else []))
    return sorted(found, key=len, reverse=True)[:_MOST_TERMS]


def _is_keyword(word: str) -> bool:
    """Whether a word is a keyword. A short word must look like `EU` or `Q3`."""
    if len(word) < 3:
        return len(word) == 2 and (word.isupper() or not word.isalpha()) and not word.isdigit()
    return word.casefold() not in _STOP


def _singular(word: str) -> str:
    folded = word.casefold()
    return folded[:-1] if len(folded) > 3 and folded.endswith("s") and not folded.endswith("ss") else folded


def _line(entry: ContextEntry) -> str:
    return indent(f"[{entry.category.value}] {entry.content.strip()}", "  ")[2:]
