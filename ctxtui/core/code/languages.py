"""The table of languages: which endings a grammar reads, where it comes from and which query finds its symbols."""

from __future__ import annotations

import threading
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Parser, Query

INSTALL = "its symbols as sections: install ctxtui[code] the way you installed ctxtui"
"""The hint for a user who looks for the sections of code without a grammar."""


class Language(NamedTuple):
    """A row of the table: `wheel` is the module of the grammar, `function` gives it.

    `queries` are files of ours that find symbols, `imports` those that find imports, if that is done.
    """

    name: str
    endings: tuple[str, ...]
    wheel: str
    queries: tuple[str, ...]
    function: str = "language"
    imports: tuple[str, ...] = ()


_PYTHON = ("imports_python",)
_ECMASCRIPT = ("imports_ecmascript",)
_TYPESCRIPT = ("ecmascript", "typescript")
_TYPED = ("imports_ecmascript", "imports_typescript")

LANGUAGES = (
    Language("Python", (".py", ".pyi"), "tree_sitter_python", ("python",), imports=_PYTHON),
    Language(
        "JavaScript",
        (".js", ".jsx", ".mjs", ".cjs"),
        "tree_sitter_javascript",
        ("ecmascript", "javascript"),
        imports=_ECMASCRIPT,
    ),
    Language(
        "TypeScript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", _TYPESCRIPT, "language_typescript", _TYPED
    ),
    Language("TSX", (".tsx",), "tree_sitter_typescript", _TYPESCRIPT, "language_tsx", _TYPED),
    Language("Go", (".go",), "tree_sitter_go", ("go",)),
    Language("Rust", (".rs",), "tree_sitter_rust", ("rust",)),
    Language("Java", (".java",), "tree_sitter_java", ("java",)),
    Language("C", (".c",), "tree_sitter_c", ("c",)),
    Language("C++", (".cpp", ".cc", ".cxx", ".h", ".hpp", ".hh", ".hxx"), "tree_sitter_cpp", ("cpp",)),
    Language("C#", (".cs",), "tree_sitter_c_sharp", ("c_sharp",)),
)
_BY_ENDING = {ending: language for language in LANGUAGES for ending in language.endings}
_building = threading.Lock()


def language_of(path: str) -> Language | None:
    """The language of a file by its ending; None if none of the table has it."""
    dot = path.rfind(".")
    return _BY_ENDING.get(path[dot:].lower()) if dot >= 0 else None


@cache
def is_installed(language: Language) -> bool:
    """Whether the grammar of a language can be imported."""
    return find_spec("tree_sitter") is not None and find_spec(language.wheel) is not None


def has_grammar(path: str) -> bool:
    """Whether a file is code whose symbols can be read here."""
    language = language_of(path)
    return language is not None and is_installed(language)


def lacks_grammar(path: str) -> bool:
    """Whether a file is code whose sections could be seen with the extra `code`."""
    language = language_of(path)
    return language is not None and not is_installed(language)


def parser_of(language: Language, queries: tuple[str, ...]) -> tuple[Parser, Query]:
    """A new parser of an installed language, and one query of all these files, which threads share."""
    from tree_sitter import Parser  # noqa: PLC0415 - optional, and only for code whose parts are asked for

    with _building:
        return Parser(_grammar(language)), _query(language, queries)


@cache
def _grammar(language: Language) -> Grammar:
    from tree_sitter import Language as Grammar  # noqa: PLC0415 - as above

    return Grammar(getattr(import_module(language.wheel), language.function)())


@cache
def _query(language: Language, queries: tuple[str, ...]) -> Query:
    from importlib.resources import files  # noqa: PLC0415 - as above

    from tree_sitter import Query  # noqa: PLC0415 - as above

    folder = files(__package__) / "queries"
    return Query(_grammar(language), "".join((folder / f"{name}.scm").read_text("utf-8") for name in queries))
