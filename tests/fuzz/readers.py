"""Doors that take one text: what reads metadata, Markdown, labels, recipes, settings, and what counts and hides."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from random import Random
from tempfile import TemporaryDirectory

from ctxtui import ContextError, Workspace
from ctxtui.agents.project.globs import split_globs
from ctxtui.agents.project.imports import mentions, unmet_imports
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.plain import plain, plain_line
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.reader import Reader
from ctxtui.core.documents.records.file import read_record
from ctxtui.core.payload.types import Prompt
from ctxtui.core.text.decode import decode
from ctxtui.core.text.globs import compile_glob, expand
from ctxtui.core.text.markdown.document import Document, Part
from ctxtui.core.text.markdown.inline_fields import before_fields, find_tags
from ctxtui.core.text.markdown.links import find_links
from ctxtui.core.text.markdown.task_filter import TASK_FILTERS, filtered_pieces
from ctxtui.core.text.metadata.frontmatter import read_frontmatter
from ctxtui.core.text.secrets import Cut, find_secrets, redact
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.encodings import encoding
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.core.tokens.spans import count_text, join_all
from ctxtui.loader.read import parse
from ctxtui.session.picks import Pick, SnippetPick
from ctxtui.session.saved.config import load_config
from ctxtui.session.saved.recipe_yaml import dump_recipe, parse_recipe
from ctxtui.session.selection import Selection
from ctxtui.session.session import Session
from tests.fuzz.door import Broken, Check
from tests.fuzz.pieces import secret, words
from tests.fuzz.projects import encoded, write
from tests.tui.hostile import FORBIDDEN

TOKENIZERS = ("o200k_base", "cl100k_base")


def _document(text: str, path: str = "docs/x.md") -> Document:
    return Document(path, text, Stamp(0, 0, len(text)))


def read_metadata(text: str, check: Check) -> None:
    """Frontmatter: a body within the text, keys that are texts, values that can be shown, notices with places."""
    found = read_frontmatter(text, "x.md")
    if found is None:
        return
    lines = _line_count(text)
    check(0 <= found.body <= len(text), "the body lies within the text")
    check(all(isinstance(key, str) for key in found.values), "keys are strings")
    check(json.dumps(dict(found.values), default=str), "values can be shown")
    has_places = all(each.path == "x.md" and 1 <= (each.line or 1) <= lines + 1 for each in found.notices)
    check(has_places, "notices have places")


def _line_count(text: str) -> int:
    return text.count("\n") + text.count("\r") + 1


def scan_markdown(text: str, check: Check) -> None:
    """Parts of Markdown and of reStructuredText partition it; slugs are unique and found; parents hold children."""
    for path in ("docs/x.md", "docs/x.rst"):
        document = _document(text, path)
        parts = _partition(document, text, check)
        for place, part in enumerate(parts):
            check(document.position(part.slug) == place, "a slug finds its part")
            check(part.start <= part.own_end <= part.end <= len(text), "spans lie within the text")
            if part.parent is not None:
                above = parts[part.parent]
                nests = above.start <= part.start and part.end <= above.end and above.level < part.level
                check(nests, "sections nest")


def _partition(document: Document, text: str, check: Check) -> Sequence[Part]:
    parts = document.parts
    check("".join(map(document.own_text, parts)) == text, "own texts partition the file")
    check(len({part.slug for part in parts}) == len(parts), "slugs are unique")
    return parts


def divide_code(text: str, check: Check) -> None:
    """Parts of code partition it, nest, have names of their own, and add up in both encodings."""
    ending, _, text = text.partition("\n")
    document = Document(f"a.{ending}", text, Stamp(1, 1, len(text)), digest_of(text.encode("utf-8", "replace")))
    parts = _partition(document, text, check)
    for part in parts:
        above = parts[part.parent] if part.parent is not None else None
        check(above is None or above.start < part.start <= part.end <= above.end, "symbols nest")
    reader = Reader(Root("."), Ledger(None, "here"))
    for name in TOKENIZERS:
        counter = get_counter(name)
        own = reader.part_tokens(document, counter)
        check(sum(own) == counter.count(text) and min(own) >= 0, "parts of code add up", name)
        spans = (reader.span(document, counter, part.start, part.own_end) for part in parts)
        check(join_all(counter, spans).units == counter.units(text), "parts of code join", name)


def read_tasks(text: str, check: Check) -> None:
    """Tasks own lines of their own; filters keep only lines of the text; the loader's items stand in it."""
    document = _document(text)
    total = len(document.scan.lines.starts)
    owned = [line for task in document.tasks for line in task.lines]
    check(len(owned) == len(set(owned)) and all(0 <= line < total for line in owned), "tasks own lines of their own")
    for place, task in enumerate(document.tasks):
        check(task.status in ("todo", "done", "blocked"), "a task has a status")
        check(task.parent is None or task.parent < place, "a task follows the one it is nested in")
    for name in TASK_FILTERS:
        kept = Cut.of(text, filtered_pieces(document, name, [(0, len(text))])).text
        check(all(line in text for line in kept.splitlines()), "a filter makes nothing up", name)
    check(all(section.content in text for section in parse(document).sections), "sections hold the raw text")


def read_labels(text: str, check: Check) -> None:
    """Tags are words without `#`, links stay within the project, imports are no empty names."""
    document = _document(text)
    tags = find_tags(text)
    check(all(tag and not tag.startswith("#") for tag in tags) and len(set(tags)) == len(tags), "tags are words")
    check(all(before_fields(line) in line for line in text.splitlines()), "a title is a part of its line")
    lines = _line_count(text)
    for link in find_links(document):
        check(1 <= link.line <= lines and link.path.split("/")[0] != "..", "a link stays within")
    check(all(mentions(text)), "imports have names")
    found = unmet_imports("docs/x.md", text, mentions(text), {"AGENTS.md"})
    check(all(1 <= each.line <= lines for each in found), "an import has a line")


def read_globs(text: str, check: Check) -> None:
    """Globs split, expand and match without an end."""
    for part in split_globs(text):
        check(1 <= len(expand(part)) <= 64, "a glob stands for some patterns")
        for path in ("docs/a.md", "a" * 300, "a/" * 60 + "b", text[:80]):
            compile_glob(part).matches(path)
        check(compile_glob(part) is compile_glob(part), "a glob is compiled once")


def decode_bytes(text: str, check: Check) -> None:
    """Bytes become text that can be written again, or are refused as binary."""
    with suppress(ContextError):
        decoded, notice = decode(text.encode("latin-1", "replace"), "x.md")
        check(decoded.encode() is not None, "what is decoded can be encoded")
        check(notice is None or notice.line, "damage has a line")


def hide_secrets(text: str, check: Check) -> None:
    """Nothing of a planted secret is left, spans are in order, and what is redacted stays so."""
    planted = secret(Random(repr(text)))
    place = len(text) // 2
    around = f"{text[:place]}\nkey: {planted}\n{text[place:]}"
    shown, found = redact(around)
    check(planted not in shown, "a planted secret is gone", planted)
    spans = [(each.start, each.end) for each in find_secrets(around)]
    check(len(found) == len(spans) and all(a[1] <= b[0] for a, b in pairwise(spans)), "secrets do not overlap")
    check(redact(shown)[0] == shown, "what is redacted stays so")


def show_plain(text: str, check: Check) -> None:
    """Nothing that steers a terminal is left."""
    check(not (FORBIDDEN - {"\n", "\t"}) & set(plain(text)), "no control character is shown")
    check(not FORBIDDEN & set(plain_line(text)), "a line holds no control character")
    check(plain(plain(text)) == plain(text), "what is plain stays so")


def count_tokens(text: str, check: Check) -> None:
    """Counts are what the encoder says, and differences of them add up."""
    text = text.encode("utf-8", "replace").decode()
    for name in TOKENIZERS:
        counter = get_counter(name)
        true = len(encoding(name).encode(text, disallowed_special=()))
        check(counter.count(text) == true, "a count is the encoder's", name)
        counts = count_text(counter, text)
        check(counts.units == true and counts.before(counter, text, len(text)) == true, "counts add up", name)


def read_entry(text: str, check: Check) -> None:
    """A file of an entries directory is a record or a notice."""
    told: list[object] = []
    record = read_record(text, "x.md", told.append)
    check(record is not None or told or "entryId" not in text, "a refused record is told")
    check(record is None or text.endswith(record.content), "a record's body is the file's")


@cache
def _empty() -> tuple[Workspace, TemporaryDirectory[str]]:
    folder = TemporaryDirectory()
    return Workspace.open(folder.name, on_notice=lambda _: None), folder


def _again(selection: Selection, check: Check) -> Selection:
    written = _written(selection)
    check(written.encode(), "a recipe can be written")
    try:
        return parse_recipe(written, "again.yaml").selection
    except ContextError as error:
        why = re.match(r"[\w.]+(?::\d+)?: ([^'\"`\d]*)", str(error))
        raise Broken(f"a written recipe is read ({why[1].strip() if why else ''})", f"{error}\n{written}") from error


def _written(selection: Selection) -> str:
    return dump_recipe(Session(_empty()[0], selection))


def read_recipe(text: str, check: Check) -> None:
    """A recipe is refused with its name, or read, and what is read is written and read back equal."""
    try:
        recipe = parse_recipe(text, "r.yaml")
    except ContextError as error:
        check(str(error).startswith("r.yaml"), "a refusal names the file", error)
        return
    again = _again(recipe.selection, check)
    is_equal = again.picks == recipe.selection.picks and again.prompt == recipe.selection.prompt
    check(is_equal, "picks are read back equal")
    check(_written(again) == _written(recipe.selection), "what is read is written again as it was")


def write_recipe(text: str, check: Check) -> None:
    """A selection of any ids, slugs and prompts that a file can hold is written and read back equal."""
    text = text.encode("utf-8", "replace").decode()
    random = Random(repr(text))
    said = words(random, 2).encode("utf-8", "replace").decode()
    pieces = [*text.split("\n"), said, f"{random.randrange(10**12):012}"]
    slugs = tuple({piece: True for piece in pieces[1:] if piece not in ("*", "(frontmatter)")}.items())
    whole = bool(random.getrandbits(1))
    picks = (
        Pick(pieces[0] or "x", whole, tuple((slug, not whole) for slug, _ in slugs), random.random() < 0.3),
        SnippetPick.of(pieces[-2], 1, random.randint(1, 99)),
        Pick(pieces[-1]),
    )
    prompt = Prompt(text, random.choice(("first", "last", "both"))) if text.strip() else None
    selection = Selection(tuple({pick.id: pick for pick in picks}.values()), prompt)
    check(_again(selection, check) == selection, "a selection is read back equal", selection)


def read_config(text: str, check: Check) -> None:
    """Settings are read or refused with the file's name."""
    try:
        check(load_config(write(check.folder, {"ctxtui.toml": encoded(text)}), {}), "settings are read")
    except ContextError as error:
        check("ctxtui.toml" in str(error), "a refusal names the file", error)
