"""What the text rules need to know about one version of a file: collected in one pass, kept between audits."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import source_hash
from itertools import compress

from ctxtui.agents.frontmatter import find_block
from ctxtui.audit.ignored import Comment, find_comments
from ctxtui.audit.text.dense import Blob, find_blobs
from ctxtui.audit.text.invisible import Hidden, find_hidden, has_hidden, may_hide
from ctxtui.audit.text.leaks import Leak, find_leaks
from ctxtui.core.text.markdown.light import targets
from ctxtui.core.text.secrets import Secret


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """One version of a file.

    `digest` is that of its bytes, `size` that of the text and `body` the offset after the frontmatter, in characters.
    `targets` are all that looks like links, as written. `lines` are the hashes, equal in every process, of the lines
    of the body that are not blank, `numbers` their numbers, from 1, and `sizes` their characters. `comments` are
    those that ignore findings.
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
    """The facts of a text in which these secrets were found, without parsing it."""
    split = split_lines(text)
    block = find_block(text)
    first = len(split_lines(text[: block.body])) - 1 if block else 0
    stripped = list(map(str.strip, split[first:]))
    body = list(filter(None, stripped))
    # As bytes all at once, as there are thousands of lines.
    data = "\n".join(body).encode("utf-8", "surrogatepass")
    is_hiding = may_hide(data) or (block is not None and has_hidden(text[: block.body]))
    return Facts(
        digest,
        len(text),
        block.body if block else 0,
        find_leaks(text, secrets),
        find_hidden(split) if is_hiding else (),
        find_blobs(split),
        tuple(targets(text)),
        array("q", b"".join(map(source_hash, data.split(b"\n")))) if body else array("q"),
        array("I", compress(range(first + 1, len(split) + 1), stripped)),
        array("I", map(len, body)),
        find_comments(text),
    )


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")
