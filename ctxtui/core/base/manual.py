"""The manual: Markdown pages shipped with the package, for people, the app and agents."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from ctxtui.core.base.errors import NotFound
from ctxtui.core.base.wording import nearest

# In reading order.
TOPICS: Final = tuple(
    "keys commands rules ci fleet start-costs transcripts recipes templates configuration catalogs-and-entries code"
    " finding retrieval-and-mcp exactness python-api specifications glossary architecture benchmarks".split()
)


def page(topic: str) -> str:
    """The Markdown of a page by its topic, or an unambiguous part of it. Raises NotFound with the closest topics."""
    meant = [name for name in TOPICS if topic == name] or [name for name in TOPICS if topic and topic in name]
    if len(meant) != 1:
        likely = meant or nearest(topic, TOPICS)
        hint = f"did you mean {' or '.join(likely)}?" if likely else f"topics: {', '.join(TOPICS)}"
        raise NotFound(f"the manual has no page {topic!r}", hint=hint)
    return (files("ctxtui") / "docs" / f"{meant[0]}.md").read_text(encoding="utf-8")


def summary(topic: str) -> str:
    """The first paragraph of a page on one line. Raises NotFound like `page`."""
    return page(topic).split("\n\n", 2)[1].replace("\n", " ")
