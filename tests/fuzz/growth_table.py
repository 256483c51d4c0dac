"""What reads foreign text, and the texts that make such readers slow."""

import asyncio
import io
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

from ctxtui.agents.project.frontmatter import find_block, globs_of, read_lines, read_yaml
from ctxtui.agents.project.globs import split_globs
from ctxtui.agents.project.imports import mentions
from ctxtui.audit.text.facts import read_facts
from ctxtui.catalog import DetectionSignals, MarkdownFileContextProvider
from ctxtui.catalog.detection.indicators import import_modules, imported_paths, read_clues
from ctxtui.catalog.detection.signals import (
    read_csharp,
    read_markup,
    read_notebook,
    read_package_json,
    read_project_file,
    read_python,
    read_tsconfig,
    read_typescript,
)
from ctxtui.catalog.tables import code_spans, plain_cell, read_bullets, read_tables, split_row
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain, plain_line
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.git.rules import git_rules, read_rules
from ctxtui.core.documents.records.file import parse_record
from ctxtui.core.payload.ladder import Ladder
from ctxtui.core.text.data.toml import load_toml
from ctxtui.core.text.data.yaml import load_yaml
from ctxtui.core.text.globs import compile_glob, expand
from ctxtui.core.text.markdown.code_spans import replace_code
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.inline_fields import before_fields, find_tags, without_last_tags
from ctxtui.core.text.markdown.light import comments, headings, open_fence, prose, targets
from ctxtui.core.text.markdown.links import find_links
from ctxtui.core.text.markdown.scan import heading_name, scan, slug
from ctxtui.core.text.metadata.frontmatter import read_frontmatter
from ctxtui.core.text.metadata.head import read_head
from ctxtui.core.text.regex import compile_foreign
from ctxtui.core.text.secrets import Cut, find_secrets, guarded, lines_at
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.spans import count_text
from ctxtui.loader import LoaderOptions, load_context
from ctxtui.loader.read import parse
from ctxtui.retrieval import ContextRetrievalRequest, FilesystemProvider
from ctxtui.retrieval.index.chunks import chunks, light_headings
from ctxtui.session.saved.config import load_config
from ctxtui.session.saved.recipe_yaml import parse_recipe

Reader = Callable[[str], object]

_TEXT = get_counter("heuristic")
_EXACT = get_counter("o200k_base")
_REDACTION = compile_foreign(r"(?i)\b(?:sk|pk)-\w{8,}|(?:[\w.]+)+@\w+\.(?:\w+\.?){1,4}$")
_DEEP = "a/" * 60 + "b/*.md"


def _document(text: str) -> Document:
    return Document("note.md", text, Stamp(0, 0, len(text)))


def _in_files(*names: str, use: Callable[[Path], object], around: str = "{}") -> Reader:
    """A reader of a folder in which the text is the content of some files."""
    folder, numbers = tempfile.TemporaryDirectory(prefix="growth"), count()

    def run(text: str) -> object:
        root = Path(folder.name) / str(next(numbers))
        for name in names:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(around.replace("{}", text), "utf-8")
        return use(root)

    return run


def _catalog(root: Path) -> None:
    provider = MarkdownFileContextProvider(root, on_notice=lambda _: None)
    signals = DetectionSignals(imports=("import fastapi",), file_patterns=("main.py",), code_patterns=("FastAPI()",))
    provider.get_domain_index("web")
    detection = provider.detect_project_type("web", signals)
    provider.get_conditional_context("web", detection)
    provider.get_cross_domain_context("web", ("security", "schema"))
    provider.search("security", "web")
    for entry in provider.get_catalog("web"):
        reference = provider.get_reference("web", entry.id)
        if reference is not None:
            provider.materialize_sections(reference, ["a"])


def _retrieve(root: Path) -> object:
    request = ContextRetrievalRequest("what is a secret a b", "s", "s", str(root), "filesystem")
    return asyncio.run(FilesystemProvider(allowed_roots=[root]).retrieve(request))


def _load(budget: int) -> Callable[[Path], object]:
    return lambda root: load_context(LoaderOptions(str(root), token_budget=budget, on_notice=lambda _: None))


def _exported(text: str) -> object:
    middle = len(text) // 2
    cut = Cut.of(text, [(0, middle), "\n", (middle, len(text))])
    found = cut.secrets()
    return guarded(text, "a.log", "redact"), lines_at(text, [cut.back(each.start) for each in found])


def _cut(share: int) -> Reader:
    return lambda text: Ladder(text).cut(len, len(text) // share)


def _ignored(text: str) -> object:
    rules = (git_rules(read_rules([line])) for line in (text[:1000], f"**/*{text[:900]}*/x"))
    return [each.selects("src/a/" + text[:2000]) for each in rules]


READERS: Mapping[str, Reader] = {
    "frontmatter": lambda text: read_frontmatter(text, "note.md"),
    "frontmatter, closed": lambda text: read_frontmatter(f"---\n{text}\n---\n# A\n", "note.md"),
    "frontmatter, not closed": lambda text: read_frontmatter(f"---\nid: a\n{text}", "note.md"),
    "head": lambda text: read_head(io.BytesIO(f"---\na: b\n---\n{text}".encode("utf-8", "replace")).read),
    "yaml": load_yaml,
    "toml": load_toml,
    "scan": scan,
    "heading": lambda text: (heading_name(text), slug(text)),
    "parts": lambda text: _document(text).parts,
    "tasks": lambda text: _document(text).tasks,
    "task": lambda text: _document(f"- [ ] #a {text}").tasks,
    "section dates": lambda text: _document(text).section_dates,
    "notices": lambda text: _document(text).notices,
    "parsed": lambda text: parse(_document(text)),
    "tags": find_tags,
    "last tags": without_last_tags,
    "fields": before_fields,
    "links": lambda text: list(find_links(_document(f"x ] {text}"))),
    "code spans": lambda text: replace_code(text, lambda whole, _: whole),
    "imports": mentions,
    "prose": lambda text: (list(prose(text)), list(comments(text))),
    "light scan": lambda text: (headings(text), targets(text), open_fence(f"```\n{text}")),
    "agent frontmatter": lambda text: (find_block(text), read_lines(text), read_yaml(text)),
    "glob list": lambda text: (split_globs(text), globs_of(text)),
    "glob choices": expand,
    "glob": lambda text: compile_glob.__wrapped__(text).matches(_DEEP),
    "glob on a path": lambda text: [compile_glob(each).matches(text) for each in ("**/*a*/**/*b*/x", "*a*a*a*b")],
    "ignore rules": lambda text: git_rules(read_rules(["*a*a*b", text])).selects("a/" * 60 + "b"),
    "ignore rule": _ignored,
    "pattern": lambda text: compile_foreign(text[:2000]).sub("[gone]", "ab-1 " * 200),
    "redaction": lambda text: _REDACTION.sub("[gone]", text),
    "secrets": find_secrets,
    "exported secrets": _exported,
    "chunks": lambda text: list(chunks("note.md", text)),
    "code chunks": lambda text: list(chunks("code.py", text)),
    "outline": lambda text: list(light_headings("note.md", text)),
    "audit facts": read_facts,
    "plain": lambda text: (plain(text), plain_line(text)),
    "count": lambda text: count_text(_EXACT, text),
    "estimate": lambda text: count_text(_TEXT, text),
    "tables": lambda text: read_tables(_document(f"| a | b |\n|---|---|\n| {text}")),
    "row": lambda text: (split_row(text), plain_cell(text)),
    "bullets": lambda text: read_bullets(_document(text)),
    "clues": lambda text: (read_clues(text, "Imports"), code_spans(text)),
    "imports of code": lambda text: (list(import_modules(text)), list(imported_paths(text))),
    "python": read_python,
    "notebook": read_notebook,
    "typescript": read_typescript,
    "markup": read_markup,
    "c sharp": read_csharp,
    "project file": read_project_file,
    "package.json": read_package_json,
    "tsconfig": read_tsconfig,
    "record": lambda text: parse_record(text, "a.md"),
    "record, closed": lambda text: parse_record(f"---\nentryId: a\n{text}\n---\nbody\n", "a.md"),
    "recipe": lambda text: parse_recipe(text, "r.yaml"),
    "recipe, prompt": lambda text: parse_recipe(f"prompt: |\n {text}\npicks: []\n", "r.yaml"),
    "config": _in_files("ctxtui.toml", use=load_config),
    "ladder": _cut(2),
    "ladder, narrow": _cut(40),
    "load": _in_files(".context/TASKS.md", use=_load(200)),
    "catalog": _in_files("web/index.md", "web/context_detection.md", "web/cross_domain.md", "web/a.md", use=_catalog),
    "catalog row": _in_files(
        "web/index.md",
        "web/context_detection.md",
        "web/cross_domain.md",
        use=_catalog,
        around="# A\n\n| File | Trigger | Load | Score |\n|---|---|---|---|\n| `a.md` | {} | `a.md` | 0.9 |\n",
    ),
    "retrieve": _in_files("note.md", use=_retrieve),
}

# Each is repeated up to the wanted size.
PIECES: tuple[str, ...] = (
    *"ab `*_~[]()<>{}|#-+=:;,.!?@&$%\\/\"'0\t\n",
    *("- ", "> ", "[ ", "![", "](", "[a](", "[a](<b", "<!-- ", "-->", "**", "__", "~~", "``", "` `` ", "`a", "{a,"),
    *("a,", "a|", "| ", "|-", "[!", "[a-", "\\|", "//", "../", "**/", "*a", "a: ", "a=", "#a ", "#a:", "**a", "**a:"),
    *("*a* ", "- [ ] ", "- [x] a\n", "## a\n", "# a `", "a\n===\n", "| a | b |\n", "|---|\n", "> > ", "- - ", "1. "),
    *("<a ", "<a\n", "- a\n\n", "1. a\n   - b\n", "a\n2. b\n\n", "<!-- x\n\na\n\n", "[a\n", "|a|\n|-|\n\n"),
    *("- a: b\n", "a: [", "a: {", "? ", "- - -\n", "&a *a ", "!!a ", "a: &a\n", "'a", '"a', "'a'\n", "{a: ", "[["),
    *("]]", "```\n", "~~~\n", "    a\n", "\t", "a\r", "\r\n", "---\n", "***\n", "  - a\n", "\n\n", "\n ", " \n"),
    *("&amp;", "http://a", "sk-", "AKIA", "key=", "password: ", "token ", "-----BEGIN ", "Bearer ", "://a:b@"),
    *("a@a.", "eyJ", "aB3+", "token=abc1xyz4q\n", "é", "中", "\u0301", "\u200b", "\u202e", "\x00", "\U0001f600", "٣"),
    *("\u2028", "import a\n", "from a import ", "import {", "using a;\n", "require(", "@a ", "<Import ", "def a("),
    *("class a:\n", "2026-01-01 ", "## 2026-01-01\n", "**Version**: ", "a.b.", "{#a", "(a", "a)", "a=b&", "%41"),
    "`a`,",
)


def _day(number: int) -> str:
    return f"## 20{number // 336 % 90 + 10}-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}\n\nWhat happened.\n\n"


SHAPES: Mapping[str, Callable[[int], str]] = {
    **{repr(piece): (lambda size, piece=piece: piece * (size // len(piece))) for piece in PIECES},
    # Each item lies within the one before.
    "nested list": lambda size: "\n".join(" " * (2 * depth) + "- a" for depth in range(int(size**0.5))),
    # All differ in length, so that none closes another.
    "runs of backticks": lambda size: " ".join("`" * length for length in range(1, int((2 * size) ** 0.5))),
    "different words": lambda size: " ".join(f"word{number}" for number in range(size // 8)),
    "dated sections": lambda size: "".join(map(_day, range(size // 32))),
}

# The shapes for readers that take long on any text.
WORST: tuple[str, ...] = (
    *map(repr, ("`", "_", "[", "<", " ", "\n", "](", "[a](", "<!-- ", "{a,", "> ", "- - ", "- [ ] ", "- [x] a\n")),
    *map(repr, ("## a\n", "| a | b |\n", "```\n", "  - a\n", "a\r", "a: [", "*a", "a")),
    *("nested list", "runs of backticks", "different words"),
)
SLOW = frozenset(
    {
        *("scan", "parts", "tasks", "task", "section dates", "parsed", "links", "glob", "ignore rule", "pattern"),
        *("count", "tables", "bullets", "ladder", "ladder, narrow"),
    }
)
SLOWER = frozenset({"load", "catalog", "catalog row", "retrieve"})


def quietly(reader: Reader, text: str) -> None:
    """Runs a reader; what it refuses took its time as well."""
    with suppress(ContextError, ValueError):
        reader(text)
