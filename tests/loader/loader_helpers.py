"""What the loader's tests share: parsing without files, and strategies for whole projects."""

from hypothesis import strategies as st

from ctxtui.core.disk.content import Content, Stamp
from ctxtui.core.tokens.counter import HEURISTIC
from ctxtui.loader import DEFAULT_PRIORITY, Item, ParsedContent
from ctxtui.loader.read import LoadedFile, load_file


def loaded(text: str | bytes, name: str = "TASKS") -> LoadedFile:
    """A file with that content, read and parsed."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    content, path = Content(data, Stamp(0, 0, len(data))), f".context/{name}.md"
    return load_file(content, f"/p/{path}", path, HEURISTIC)


def parsed(text: str | bytes) -> ParsedContent:
    """The structure of a text."""
    return loaded(text).file.parsed


def items(text: str) -> list[Item]:
    """All items of a text."""
    return [item for section in parsed(text).sections for item in section.items]


def item(text: str) -> Item:
    """The only item of a text."""
    (only,) = items(text)
    return only


def notices(text: str | bytes) -> list[tuple[str, int | None]]:
    """The codes and lines of a text's notices."""
    return [(notice.code, notice.line) for notice in loaded(text).notices]


_WORDS = [*"alpha beta don't 42 /x/y 漢字 😀 #tag `#x:y`".split(), "**Key**: v", "**Key:** v", "<!-- c -->"]
_words = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=30).map(" ".join)
_indent = st.sampled_from(["", "  "])
_fence = st.builds(
    lambda mark, words, size: f"{mark}py\n{(words + chr(10)) * size}{mark}\n",
    st.sampled_from(["```", "````", "~~~"]),
    _words.map(lambda words: "# in a fence " + words),
    st.integers(1, 12),
)
_block = st.one_of(
    st.builds("{} {}\n".format, st.integers(1, 4).map("#".__mul__), _words),
    st.integers(1, 28).map("## 2026-01-{:02} entry\n".format),
    _fence,
    st.builds("{}- [{}] {}\n".format, _indent, st.sampled_from(" x"), _words),
    st.builds("{}- {}\n".format, _indent, _words),
    _words.map("<!-- {} -->\n".format),
    _words.map("{}\n".format),
    st.sampled_from(["\n", "\n", "---\n", "| a | b |\n|---|---|\n| 1 | 2 |\n\n"]),
)
markdown = st.lists(_block, max_size=25).map("".join).filter(lambda text: not text.startswith("---"))
"""Markdown whose fences are closed and not nested, without frontmatter."""

names = st.sampled_from([*DEFAULT_PRIORITY, "NOTES", "api-guide", "ZETA"])
projects = st.dictionaries(names.map(".context/{}.md".format), markdown, max_size=8)
"""The files of a random context directory."""
