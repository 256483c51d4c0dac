"""The kind of a file for a task, by its path: code, tests, documents and their translations, logs, the rest."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from ctxtui.core.text.code.languages import language_of
from ctxtui.workspace.related.tests import has_naming, is_test

Kind = Literal["code", "test", "document", "translation", "log", "aside", "other"]

_LOG: Final = re.compile(
    r"(?:.*/)?(?:(?:change|release|histor|news|todo|upgrad|migrat|authors|contributors)[^/]*"
    r"|(?:\.?change[_-]?(?:log|set)s?|changes|release[_-]?notes|news(?:fragments)?)/.*)",
    re.IGNORECASE,
)
_DOCUMENT: Final = re.compile(r".*\.(?:mdx?|mdc|markdown|rst|adoc|txt|html?|ipynb|tex|po|pot|svg)", re.IGNORECASE)
_TRANSLATION: Final = re.compile(
    r"(?:.*[/._-])?(?:[a-z]{2}[-_](?:[A-Z]{2}|[A-Z][a-z]{3})|ar|cs|de|es|fr|hi|it|ja|ko|nl|pl|pt|ru|tr|uk|vi|zh)[/.].*"
)
_OTHER_CODE: Final = re.compile(r".*\.(?:pl|pm|sql|r|jl|hs|ml|clj|erl|nim)", re.IGNORECASE)
_ASIDE: Final = re.compile(
    r"(?:.*/)?(?:vendor(?:ed)?|third[_-]party|node_modules|dist|build|deps|external|generated|fixtures?|testdata"
    r"|docs?|website|www|demos?|tutorials?|snippets|examples?|samples?|playgrounds?|bench(?:marks?)?|__snapshots__)/.*|.*(?:\.min\.|\.g\.|_pb2?\.|\.pb\.|\.generated\.).*",
    re.IGNORECASE,
)


@lru_cache(100_000)
def kind_of(path: str) -> Kind:
    if is_test(path):
        return "test"
    language = language_of(path)
    if (language is not None and not language.is_data) or has_naming(path) or _OTHER_CODE.fullmatch(path):
        return "aside" if _ASIDE.fullmatch(path) else "code"
    if _LOG.fullmatch(path):
        return "log"
    if not _DOCUMENT.fullmatch(path):
        return "other"
    return "translation" if _TRANSLATION.fullmatch(path) else "document"
