"""Strategies for texts that break naive splitting, the oracle that exact counts are held against, and refusals."""

from contextlib import AbstractContextManager
from typing import Any

import pytest
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError
from tests.plain import plain_count

ENTRY = """---
entryId: abc-123
category: CustomerNote
tags: [smith-project, pricing]
referenceCode: CTX-2026-0226-001
createdAt: 2026-02-26T10:00:00Z
---
Customer prefers monthly billing. Discussed in Feb meeting.
"""
"""A business entry as specification 001 writes it."""

ENCODINGS = ("o200k_base", "cl100k_base")

_numbers = st.integers(-(10**18) + 1, 10**18 - 1) | st.floats(allow_nan=False, allow_infinity=False)


def refused(category: str = "invalid_request", match: str | None = None) -> AbstractContextManager[Any]:
    """Expects an error of this category, an `ExceptionInfo` as with `pytest.raises`."""
    return pytest.raises(ContextError, match=match, check=lambda error: error.category == category)


def plain_data(texts: st.SearchStrategy[str], max_leaves: int = 6) -> st.SearchStrategy[Any]:
    """Data that YAML can hold, with such texts."""
    return st.recursive(
        st.none() | st.booleans() | _numbers | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=max_leaves,
    )


_CHARACTERS = st.sampled_from(" \t\r\n\n\n//##abcZ'9-_`<>|\"漢字😀é\u0301\u2028\x0b\x0c\x1c\x85\u00a0\u200d")
nasty = st.text(_CHARACTERS, max_size=60)

_word = st.sampled_from([*"alpha beta don't 42 /x/y 漢字 😀 #tag a_b".split(), "a\x0cb\u2028c"])
_words = st.lists(_word, min_size=1).map(" ".join)
_heading = st.builds("{} {}\n".format, st.integers(1, 4).map("#".__mul__), st.sampled_from("A B A C# Done".split()))
_setext = st.builds("{}\n{}\n".format, _words, st.sampled_from(["===", "---"]))
_fence = st.builds("{0}py\n# {1}\n{0}\n".format, st.sampled_from(["```", "````", "~~~"]), _words)
_task = st.builds("- [{}] {}\n".format, st.sampled_from(" xX"), _words)
_comment = _words.map("<!-- {} -->\n".format)
_dated = st.integers(1, 28).map("## 2026-01-{:02}\n".format)
_table = st.just("| a | b |\n|---|---|\n| 1 | 2 |\n")
_paragraph = _words.map("{}\n".format)
_blank = st.sampled_from(["\n", "\n\n", "  \n"])

_block = st.one_of(_heading, _heading, _dated, _setext, _fence, _task, _comment, _table, _paragraph, _blank)
markdown = st.lists(_block, max_size=14).map("".join)
"""Well-formed Markdown: every fence is closed."""

_ends = st.sampled_from(["\n", "\n", "\r\n", "\r"])
any_markdown = st.one_of(
    st.builds(lambda text, end: text.replace("\n", end), markdown, _ends),
    st.builds(lambda start, text, end: start + text + end, nasty, markdown, nasty),
    nasty,
)
"""Markdown with any line ends and any start and end."""

true_count = plain_count
"""How many tokens tiktoken itself makes of the whole text."""
