"""Strategies for texts that break naive splitting, and the oracle that exact counts are held against."""

from hypothesis import strategies as st

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

_CHARACTERS = st.sampled_from(" \t\r\n\n\n//##abcZ'9-_`<>|\"漢字😀é\u0301\u2028\x0b\x0c\x1c\x85\u00a0\u200d")
nasty = st.text(_CHARACTERS, max_size=60)

_words = st.lists(
    st.sampled_from(["alpha", "beta", "don't", "42", "/x/y", "漢字", "😀", "#tag", "a_b", "a\x0cb\u2028c"]),
    min_size=1,
).map(" ".join)
_heading = st.builds(
    lambda level, name: "#" * level + " " + name + "\n",
    st.integers(1, 4),
    st.sampled_from(["A", "B", "A", "C#", "Done"]),
)
_setext = st.builds(lambda words, line: f"{words}\n{line}\n", _words, st.sampled_from(["===", "---"]))
_fence = st.builds(
    lambda mark, inner: f"{mark}py\n{inner}\n{mark}\n",
    st.sampled_from(["```", "````", "~~~"]),
    _words.map("# {}".format),
)
_task = st.builds(lambda box, words: f"- [{box}] {words}\n", st.sampled_from(" xX"), _words)
_comment = _words.map("<!-- {} -->\n".format)
_dated = st.builds(lambda day: f"## 2026-01-{day:02}\n", st.integers(1, 28))
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
