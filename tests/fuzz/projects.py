"""Generators of whole projects: files by their names, links and FIFOs, and the way to disk."""

import json
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from tests.audit.manifests import MANIFESTS
from tests.conftest import REPOSITORY
from tests.fuzz import catalogs, documents, structured
from tests.fuzz.mutators import mutated
from tests.fuzz.pieces import HOSTILE, secret, word, words


@dataclass(frozen=True)
class Link:
    """A symbolic link in a project; without a target, a FIFO."""

    target: str = ""


Files = Mapping[str, bytes | Link]
Made = dict[str, bytes | Link]


def encoded(text: str) -> bytes:
    """A text as a file holds it; lone surrogates stay, as invalid UTF-8."""
    return text.encode("utf-8", "surrogatepass")


def _file(random: Random) -> bytes:
    if random.random() < 0.1:
        return documents.raw(random).encode("latin-1", "replace")
    return encoded(documents.document(random))


_AGENTS: Final = """AGENTS.md CLAUDE.md docs/AGENTS.md .cursor/rules/a.mdc .cursorrules .claude/rules/x.md GEMINI.md
    .windsurfrules .claude/skills/s/SKILL.md .claude/agents/r.md .github/copilot-instructions.md llms.txt
    .github/instructions/x.instructions.md""".split()
_CONTEXT: Final = "CONSTITUTION TASKS ARCHITECTURE DECISIONS LEARNINGS NOTES tasks a_b".split()
_OTHERS: Final = "README.md src/main.py data.json docs/a.md docs/b.txt x.yaml log.csv .env img.png empty.md".split()
_NAMES: Final = (
    *r"""a#b.md a%20b.md ..md con.md -rf.md a:b.md a"b.md </document>.md [a](b).md *.md README x.MD .md a\b.md""".split(),
    *(" x .md", "a\nb.md", "--> <!-- x.md", "\x1b[31m.md", "\u202etxet.md", "\udce9.md", "é.md", "e\u0301.md"),
    "n" * 240 + ".md",
)
_PLACES: Final = """AGENTS.md CLAUDE.md docs/link.md .context .context/TASKS.md library notes/x.md .gitignore
    ctxtui.toml pyproject.toml .ctxtui/recipes .ctxtui/recipes/r0.yaml""".split()
_TARGETS: Final = "/etc/passwd ../outside.md .. . AGENTS.md docs nowhere.md link.md /dev/null /dev/zero".split()


def _agents(random: Random) -> Made:
    globs = structured.pattern(random).replace("\n", ",")
    rule = f"---\ndescription: {word(random)}\nglobs: {globs}\nalwaysApply: {random.choice(('true', 'false', '', 'x'))}\n---\n"
    files: Made = {name: _file(random) for name in random.sample(_AGENTS, random.randint(1, 3))}
    return {**files, ".cursor/rules/b.mdc": encoded(rule) + _file(random)} if random.random() < 0.4 else files


def _context(random: Random) -> Made:
    return {f".context/{name}.md": _file(random) for name in random.sample(_CONTEXT, random.randint(1, 4))}


def _catalog(random: Random) -> Made:
    root = random.choice(("library/", "library/", "context/", ""))
    files = {f"{root}{name}": encoded(text) for name, text in catalogs.files(random).items()}
    return {"main.py": b"from fastapi import FastAPI\nimport jwt\n", **files}


def _entries(random: Random) -> Made:
    folder = random.choice(("notes", "context", "a/b"))

    def text() -> str:
        created = random.choice(("2026-02-26T09:30:00Z", "2026-02-26", "x"))
        head = f"entryId: {word(random)}\ncategory: {random.choice(('Decision', 'lesson', 'X'))}\n"
        more = f"tags: [a, {word(random)}]\nreferenceCode: {random.choice(('CTX-2026-0226-001', 'CTX-1', '08'))}\n"
        return mutated(random, f"---\n{head}createdAt: {created}\n{more}---\n\n{documents.body(random)}", 2)

    return {f"{folder}/{number}.md": encoded(text()) for number in range(random.randint(1, 3))}


def _recipes(random: Random) -> Made:
    texts = [structured.recipe(random) for _ in range(random.randint(1, 2))]
    return {f".ctxtui/recipes/r{number}.yaml": encoded(text) for number, text in enumerate(texts)}


def _settings(random: Random) -> Made:
    text = structured.toml(random)
    if random.random() < 0.5:
        return {"ctxtui.toml": encoded(text)}
    return {"pyproject.toml": encoded(f"[tool.ctxtui]\n{text}" if random.random() < 0.7 else text)}


def _configured(random: Random) -> Made:
    """A project of the manual with some manifests, and values of other types in its configurations."""
    manifests = random.sample(sorted(MANIFESTS), 3)
    files = {**random.choice(_examples()), **{name: MANIFESTS[name] for name in manifests}, "AGENTS.md": _COMMANDS}
    return {name: encoded(structured.exchanged(random, name, text)) for name, text in files.items()}


@cache
def _examples() -> list[dict[str, str]]:
    examples = tomllib.loads((REPOSITORY / ".github" / "rule_examples.toml").read_text("utf-8"))
    return [each["files"] for each in examples["project"]]


_COMMANDS: Final = """Run `npm run a`, `make b`, `just c`, `task d`, `composer e`, `tox -e f`, `nox -s g`, `poe h`,
`deno task i` and `pre-commit run j`.
"""


def _names(random: Random) -> Made:
    odd = (random.choice(HOSTILE).replace("/", "_").replace("\0", "_") + ".md", "d/" * random.randint(1, 40) + "x.md")
    return {f"docs/{name}": _file(random) for name in random.sample((*_NAMES, *odd), random.randint(1, 3))}


def _links(random: Random) -> Made:
    return {place: Link(random.choice((*_TARGETS, "", ""))) for place in random.sample(_PLACES, random.randint(1, 2))}


def _other(random: Random) -> Made:
    files: Made = {name: _file(random) for name in random.sample(_OTHERS, random.randint(1, 3))}
    ignoring = random.choice((".gitignore", ".gitignore", "docs/.gitignore"))
    return {**files, ignoring: encoded(structured.pattern(random))} if random.random() < 0.4 else files


_PARTS: Final = (
    *((_agents, 0.6), (_context, 0.5), (_catalog, 0.3), (_entries, 0.35), (_recipes, 0.3)),
    *((_settings, 0.15), (_configured, 0.3), (_names, 0.25), (_links, 0.15), (_other, 0.6)),
)


def project(random: Random) -> Files:
    """A small project of some of the sources, perhaps with odd names, links, settings and recipes."""
    files: Made = {}
    for make, chance in _PARTS:
        if random.random() < chance:
            files |= make(random)
    return files or _other(random)


def context(random: Random) -> Files:
    return {**_other(random), **_context(random), **(_links(random) if random.random() < 0.1 else {})}


def catalog(random: Random) -> Files:
    return {**_catalog(random), **(_names(random) if random.random() < 0.1 else {})}


def leaking(random: Random) -> Files:
    """A project, and in `secrets.json` the credentials that were planted in it."""
    planted = [secret(random) for _ in range(3)]
    files = {
        "AGENTS.md": f"# A\n\nkey: {planted[0]}\n",
        "docs/a.md": f"- [ ] use `{planted[1]}` {words(random)}\n",
        ".context/TASKS.md": f"# T\n\n{planted[2]}\n",
        "secrets.json": json.dumps(planted),
    }
    return {**_other(random), **{name: encoded(text) for name, text in files.items()}}


def write(root: Path, files: Files) -> Path:
    """Put a project on disk; names that no file can have, or that another file's folder has, are left out."""
    root.mkdir(parents=True)
    for name, content in sorted(files.items(), key=lambda item: isinstance(item[1], Link)):
        with suppress(OSError, ValueError):
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                place.write_bytes(content)
            elif content.target:
                place.symlink_to(content.target)
            else:
                os.mkfifo(place)
    return root
