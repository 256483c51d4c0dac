"""Reads one context file: bytes to text to structure, with the problems found."""

from __future__ import annotations

from dataclasses import dataclass

from ctxtui.core.digest import digest_of
from ctxtui.core.errors import ContextError
from ctxtui.core.files.content import Content
from ctxtui.core.files.text import decode
from ctxtui.core.markdown.document import Document
from ctxtui.core.markdown.fenced import open_end
from ctxtui.core.markdown.scan import MAX_CHARACTERS
from ctxtui.core.notices import Notice
from ctxtui.core.payload.formats import full_line
from ctxtui.core.secrets import Secrets, guarded
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.loader.parse import parse
from ctxtui.loader.priority import bare
from ctxtui.loader.types import ContextFile


@dataclass(frozen=True, slots=True, eq=False)
class LoadedFile:
    """A context file with what assembly needs: its body and the body's structure.

    `closing` is the line that closes a fence or comment left open by the file, so that it does not swallow other
    files. `body`, the text without frontmatter, ends with it; `document` has the structure of the body, or is None.
    """

    file: ContextFile
    body: str
    document: Document | None
    closing: str
    digest: bytes
    notices: tuple[Notice, ...]

    @property
    def is_empty(self) -> bool:
        """Whether only its header can be shown."""
        return not self.file.content.strip()


def load_file(
    content: Content, path: str, shown: str, counter: TokenCounter, secrets: Secrets = "keep"
) -> LoadedFile:
    """Load a file from its bytes; `path` is its full path, `shown` its name in notices.

    Raises SecretFound if `secrets` is "fail" and the file contains one.
    """
    text, damage = _decode(content.data, shown)
    # Kept secrets give no notice: the specification wants the text unchanged.
    text, hidden = (text, ()) if secrets == "keep" else guarded(text, shown, secrets)
    digest = digest_of(text.encode("utf-8", "replace") if hidden else content.data)
    document = Document(shown, text, content.stamp, digest, damage)
    closing, problems = open_end(document)
    name, tokens = bare(shown.rpartition("/")[2]), counter.count(text)
    file = ContextFile.unparsed(name, path, text, lambda: parse(document), tokens)
    is_known = not closing and len(text) <= MAX_CHARACTERS
    return LoadedFile(
        file,
        full_line(document.body) + closing if closing else document.body,
        document if is_known else None,
        closing,
        document.digest,
        (*document.notices, *problems, *hidden),
    )


def _decode(data: bytes, shown: str) -> tuple[str, Notice | None]:
    """The text of a file, always decoded as UTF-8 (loader specification 5)."""
    try:
        text, damage = decode(data, shown)
    except ContextError:
        text, damage = data.decode("utf-8", "replace"), None
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
        damage = damage or Notice("invalid-text", "NUL characters are shown and exported as \ufffd", shown)
    return text, damage
