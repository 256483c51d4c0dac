"""Indicators: the patterns in the code spans of a catalog's detection table, each with its strength as evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ctxtui.catalog.tables import CodeSpan, code_spans

_LONGEST = 2_000
# The weights of indicators as evidence. A label needs the weight STRONG in sum.
WEAK, SOME, STRONG, SURE = 0.25, 1.0, 2.0, 3.0

_IMPORT_LIST = re.compile(r"import\s+([\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*)\s*;?")
_FROM = re.compile(r"from\s+([\w.]+?)\.?(?:\s+import\b\s*\(?(.*))?", re.DOTALL)
_USING = re.compile(r"@?(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?([\w.]+)\s*;?")
_QUOTED = re.compile(r"(?:import|export|.*\brequire\s*\()[^'\"]*['\"]([^'\"]+)['\"]", re.DOTALL)
_PACKAGE = re.compile(r"@[\w-]+/[\w./-]+|[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*")
_BARE = re.compile(r"[a-z][a-z0-9_-]*")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_METHOD = re.compile(r"\.\w+\(\)?")
_FILE = re.compile(r"[\w.*\[\]{}?/-]*\.([A-Za-z0-9*]{1,12})|[\w.*/-]+/(?:\*\*?)?")
_PACKAGE_HEAD = re.compile(r"import|package|using|nuget|module|dependenc|librar", re.IGNORECASE)
_LOCATION = re.compile(r"(?:^|\W)(?:in|from|inside|within|under|of)\s*(?:the\s+)?$", re.IGNORECASE)
_NEGATED = re.compile(r"(?:^|\W)(?:no|not|without|never)\s*$", re.IGNORECASE)
_BOTH = re.compile(r"(?:^|\s)(?:with|and|plus)\s*$|\+\s*$", re.IGNORECASE)
_DEPENDENCY = re.compile(r"\s*(?:dev\s*)?(?:dependenc|package)", re.IGNORECASE)
_ALONE = re.compile(r"\s*no\s+[\w\s/-]+[;:,]", re.IGNORECASE)

_EXTENSIONS = frozenset(
    "py pyi ipynb toml cfg ini yml yaml json json5 lock txt md rst csv tsv xml ts tsx js jsx mjs cjs vue svelte html"
    " css scss less cs csproj fsproj vbproj sln slnx razor cshtml xaml config props targets java kt kts gradle go mod"
    " rs rb php swift sql tf bicep bicepparam h5 pkl parquet onnx pt env sh ps1 proto graphql avsc xsd *".split()
)
_PLAIN_FILES = frozenset("Dockerfile Makefile Tiltfile Procfile Gemfile Rakefile Jenkinsfile Pipfile go.mod".split())
# Names in projects of every kind. They only confirm other signs.
_GENERIC_STEMS = frozenset(
    "__init__ __main__ main app run index setup config conf settings models views urls forms utils helpers constants"
    " types schemas core base common server client test tests conftest routes routers api db database program"
    " package pyproject requirements environment tsconfig readme dockerfile makefile".split()
)
_GENERIC_FOLDERS = frozenset(
    "src app apps lib libs core api models templates static data views config scripts test tests docs public assets"
    " components services utils helpers common shared migrations outputs dependencies db pages".split()
)
_GENERIC_ENDINGS = frozenset(
    "* py ts js cs html css scss json yml yaml toml txt md csv tsv xml sql sh cfg ini".split()
)
_GENERIC_CODE = re.compile(
    r"async def|async|await|def|class|return|flex|grid|row|col-?\*?|container|items-center|hidden|Main\(\)|main\(\)"
    r"|public|static|void|function|const|let|var|self|@if|@for|@switch|@page|[A-Za-z]{1,2}"
)


@dataclass(frozen=True, slots=True)
class Indicator:
    """One pattern, with its kind, weight and imported modules. If `strict`, only a dependency in quotes matches."""

    text: str
    kind: Literal["import", "package", "file", "code"]
    weight: float
    modules: tuple[str, ...] = ()
    # Named as a dependency: a word in the code alone does not count.
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Clue:
    """Signs that must all match. A match of a negated clue counts against its row."""

    signs: tuple[Indicator, ...]
    negated: bool = False


def read_clues(cell: str, head: str) -> list[Clue]:
    """Read the clues in a cell below the header `head` of a detection table. For `A` with `B`, both must match."""
    clues: list[Clue] = []
    for span in code_spans(cell):
        if not span.text or span.text.endswith(".md") or _LOCATION.search(span.before):
            continue
        sign = read_sign(span, head)
        if clues and not clues[-1].negated and _BOTH.search(span.before) and "," not in span.before:
            clues[-1] = Clue((*clues[-1].signs, sign))
        else:
            clues.append(Clue((sign,), bool(_NEGATED.search(span.before))))
    return clues


def excludes_others(cell: str) -> bool:
    """Whether a cell requires that no other row of its table matches: `No state libs; services with …`."""
    return bool(_ALONE.match(cell)) and "`" not in cell.partition(";")[0]


def read_sign(span: CodeSpan, head: str) -> Indicator:
    """Read one code span by its shape, by `head` (the header of its column) and by the text after it."""
    text = span.text
    modules = tuple(import_modules(text))
    if modules:
        return Indicator(text, "import", SURE, modules)
    strict = bool(_DEPENDENCY.match(span.after))
    if _is_file(text) and not strict:
        return Indicator(text, "file", file_weight(text))
    is_name = _PACKAGE.fullmatch(text) is not None
    if is_name and (strict or text.startswith("@") or _PACKAGE_HEAD.search(head)):
        return Indicator(text, "package", SURE, (text,), strict)
    if _GENERIC_CODE.fullmatch(text):
        return Indicator(text, "code", WEAK)
    if _BARE.fullmatch(text):
        return Indicator(text, "package", STRONG, (text,))
    some = _IDENTIFIER.fullmatch(text) or _METHOD.fullmatch(text) or text.endswith("-")
    return Indicator(text, "code", SOME if some else STRONG)


def import_modules(text: str) -> Iterator[str]:
    """The modules that an import statement names first, none for other text."""
    text = text.strip()[:_LONGEST]
    if quoted := _QUOTED.match(text):
        yield quoted[1]
        return
    if start := _FROM.fullmatch(text) or _USING.fullmatch(text):
        yield start[1]
        return
    if several := _IMPORT_LIST.fullmatch(text):
        yield from (part.split()[0] for part in several[1].split(","))


def imported_paths(statement: str) -> Iterator[str]:
    """Every dotted path that a statement imports: modules and the names from them."""
    yield from import_modules(statement)
    start = _FROM.fullmatch(statement.strip())
    if start and start[2]:
        names = re.findall(r"(\w+)(?:\s+as\s+\w+)?", start[2].replace(")", ""))
        yield from (f"{start[1]}.{name}" for name in names)


def top_module(module: str) -> str:
    """The package that a module belongs to: `django` for `django.db`, `ngrx` of `@ngrx/store`."""
    if module.startswith("@"):
        return module[1:].partition("/")[0].lower()
    return re.split(r"[./]", module, maxsplit=1)[0].lower()


def _is_file(text: str) -> bool:
    """Whether a code span is a file, a folder or a pattern of files."""
    if text in _PLAIN_FILES:
        return True
    if text.startswith("@") or "(" in text or " " in text:
        return False
    match = _FILE.fullmatch(text)
    return match is not None and (match[1] is None or "*." in text or match[1] in _EXTENSIONS)


def file_weight(pattern: str) -> float:
    """The weight of a file pattern as evidence, low for names that are common in every project."""
    name = pattern.rstrip("/*").rpartition("/")[2].lower()
    if pattern.rstrip("*").endswith("/"):
        return WEAK if name in _GENERIC_FOLDERS else SOME
    stem, _, ending = name.partition(".") if not name.startswith(".") else ("", "", name[1:])
    if stem.rstrip("*") in _GENERIC_STEMS:
        return WEAK
    if stem in ("", "*"):
        return WEAK if ending in _GENERIC_ENDINGS else STRONG
    return STRONG


def own_and_other_packages(signs: Iterable[Indicator], key: str) -> tuple[set[str], set[str]]:
    """The packages with the name `key` that the signs import, and the other packages that they import."""
    tops = {top_module(module) for sign in signs if sign.kind == "import" for module in sign.modules}
    own = tops & {key}
    return own, tops - own
