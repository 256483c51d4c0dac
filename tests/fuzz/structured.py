"""Generators of what has a form of its own: recipes, settings, patterns, provider trees, entries, arguments."""

import json
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import yaml

from ctxtui.core.text.code.languages import LANGUAGES, language_of
from ctxtui.core.text.decode import decode
from tests.conftest import REPOSITORY
from tests.fuzz import documents
from tests.fuzz.mutators import mutated
from tests.fuzz.pieces import HUGE, word, words

_PICKS: Final = """{id: AGENTS.md}
AGENTS.md
{id: docs/a.md, sections: [one, '08'], digest: 034711885772}
{id: x, lines: 2-3}
{id: x, lines: 3-2}
{id: .context/TASKS, without: [done], pinned: true, tasks: open}
{id: a, frontmatter: true, sections: ['*', x]}
{id: 08}
{id: [x]}
{query: q, entries: {tags: [a], maxResults: 3}}
{query: q, context: all, budget: 1k}
{query: q, entries: {category: 7}}
{query: p, context: {composite: [correlation, {filter: {types: [Decision]}}], redact: {patterns: ['a+']}}}
{query: p, context: all, from: notes, budget: 08}
{}
3
null""".split("\n")
_SETTINGS: Final = (
    *"budget: 12k; budget: 08; budget: -1; budget: 1e9; budget: !!int 0xff; format: xml; format: [x]".split("; "),
    *"over: cut; over: {}; prompt: hello; prompt: 7; prompt_position: both; model: gpt-4o; model: {a: b}".split("; "),
    *"tokenizer: cl100k_base; tokenizer: x; reserve: 2k; secrets: keep".split("; "),
)
_ROWS: Final = (
    *'budget = "12k"; budget = 12000; budget = true; budget = 1979-05-27; reserve = inf'.split("; "),
    *'over = "cut"; over = ["cut"]; secrets = "fail"; model = "gpt-4o"; tokenizer = "heuristic"'.split("; "),
    *'include = ["docs/**"]; include = [1]; exclude = ["a["]; editor = "vi"; [keys]|pick = "x"'.split("; "),
    *'[keys]|pick = 1; [limits]|total = 3; [limits]|total = "2k"|[limits.start]|claude-code = 5'.split("; "),
    *'[limits.files]|"**" = "1k"; [limits.files]|x = []; [agents.x]|name = 1; [[agents]]'.split("; "),
    *'[mcp.x]|command = 1; x = {a={a={}}}; "\\u0000" = 1'.split("; "),
)


def recipe(random: Random) -> str:
    """A recipe's YAML, nearly right."""
    picks = "".join(f"  - {random.choice(_PICKS)}\n" for _ in range(random.randint(0, 5)))
    settings = "".join(f"{random.choice(_SETTINGS)}\n" for _ in range(random.randint(0, 4)))
    huge = f"prompt: {random.choice(HUGE)}\n" if random.random() < 0.05 else ""
    return mutated(random, f"picks:\n{picks}{settings}{huge}", 3)


def toml(random: Random) -> str:
    rows = [random.choice(_ROWS).replace("|", "\n") for _ in range(random.randint(0, 4))]
    if random.random() < 0.05:
        rows.append(f"budget = {random.choice(HUGE)}")
    return mutated(random, "\n".join(rows), 3)


_PARTS: Final = (" ", *"* ** ? [a-z] [!a] [ {a,b} { / ! \\ # docs .md **/ a , ] } []] [z-a]".split())


def pattern(random: Random) -> str:
    return "\n".join("".join(random.choices(_PARTS, k=random.randint(0, 9))) for _ in range(random.randint(1, 5)))


def plain_text(random: Random) -> str:
    return mutated(random, words(random, 30))


def value(random: Random, depth: int = 3) -> Any:
    plain = (None, True, 0, -1, 3, 1.5, 10**25, "", word(random), "AGENTS.md", "python", "12k", "markdown", ".")
    if depth == 0 or random.random() < 0.7:
        return random.choice(plain)
    items = [value(random, depth - 1) for _ in range(random.randint(0, 3))]
    return items if random.random() < 0.5 else {str(word(random)): item for item in items}


def exchanged(random: Random, name: str, text: str) -> str:
    """A configuration in which one value is another, of any type. Other files stay."""
    if name.endswith((".json", ".yaml", ".yml")):
        load = json.loads if name.endswith(".json") else yaml.safe_load
        with suppress(ValueError, yaml.YAMLError):
            return json.dumps(_exchanged(random, load(text)))
    lines = text.split("\n")
    values = [place for place, line in enumerate(lines) if "=" in line]
    if name.endswith((".toml", ".ini")) and values:
        place = random.choice(values)
        lines[place] = f"{lines[place].partition('=')[0]}= {random.choice(_LITERALS)}"
    return "\n".join(lines)


_LITERALS: Final = ("1", '"x"', "true", "[]", "[1]", '["a"]', "[[]]", "{a = 1}", "{}")


def _exchanged(random: Random, old: Any) -> Any:
    if not old or not isinstance(old, dict | list) or random.random() < 0.25:
        return value(random)
    key = random.choice(list(old if isinstance(old, dict) else range(len(old))))
    new = old.copy()
    new[key] = _exchanged(random, old[key])
    return new


_NODES: Final[tuple[Any, ...]] = ("correlation", "all", "state", "x", None, 3, [], {})
_KEYS: Final = "types tags producers correlation_id since until limit order".split()
_WANTED: Final = (
    *("x", 5, -1, None, ["a"], ("Decision",), "2026-01-31", "-created_at", "2026-01-01T00:00:00"),
    *({"include": ["a"]}, {"require": "a"}),
)


def _node(random: Random, depth: int) -> Any:
    if depth == 0 or random.random() < 0.2:
        return random.choice(_NODES)
    kinds: dict[str, Any] = {
        "filter": {random.choice(_KEYS): random.choice(_WANTED) for _ in range(random.randint(0, 4))},
        "composite": [_node(random, depth - 1) for _ in range(random.randint(0, 3))],
        "all": random.choice((None, True, 1)),
        "redact": {random.choice(("keys", "patterns", "x")): [word(random)] for _ in range(random.randint(0, 2))},
        "limit": random.choice((3, 0, -1, "x", True)),
        word(random): value(random),
    }
    return {key: kinds[key] for key in random.sample(sorted(kinds), random.choice((1, 1, 2, 3)))}


def tree(random: Random) -> str:
    """A provider tree as JSON, with wrong types and unknown keys."""
    return json.dumps(_node(random, 4))


_TIMES: Final = """2026-02-26T09:30:00+00:00 2026-02-26T09:30:00.123456-14:00
    0001-01-01T00:00:00+14:00 9999-12-31T23:59:59-01:00""".split()


def entry(random: Random) -> str:
    """An entry as JSON: id, content, tags, time and reference code."""
    data = {
        "id": words(random, 3),
        "content": random.choice((words(random, 20), documents.body(random), plain_text(random))),
        "tags": [word(random) for _ in range(random.randint(0, 3))],
        "created": random.choice(_TIMES),
        "code": random.choice(("", "CTX-2026-0226-001", "CTX-2026-0226-12345")),
    }
    return json.dumps(data)


_EXAMPLES: Final = sorted((REPOSITORY / "tests" / "core" / "code" / "shops").glob("*.txt"))
_SHOPS: Final = tuple((file.stem, file.read_text("utf-8")) for file in _EXAMPLES)
_ENDINGS: Final = tuple(ending for language in LANGUAGES for ending in language.endings)
_LARGEST: Final = 24_000
_GLUE: Final = (
    *"{ } ( ) [ ] < > ; : , . / // /* */ # @ ' \" ` \\ => = async class def fn impl namespace template export".split(),
    *('"""', "#if 0\n", "#endif\n", "\n/", "\n//", "\n\n", "\n}\n", "    ", "\t", "\r", "\ufeff", "\0", "漢字", "😀"),
)


@cache
def _real_code() -> dict[str, list[Path]]:
    """The files of `CTXTUI_CODE`, a folder of real projects, by their language; without it, those of this one."""
    folder = Path(os.environ.get("CTXTUI_CODE") or REPOSITORY / "ctxtui")
    found: dict[str, list[Path]] = {}
    for file in sorted(folder.rglob("*")):
        language = language_of(file.name)
        if language is not None and file.is_file() and file.stat().st_size <= _LARGEST:
            found.setdefault(language.name, []).append(file)
    return found


def _real(random: Random) -> tuple[str, str]:
    """The ending and text of a real file; every language is as likely."""
    files = _real_code()
    file = random.choice(files[random.choice(sorted(files))])
    return file.suffix[1:], decode(file.read_bytes(), file.name)[0]


def code(random: Random) -> str:
    """An ending in the first line, then code of that language, mutated, sometimes with that of another."""
    ending, text = _real(random) if random.random() < 0.5 else random.choice(_SHOPS)
    if random.random() < 0.05:
        ending = random.choice(_ENDINGS)[1:]
    if random.random() < 0.1:
        text += random.choice(_SHOPS)[1]
    for _ in range(random.choice((0, 1, 3, 12))):
        place, lost = random.randint(0, len(text)), random.choice((0, 0, 1, 5, 200))
        text = text[:place] + random.choice(_GLUE) + text[place + lost :]
    return f"{ending}\n{mutated(random, text, 12)}"
