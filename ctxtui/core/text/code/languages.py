"""The table of languages: file endings, grammar packages, and queries that find symbols."""

from __future__ import annotations

import threading
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.core.base.plain import plain_line

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Parser, Query


class Language(NamedTuple):
    """A row of the table. `function` in the grammar's module returns the grammar.

    `symbols` are query files for symbols, by default the one with the grammar's name, `imports` query files for
    imports, if supported. Patterns are regular expressions: `docstring` finds the quotes of a docstring inside a
    body, `top` all that precedes that of the file.
    """

    name: str
    endings: tuple[str, ...]
    grammar: str
    symbols: tuple[str, ...] = ()
    function: str = "language"
    imports: tuple[str, ...] = ()
    is_indented: bool = False
    """Whether a block ends with its indentation instead of a bracket."""
    single_quotes: str = r"'(?:[^'\\\n]|\\[^\n][^'\n]{0,8})'"
    """A text in single quotes: one character, unless the language says otherwise."""
    docstring: str = ""
    top: str = ""
    doc_of_file: str = ""
    """The sign of a line comment that documents the file or block around it."""
    about_file: tuple[str, ...] = ("#!",)
    """The signs of comments about the file, which do not belong to the next symbol."""
    has_macros: bool = False
    has_branches: bool = False
    """Whether `#if` can split a statement."""
    ends_with_word: bool = False
    """Whether a block ends with `end`."""
    is_balanced: bool = True
    """Whether an outline shows both brackets of a pair or neither."""
    definers: tuple[str, ...] = ()
    """The functions whose calls define symbols, if definitions are calls."""
    is_embedded: bool = False
    """Whether the code is in the `<script>` elements of a file."""
    is_data: bool = False
    is_extra: bool = False
    """Whether the grammar comes with the extra `languages`."""

    @property
    def wheel(self) -> str:
        """The module of the grammar."""
        return f"tree_sitter_{self.grammar}"

    @property
    def queries(self) -> tuple[str, ...]:
        return self.symbols or (self.grammar,)


_STRING = r"'(?:[^'\\\n]|\\.)*+'"
_QUOTES = r"\"\"\"|'''|\"|'"
_CPP = (".cpp", ".cc", ".cxx", ".h", ".hpp", ".hh", ".hxx")
_TYPESCRIPT = Language(
    "TypeScript",
    (".ts", ".mts", ".cts"),
    "typescript",
    ("ecmascript", "typescript"),
    "language_typescript",
    ("imports_ecmascript", "imports_typescript"),
    single_quotes=_STRING,
)

LANGUAGES = (
    Language(
        "Python",
        (".py", ".pyi"),
        "python",
        imports=("imports_python",),
        is_indented=True,
        docstring=rf"\s*[rRbBuU]{{0,2}}(?P<quotes>{_QUOTES})",
        top=rf"(?:[ \t]*(?:#[^\n]*)?\r?\n|\ufeff)*(?=[rRbBuU]{{0,2}}(?:{_QUOTES}))",
    ),
    Language(
        "JavaScript",
        (".js", ".jsx", ".mjs", ".cjs"),
        "javascript",
        ("ecmascript", "javascript"),
        imports=("imports_ecmascript",),
        single_quotes=_STRING,
    ),
    _TYPESCRIPT,
    _TYPESCRIPT._replace(name="TSX", endings=(".tsx",), function="language_tsx"),
    Language("Go", (".go",), "go"),
    Language("Rust", (".rs",), "rust", top=r"\s*(?=//!)", doc_of_file="//!", about_file=("#!", "//!", "/*!")),
    Language("Java", (".java",), "java"),
    Language("C", (".c",), "c", has_macros=True, has_branches=True),
    Language("C++", _CPP, "cpp", has_macros=True, has_branches=True),
    Language("C#", (".cs",), "c_sharp", has_branches=True),
    _TYPESCRIPT._replace(name="Vue", endings=(".vue", ".svelte"), is_embedded=True),
    Language(
        "Ruby",
        (".rb", ".rake"),
        "ruby",
        ends_with_word=True,
        is_balanced=False,
        is_extra=True,
        about_file=("#!", "# frozen_string_literal", "# typed:"),
    ),
    Language("PHP", (".php",), "php", function="language_php", single_quotes=_STRING, is_extra=True),
    Language("Kotlin", (".kt", ".kts"), "kotlin", is_extra=True),
    Language("Swift", (".swift",), "swift", is_extra=True),
    Language("Bash", (".sh", ".bash"), "bash", is_balanced=False, is_extra=True),
    Language("Lua", (".lua",), "lua", ends_with_word=True, is_balanced=False, is_extra=True),
    Language("Scala", (".scala", ".sc"), "scala", is_extra=True),
    Language(
        "Elixir",
        (".ex", ".exs"),
        "elixir",
        ends_with_word=True,
        is_balanced=False,
        is_extra=True,
        definers=(
            *("defmodule", "defprotocol", "defimpl", "describe", "test"),
            *("def", "defp", "defmacro", "defmacrop", "defguard", "defguardp", "defdelegate"),
        ),
    ),
    Language("Dart", (".dart",), "dart", single_quotes=_STRING, is_extra=True),
    Language("Zig", (".zig",), "zig", top=r"\s*(?=//!)", doc_of_file="//!", about_file=("//!",), is_extra=True),
    Language("YAML", (".yaml", ".yml"), "yaml", is_indented=True, is_balanced=False, is_data=True, is_extra=True),
    Language("TOML", (".toml",), "toml", is_balanced=False, is_data=True, is_extra=True),
    Language("JSON", (".json", ".jsonc"), "json", is_data=True, is_extra=True),
)
_BY_ENDING = {ending: language for language in LANGUAGES for ending in language.endings}
_building = threading.Lock()
_broken: set[Language] = set()


def language_of(path: str) -> Language | None:
    """The language of a file by its ending, None if the table lacks it."""
    dot = path.rfind(".")
    return _BY_ENDING.get(path[dot:].lower()) if dot >= 0 else None


def is_data(path: str) -> bool:
    """Whether a file is data that a grammar divides into sections, such as YAML or JSON, by its ending."""
    language = language_of(path)
    return language is not None and language.is_data


@cache
def has_packages(language: Language) -> bool:
    """Whether tree-sitter and the grammar are on the module path."""
    return find_spec("tree_sitter") is not None and find_spec(language.wheel) is not None


def is_installed(language: Language) -> bool:
    """Whether the grammar is installed, and did not fail to load in this process. Does not load it."""
    return has_packages(language) and language not in _broken


def is_loadable(language: Language) -> bool:
    """Whether the grammar loads, which takes a moment the first time."""
    if not is_installed(language):
        return False
    try:
        with _building:
            _grammar(language)
    except (ImportError, OSError, AttributeError, TypeError, ValueError):
        # A wheel of another platform, or for another version of tree-sitter.
        _broken.add(language)
    return language not in _broken


def has_grammar(path: str) -> bool:
    """Whether a file is code or data with an installed grammar, by its ending."""
    language = language_of(path)
    return language is not None and is_installed(language)


def why_no_symbols(path: str) -> str:
    """Why the symbols of a file cannot be read, judged without loading a grammar. Empty if they can."""
    language = language_of(path)
    if language is not None and is_installed(language):
        return ""
    name = path.rpartition("/")[2]
    files = plain_line(f"{name[name.rfind('.') :]} files" if "." in name[1:] else f"files like {name}")
    if language is None:
        return f"no symbols for {files}"
    if language.is_extra and not has_packages(language):
        return f"no symbols for {files}: install ctxtui[languages] the way you installed ctxtui"
    package = language.wheel.replace("_", "-")
    return f"no symbols for {files}: {package} cannot be loaded here; install it and tree-sitter again"


def parser_of(language: Language) -> Parser:
    from tree_sitter import Parser  # noqa: PLC0415 - only for code whose parts are asked for

    with _building:
        return Parser(_grammar(language))


def query_of(language: Language, queries: tuple[str, ...]) -> Query:
    """The compiled query of some query files for an installed language. Threads share it."""
    # The lock is around the cache: threads that miss it at once would all compile.
    with _building:
        return _query(language, queries)


@cache
def _query(language: Language, queries: tuple[str, ...]) -> Query:
    from importlib.resources import files  # noqa: PLC0415 - as above

    from tree_sitter import Query  # noqa: PLC0415 - as above

    folder = files(__package__) / "queries"
    return Query(_grammar(language), "".join((folder / f"{name}.scm").read_text("utf-8") for name in queries))


@cache
def _grammar(language: Language) -> Grammar:
    from tree_sitter import Language as Grammar  # noqa: PLC0415 - as above

    return Grammar(getattr(import_module(language.wheel), language.function)())
