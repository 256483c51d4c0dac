"""Facts about one version of a file for all text rules, collected in one pass and cached."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import source_hash
from itertools import compress
from typing import Final

from ctxtui.agents.project.frontmatter import find_block
from ctxtui.audit.dismissed import Comment, find_comments
from ctxtui.audit.text.dense import Blob, find_blobs
from ctxtui.audit.text.invisible import Hidden, find_hidden, has_hidden
from ctxtui.audit.text.leaks import Leak, find_leaks
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.light import Span, body_start, comments, prose, samples, targets
from ctxtui.core.text.secrets import Secret, find_secrets, redacted

_KIND: Final = "facts"


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Facts about one version of a file.

    `digest` is the hash of its bytes, `size` its length in characters, `body` the offset of the character after the
    frontmatter. `targets` are possible link targets as written. `lines` are hashes of the body's lines that are not
    blank, equal in every process. `numbers` are the numbers of these lines, from 1, `sizes` their characters.
    `comments` are ignore comments.
    """

    digest: bytes
    size: int
    body: int
    leaks: tuple[Leak, ...]
    hidden: tuple[Hidden, ...]
    blobs: tuple[Blob, ...]
    targets: tuple[str, ...]
    lines: array[int]
    numbers: array[int]
    sizes: array[int]
    comments: tuple[Comment, ...] = ()


def read_facts(text: str, secrets: Sequence[Secret] = (), digest: bytes = b"") -> Facts:
    """The facts of a text with these secrets, without parsing it."""
    split = split_lines(text)
    block = find_block(text)
    first = len(split_lines(text[: block.body])) - 1 if block else 0
    stripped = list(map(str.strip, split[first:]))
    body = list(filter(None, stripped))
    # One join for all lines, because there are thousands.
    data = "\n".join(body).encode("utf-8", "surrogatepass")
    return Facts(
        digest,
        len(text),
        block.body if block else 0,
        find_leaks(text, secrets),
        find_hidden(split) if has_hidden(text) else (),
        find_blobs(split),
        tuple(targets(text)),
        array("q", b"".join(map(source_hash, data.split(b"\n")))) if body else array("q"),
        array("I", compress(range(first + 1, len(split) + 1), stripped)),
        array("I", map(len, body)),
        find_comments(text),
    )


def facts_of(document: Document, cache: Cache) -> Facts:
    """The facts of a document, computed anew, and kept in the cache unless they contain part of a secret."""
    text = document.text
    secrets = find_secrets(text, cache)
    facts = read_facts(text, secrets, document.digest)
    if not secrets or _is_harmless(text, secrets, facts):
        cache.keep_fact(_KIND, document.digest, facts)
    return facts


def _is_harmless(text: str, secrets: Sequence[Secret], facts: Facts) -> bool:
    """Whether no link target and no comment in facts contains part of a secret."""
    clean = redacted(text, secrets, 0, len(text))[0]
    kept, found = ([(each.rules, each.reason) for each in some] for some in (facts.comments, find_comments(clean)))
    return facts.targets == tuple(targets(clean)) and kept == found


def known_facts(digest: bytes, cache: Cache) -> Facts | None:
    """The cached facts of a content, if any."""
    known: Facts | None = cache.known_fact(_KIND, digest)
    return known


def split_lines(text: str) -> list[str]:
    """The lines of a text without line ends. After a last line end, there is an empty line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


_INNER = re.compile(r"[^\n]+")
_STOP = re.compile(r"(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)(?<!\bz\.B)[.!?](?=[\s*_\"')])")
LONGEST: Final = 300
"""The most characters of a sentence on either side of a place."""


def sentence_around(line: str, start: int, end: int) -> str:
    """The rest of the sentence before `start` and from `end` on, at most 300 characters on each side."""
    lead = _STOP.split(line[max(0, start - LONGEST) : start])[-1]
    return f"{lead} {_STOP.split(line[end : end + LONGEST])[0]}"


def outside_code(text: str) -> str:
    """The text without frontmatter, fences, samples and comments, with a line feed for each end of a line."""
    return outside_fences(without_samples(text))


def outside_fences(text: str) -> str:
    """The text without fences, with all line feeds."""
    ends = [each for span in prose(text) for each in span]
    return _without(text, map(Span, [0, *ends[1::2]], [*ends[::2], len(text)]))


def without_samples(text: str) -> str:
    """The text without frontmatter, samples and comments, with a line feed for each end of a line."""
    # What goes between a carriage return and a line feed would make one end of two.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    start = body_start(text)
    text = _without(text, [Span(0, start), *(span for span in samples(text) if span.start >= start)])
    return _without(text, comments(text))


def _without(text: str, spans: Iterable[Span]) -> str:
    """The text with nothing but line ends within these spans, which are in order."""
    parts, end = [], 0
    for span in spans:
        parts += [text[end : span.start], _INNER.sub("", text[span.start : span.end])]
        end = span.end
    return "".join([*parts, text[end:]])
