"""Plain English: one thought a sentence, so few semicolons in what people read."""

import re

from tests.conftest import REPOSITORY

_GENERATED = re.compile(r"<!-- begin (\w+) -->.*?<!-- end \1 -->|```.*?```|`[^`]*`", re.DOTALL)
_MOST = 14.0


def test_pages_have_few_semicolons() -> None:
    pages = [page for folder in (".", "ctxtui/docs") for page in (REPOSITORY / folder).glob("*.md")]
    text = _GENERATED.sub("", "\n".join(page.read_text("utf-8") for page in pages))
    words = len(text.split())
    assert words > 10_000
    assert 1000 * text.count(";") / words < _MOST
