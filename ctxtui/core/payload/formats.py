"""Export formats: turn blocks into a payload whose counts add up.

Every string of a format begins with a character that is neither white space nor a slash, and ends with a line feed.
Blocks therefore meet at safe cuts, and the count of the payload is the sum of its blocks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ctxtui.core.base.plain import plain_line
from ctxtui.core.text.secrets import find_secrets, redact

_BACKTICKS = re.compile(r"(?:^|[\r\n])[ ]{0,3}(`{3,})")


@dataclass(frozen=True, slots=True)
class Label:
    """The header of a block: the path of the source and, for part of a document, its sections.

    `only` says in words how the text was filtered. A text that is not Markdown has a `language`, by default the
    suffix of the source, or empty for none.
    """

    source: str
    sections: tuple[str, ...] = ()
    markdown: bool = True
    only: str = ""
    language: str | None = None

    def __post_init__(self) -> None:
        # Names of files and sections may contain credentials too.
        named = "\n".join(filter(None, (self.source, *self.sections, self.only)))
        if find_secrets(named):
            object.__setattr__(self, "source", redact(self.source)[0])
            object.__setattr__(self, "sections", tuple(redact(each)[0] for each in self.sections))
            object.__setattr__(self, "only", redact(self.only)[0])


Wrapping = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Format:
    """An export format as functions.

    `wrap(label, index, body)` gives the text before and after a body. `index` counts from 1. `place(index)` is equal
    for positions with equal wrapping. `escape` transforms a body, None keeps it verbatim. `prompt(text, again)` makes
    a prompt block, with `again` for its second copy, and `prompt_last` one after the documents, if it differs. Bodies
    with `closing_mark` cause a notice. The other strings enclose the documents and the payload.
    """

    name: str
    suffix: str
    wrap: Callable[[Label, int, str], Wrapping]
    prompt: Callable[[str, bool], str]
    place: Callable[[int], int]
    escape: Callable[[str], str] | None = None
    start: str = ""
    documents_open: str = ""
    documents_close: str = ""
    prompt_last: Callable[[str, bool], str] | None = None
    end: str = ""
    closing_mark: str | None = None


def full_line(text: str) -> str:
    """The text with a line feed at its end, a line feed alone for an empty text."""
    return text if text.endswith("\n") else text + "\n"


def _markdown_wrap(label: Label, _index: int, body: str) -> Wrapping:
    sections = f"; sections: {', '.join(label.sections)}" if label.sections else ""
    only = f"; {label.only}" if label.only else ""
    source = plain_line(label.source + sections + only).replace("-->", "--%3E")
    header = f"<!-- source: {source} -->\n"
    if label.markdown:
        return header, ""
    # Most code has no such run, and then nothing is searched.
    longest = max(map(len, _BACKTICKS.findall(body) if "```" in body else ()), default=2)
    fence = "`" * max(3, longest + 1)
    language = _ending(label.source) if label.language is None else label.language
    return f"{header}{fence}{language if language.isalnum() else ''}\n", f"{fence}\n"


def _ending(path: str) -> str:
    """The file suffix without the dot, empty for dotfiles."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot + 1 :] if dot > 0 else ""


def _markdown_prompt(text: str, _again: bool) -> str:
    return f"<!-- prompt -->\n{full_line(text)}"


def _xml_wrap(label: Label, index: int, _body: str) -> Wrapping:
    from html import escape  # noqa: PLC0415 - only in this format

    sections = "".join(f"<section>{escape(plain_line(name), quote=False)}</section>" for name in label.sections)
    source = escape(plain_line(label.source), quote=False)
    parts = f"<sections>{sections}</sections>\n" if sections else ""
    parts += f"<only>{escape(plain_line(label.only), quote=False)}</only>\n" if label.only else ""
    before = f'<document index="{index}">\n<source>{source}</source>\n{parts}<document_content>\n'
    return before, "</document_content>\n</document>\n"


def _xml_prompt(text: str, _again: bool) -> str:
    return f"<instructions>\n{full_line(text)}</instructions>\n"


def _json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _json_wrap(label: Label, index: int, _body: str) -> Wrapping:
    sections = f'"sections": {json.dumps(list(label.sections), ensure_ascii=False)}, ' if label.sections else ""
    sections += f'"only": {_json_text(label.only)}, ' if label.only else ""
    comma = "," if index > 1 else ""
    return f'{comma}{{"source": {_json_text(label.source)}, {sections}"content": ', "}\n"


def _json_prompt(text: str, _again: bool) -> str:
    return f'"prompt": {_json_text(text)},\n'


def _json_prompt_last(text: str, again: bool) -> str:
    return f',"{"prompt_again" if again else "prompt"}": {_json_text(text)}\n'


MARKDOWN = Format("markdown", ".md", _markdown_wrap, _markdown_prompt, place=lambda _index: 1)
XML = Format(
    "xml",
    ".xml",
    _xml_wrap,
    _xml_prompt,
    place=lambda index: index,
    documents_open="<documents>\n",
    documents_close="</documents>\n",
    closing_mark="</document_content>",
)
JSON = Format(
    "json",
    ".json",
    _json_wrap,
    _json_prompt,
    place=lambda index: min(index, 2),
    escape=_json_text,
    start="{\n",
    documents_open='"documents": [\n',
    documents_close="]\n",
    prompt_last=_json_prompt_last,
    end="}\n",
)

BARE = Format("bare", "", lambda *_: ("", ""), lambda *_: "", place=lambda _index: 1)
"""Texts without wrapping, for templates, which wrap them. Not offered to users."""

FORMATS: Mapping[str, Format] = MappingProxyType({each.name: each for each in (MARKDOWN, XML, JSON)})


def format_for(path: str) -> str | None:
    """The name of the format whose suffix a file has, None if there is none."""
    suffix = f".{_ending(path)}"
    return next((each.name for each in FORMATS.values() if each.suffix == suffix), None)
