"""Drafts made of texts, for tests of assembly without a project."""

from ctxtui.core.payload.formats import Label
from ctxtui.core.payload.types import Draft
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import span

O200K = get_counter("o200k_base")


def draft(
    source: str,
    text: str,
    *,
    sections: tuple[str, ...] = (),
    priority: int = 50,
    kept: bool = False,
    counter: TokenCounter = O200K,
) -> Draft:
    """A draft of a whole text, Markdown where its name says so."""
    label = Label(source, sections, source.endswith(".md"))
    return Draft(source, label, priority, kept, span(counter, text), lambda: text)
