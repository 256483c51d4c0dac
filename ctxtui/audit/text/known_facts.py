"""Facts of texts that were read before, by this process or another."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import Any, Final

from ctxtui.audit.ignored import Comment, find_comments
from ctxtui.audit.text.dense import Blob
from ctxtui.audit.text.facts import Facts, read_facts
from ctxtui.audit.text.invisible import Hidden
from ctxtui.audit.text.leaks import Leak
from ctxtui.audit.text.links import learn_links
from ctxtui.core.cache import Cache
from ctxtui.core.files.count_files import Text
from ctxtui.core.files.root import Root
from ctxtui.core.markdown.document import Document
from ctxtui.core.markdown.light import targets
from ctxtui.core.secrets import Secret, find_secrets, redacted
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.counts import Counts

_KIND: Final = "facts"
_LENGTH: Final = 4
_COLUMNS: Final = "qII"


def learn_facts(text: Text, counts: Counts, counter: TokenCounter, passes: Cache, root: Root) -> None:
    """Learn the facts of a text, and its links if one seems to lead nowhere, for who asks for them later."""
    facts = known_facts(text.digest, passes) or facts_of(Document(*text), passes)
    learn_links(text, counts, counter, passes, root, facts.targets)


def facts_of(document: Document, passes: Cache) -> Facts:
    """The facts of a document, kept for the next time if they hold no part of a secret."""
    text = document.text
    secrets = find_secrets(text, passes)
    facts = read_facts(text, secrets, document.digest)
    if not secrets or _is_harmless(text, secrets, facts):
        passes.keep(_KIND, document.digest, _packed(facts))
    return facts


def _is_harmless(text: str, secrets: Sequence[Secret], facts: Facts) -> bool:
    """Whether the words of facts are the same without the secrets."""
    clean = redacted(text, secrets, 0, len(text))[0]
    comments = [(each.rules, each.reason) for each in facts.comments]
    return facts.targets == tuple(targets(clean)) and comments == [
        (each.rules, each.reason) for each in find_comments(clean)
    ]


def _packed(facts: Facts) -> bytes:
    head = json.dumps(
        {
            "numbers": (facts.size, facts.body),
            "leaks": [(each.kind, each.line, each.sure) for each in facts.leaks],
            "hidden": [(each.kind, each.line, each.count, each.codes) for each in facts.hidden],
            "blobs": [(each.first, each.last, each.kind) for each in facts.blobs],
            "targets": facts.targets,
            "comments": facts.comments,
        },
        separators=(",", ":"),
    ).encode()
    return (
        len(head).to_bytes(_LENGTH)
        + head
        + b"".join(column.tobytes() for column in (facts.lines, facts.numbers, facts.sizes))
    )


def known_facts(digest: bytes, passes: Cache) -> Facts | None:
    """The facts of a content; None if they are not known."""
    kept = passes.find(_KIND, digest)
    return _unpacked(kept, digest) if kept else None


def _unpacked(data: bytes, digest: bytes) -> Facts:
    start = _LENGTH + int.from_bytes(data[:_LENGTH])
    head = json.loads(data[_LENGTH:start])
    columns = [array(code) for code in _COLUMNS]
    count = (len(data) - start) // sum(column.itemsize for column in columns)
    for column in columns:
        end = start + count * column.itemsize
        column.frombytes(data[start:end])
        start = end
    size, body = head["numbers"]
    lines, numbers, sizes = columns
    return Facts(
        digest,
        size,
        body,
        tuple(Leak(*each) for each in head["leaks"]),
        tuple(Hidden(kind, line, count, tuple(codes)) for kind, line, count, codes in head["hidden"]),
        tuple(Blob(*each) for each in head["blobs"]),
        tuple(head["targets"]),
        lines,
        numbers,
        sizes,
        tuple(_comment(*each) for each in head["comments"]),
    )


def _comment(line: int, rules: list[str], reason: str, lines: Any) -> Comment:
    return Comment(line, tuple(rules), reason, tuple(lines) if lines else None)
