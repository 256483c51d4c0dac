"""A cache of text facts, across processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ctxtui.audit.ignored import find_comments
from ctxtui.audit.text.facts import Facts, read_facts
from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.count_files import Text, TextTask
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.light import targets
from ctxtui.core.text.secrets import Secret, find_secrets, redacted
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.counts import Counts

_KIND: Final = "facts"


def learn_facts(text: Text, _counts: Counts, _counter: TokenCounter, cache: Cache, _root: Root) -> None:
    """Precompute the facts of a text."""
    if known_facts(text.digest, cache) is None:
        facts_of(Document(*text), cache)


def facts_of(document: Document, cache: Cache) -> Facts:
    """The facts of a document. Cached unless they contain part of a secret."""
    text = document.text
    secrets = find_secrets(text, cache)
    facts = read_facts(text, secrets, document.digest)
    if not secrets or _is_harmless(text, secrets, facts):
        cache.keep(_KIND, document.digest, facts)
    return facts


def _is_harmless(text: str, secrets: Sequence[Secret], facts: Facts) -> bool:
    """Whether facts are the same for the text without its secrets."""
    clean = redacted(text, secrets, 0, len(text))[0]
    comments = [(each.rules, each.reason) for each in facts.comments]
    return facts.targets == tuple(targets(clean)) and comments == [
        (each.rules, each.reason) for each in find_comments(clean)
    ]


def known_facts(digest: bytes, cache: Cache) -> Facts | None:
    """The cached facts of a content, if any."""
    known: Facts | None = cache.find(_KIND, digest)
    return known


AUDIT_TASKS: Final[tuple[TextTask, ...]] = (learn_facts,)
