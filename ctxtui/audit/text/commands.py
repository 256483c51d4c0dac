"""The files, scripts, targets and tasks that a text tells the model to run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from ctxtui.audit.context import Audited
from ctxtui.audit.text.facts import sentence_around, split_lines
from ctxtui.audit.text.words import FOREIGN_HEDGES, says
from ctxtui.core.text.data.toml import packaged_toml
from ctxtui.core.text.markdown.light import body_start, comments, prose
from ctxtui.core.text.metadata.reference import Reference

_WORDS: Final = r"(?:npm|pnpm|yarn|bun|deno|composer|make|just|task|poe|tox|nox|pre-commit|pip3?)"
_RUNNERS: Final = (
    r"(?:python3?|node|tsx|ts-node|ruby|perl|php|bash|sh|zsh|source|run|pytest|vitest|jest|pwsh|Rscript)"
)
_ANY: Final = re.compile(rf"\b{_WORDS}[ \t]|\bcd[ \t]|\b{_RUNNERS}[ \t]+(?:-[\w-]+[ \t]+)*\S*/|(?<![\w.])\./\w")
_SPAN: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# The label of a task in an editor: `npm watch (web)`.
_LABEL: Final = re.compile(r"[\w:-] \([\w -]+\)$")
_FENCE: Final = re.compile(r"[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+|>[ \t]*)*(?:`{3,}|~{3,})[ \t]*([\w+-]*)")
_SHELLS: Final = frozenset(
    " sh bash shell zsh fish console shell-session terminal powershell pwsh ps1 cmd bat".split(" ")
)
_PROMPT: Final = re.compile(r"^\s*(?:[$>%]\s+)?(?:(?:sudo|time|env|nice|corepack|exec)\s+|[A-Z_][A-Z0-9_]*=\S*\s+)*")
_ENTERS: Final = re.compile(r"\bcd[ \t]+[^\s;&|]+")
# A folder that is entered for more than the rest of its line, or in a way that says little about where it is.
_STAYS: Final = re.compile(r"\bcd[ \t]++[^\s;&|`]++[ \t]*+(?!&&|;)")
_TURNS: Final = re.compile(r"[()]|\bcd\b.*\bcd\b")
# Flags by which a tool works somewhere else.
_AWAY: Final = ("--", "-C", "-F", "-f", "-w")
_BELOW: Final = re.compile(r"(?:\./)?\w[\w.-]*(?:/[\w.-]+)*/?")
_NEXT: Final = re.compile(r"\s*(?:&&|\|\||[;|&])\s*")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*|\s//\s.*|\s(?:→|->|—|–)\s.*")
_NAME: Final = re.compile(r"[A-Za-z0-9][\w.:-]*")
_LAST_SIGNS: Final = ".,:)"
_FLAG: Final = re.compile(r"-{1,2}[A-Za-z]")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*[:?+]?=.*")
# Flags that take the next word.
_TAKES: Final = frozenset(
    "-C -f -j -w -F --prefix --workspace --filter --cwd --dir --directory --file --makefile --justfile --taskfile -d"
    " --working-directory -t --config --env-file -c --hook-stage --shell -i --include --from --from-ref"
    " --to-ref".split()
)
# Lines that do not tell the model to run a script of this project now.
_NEVER: Final = says(
    r"e\.g\.|example|for instance|such as|deprecat|remov|no longer|n['’]t\b|\bnot\b|\bno\b|never|avoid|❌|✗|planned"
    r"|forbid|prohibit|disallow|banned"
    r"|future|todo|coming soon|\bif (?:it|they|there|the|available|present|defined)"
    r"|(?:if|when|where) (?:\w+ )?(?:exist|present|available|defined|configured|applicable)|legacy|\bold\b"
    r"|instead of|rather than|would|could|might"
    r"|\bmay\b|suppose|imagine|placeholder|template|scaffold|fails|error|missing|unknown|equivalent|typical|usually"
    r"|commonly|renam|add (?:a|the|an|this|new)\b|creat(?:e|ing) (?:a|the|an|new)\b|generated project|user'?s"
    rf"|their\b|downstream|consumer|=\[[a-z][\w -]*\]|{FOREIGN_HEDGES}",
)
_OTHER_PROJECT: Final = re.compile(
    r"git clone|\bcreate-[a-z]|(?:npm|pnpm|yarn|bun|deno|cargo|uv|poetry) (?:create|init|new)\b|npx degit|mkdir"
    r"|startproject|cookiecutter|scaffold|(?:npx|bunx|dlx|uvx)[ ]+\S+[ ]+(?:my|your)-"
)
_PLACEHOLDER: Final = re.compile(
    r"^(?:your|my|foo|bar|baz|xxx|some|script|name|command|cmd|task|target|example|placeholder|recipe|env|session"
    r"|hook)(?:$|[-_:.])|(?:[-_:.])(?:name|script|id|here)$",
    re.IGNORECASE,
)
_RUN: Final = frozenset(("run", "run-script", "rum", "urn"))
# A script behind a program that runs it, or in a folder alone.
_SCRIPT: Final = re.compile(
    rf"(?:(?:uv|poetry|pdm|deno|bun|npx|hatch|dart|go)[ ](?:run[ ])?)?(?:{_RUNNERS}[ ](?:-[\w-]+[ ])*|(?=\./))"
    r"((?:\./)?(?:[\w.-]+/)*[\w.-]+\.(?:py|rb|pl|php|sh|bash|zsh|ps1|[cm]?[jt]s|dart|R)|\./[\w.-]+(?:/[\w.-]+)*)"
    r"(?![^ ])"
)
# The most characters of a line that count for the lines after it, of which there may be thousands.
_TOLD: Final = 2_000
SCRIPT: Final = "script"
"""The tool of a command that runs a file."""


@cache
def _own_commands() -> dict[str, frozenset[str]]:
    rows = packaged_toml(__package__, "own_commands.toml")
    return {tool: frozenset(names) for tool, names in rows.items()}


class Command(NamedTuple):
    """A command in a text: its line, from 1, the tool, the name of what it runs, and the words as written.

    `is_loose` says that the tool would look for a program of this name, too. `about` is the text around the command,
    with the folder that an earlier line of its section enters. `folder` is the one that its own line enters if clear.
    """

    line: int
    tool: str
    name: str
    written: str
    is_loose: bool
    about: str
    folder: str = ""


# A line can have thousands of commands, and the text around them is one and the same for all.
@lru_cache(maxsize=8)
def says_around(pattern: re.Pattern[str], about: str) -> bool:
    """Whether the text around a command contains a match of a pattern."""
    return pattern.search(about) is not None


def commands_of(audited: Audited, reference: Reference) -> tuple[Command, ...]:
    """The different `commands` of a file, read once for all rules."""

    def unique_commands() -> tuple[Command, ...]:
        return tuple(dict.fromkeys(commands(audited.text(reference.path) or "")))

    key = ("commands", reference.path, reference.stamp)
    kept: tuple[Command, ...] = audited.workspace.reader.derived.get(key, unique_commands)
    return kept


def commands(text: str) -> Iterator[Command]:
    """The commands in code that run scripts, targets or tasks, without those that the text rejects or supposes."""
    if not _ANY.search(text):
        return
    lines, start = split_lines(text), text.count("\n", 0, body_start(text))
    outside, hidden = _line_indexes(text, prose(text)), _line_indexes(text, comments(text))
    heading = intro = before = comment = shown = led = ""
    is_shell = is_led = False
    for number, line in enumerate(lines):
        if number < start or number in hidden or not line.strip():
            continue
        if number in outside:
            if line.startswith("#"):
                heading, intro, led = line[:_TOLD], "", ""
            is_item = re.match(r"\s*(?:[-*+]|\d+[.)])\s|\s*\|", line)
            intro = intro[-_TOLD:] if is_item else line
            # A sentence about another tool may give the reason.
            over = _SPAN.sub("", f"{heading} {'' if intro is line else intro}")
            about = f"{heading} {intro} {line} {led}"
            is_led = _STAYS.search(about) is not None
            is_told = "`" in line and _ANY.search(line) and not _NEVER(over)
            for span in _SPAN.finditer(line) if is_told else ():
                own = _SPAN.sub("", sentence_around(line, *span.span()))
                if not (_NEVER(own) or _LABEL.search(span[1])):
                    yield from commands_in(span[1], number + 1, about, is_led)
            before, led = "", _last_entered(_SPAN.findall(line)) or led
            continue
        opening = _FENCE.match(line)
        if opening and before in ("", "close"):
            before = "open"
            end = next((at for at in range(number + 1, len(lines)) if at in outside), len(lines))
            block = lines[number + 1 : end]
            is_shell = opening[1].lower() in _SHELLS and not _OTHER_PROJECT.search("\n".join(block))
            is_shell = is_shell and not _NEVER(f"{heading} {intro}")
            comment, shown = "", " ".join((heading, intro, *block, led))
            is_led = any(map(_STAYS.search, (*block, intro, led)))
            led = _last_entered(block) or led
        elif is_shell:
            if line.lstrip().startswith("#"):
                comment = line[:_TOLD]
            elif _ANY.search(line) and not _NEVER(f"{comment} {line}"):
                yield from commands_in(line, number + 1, shown, is_led)


def _last_entered(code: list[str]) -> str:
    """The folder of the last `cd FOLDER` in some pieces of code, empty if there is none."""
    return next((found[0] for each in reversed(code) if (found := _ENTERS.search(each))), "")


def _line_indexes(text: str, spans: Iterator[tuple[int, int]]) -> set[int]:
    """The lines, from 0, that spans of characters touch. The spans are in order."""
    text = text.replace("\r\n", " \n").replace("\r", "\n")
    found, at, line = set[int](), 0, 0
    for start, end in spans:
        line += text.count("\n", at, start)
        last = line + text.count("\n", start, end)
        # A span that ends with a line break does not reach into the next line.
        found.update(range(line, last + (0 if text[end - 1 : end] == "\n" else 1)))
        at, line = end, last
    return found


def commands_in(code: str, line: int, about: str, is_led: bool = True) -> Iterator[Command]:
    """The commands in one line of a shell that run a script, target or task, each with this `line` and `about`.

    If the text around `is_led` into another folder, the one that the line enters is unclear.
    """
    first, *rest = (_PROMPT.sub("", part).split() for part in _NEXT.split(_COMMENT.sub("", code)))
    is_clear = not is_led and first[:1] == ["cd"] and len(first) == 2 and _BELOW.fullmatch(first[1])
    entered = posixpath.normpath(first[1]) if is_clear and not _TURNS.search(code) else ""
    for words in (first, *rest):
        script = _SCRIPT.match(" ".join(words))
        if script and (entered or "/" in script[1]):
            yield Command(line, SCRIPT, script[1].rstrip(_LAST_SIGNS), script[0], False, about, entered)
        elif len(words) > 1:
            folder = "" if any(word.startswith(_AWAY) for word in words) else entered
            yield from (each._replace(folder=folder) for each in _commands_in_words(words, line, about))


def _commands_in_words(words: list[str], line: int, about: str) -> Iterator[Command]:
    """The commands of a known tool in the words of one command. None for placeholders and other tools."""
    tool, *rest = words
    if tool in ("uv", "poetry", "pdm", "uvx", "pipx", "hatch", "python", "python3", "npx") and len(rest) > 2:
        # `uv run nox -s lint`
        rest = rest[1:] if rest[0] in ("run", "-m") else rest
        tool, *rest = rest
    if tool not in _KINDS:
        return
    for name, upto, is_loose in _KINDS[tool](tool, rest):
        name, written = (each.rstrip(_LAST_SIGNS) for each in (name, " ".join((tool, *rest[:upto]))))
        if name.startswith("./"):
            yield Command(line, SCRIPT, name, written, False, about)
        elif _NAME.fullmatch(name) and not _PLACEHOLDER.search(name):
            yield Command(line, tool, name, written, is_loose, about)


_NamesRun = Iterator[tuple[str, int, bool]]
"""Names that a tool runs, the number of words up to each, and whether the tool would look for such a program, too."""


def _plain_words(rest: list[str]) -> Iterator[tuple[int, str]]:
    """The words before `--` that are neither flags nor values of flags, each with its index in `rest`."""
    takes = False
    for at, word in enumerate(rest):
        if word == "--":
            return
        if takes:
            takes = False
        elif _FLAG.match(word):
            takes = word in _TAKES
        else:
            yield at, word


def _package_scripts(tool: str, rest: list[str]) -> _NamesRun:
    """The script that `npm run NAME` and the like run, unless the name is one of the tool's own commands."""
    if any(each.startswith(("--if-present", "--version", "--help")) for each in rest):
        return
    words = list(_plain_words(rest))
    if tool == "yarn" and words and words[0][1] == "workspace":
        words = words[2:]
    if not words:
        return
    at, word = words[0]
    if word in _RUN:
        if len(words) > 1:
            name = words[1][1]
            # These also run programs of dependencies, whose names have no colon.
            yield name, words[1][0] + 1, tool in ("yarn", "bun") and ":" not in name
    elif word == "test" and (tool != "bun" or at == 0):
        yield word, at + 1, False
    elif word not in _own_commands()[tool]:
        yield word, at + 1, ":" not in word or tool == "npm"


def _scripts_behind_verb(tool: str, rest: list[str]) -> _NamesRun:
    words = list(_plain_words(rest))
    if words and words[0][1] in _VERBS[tool]:
        yield from ((name, at + 1, False) for at, name in words[1:2])
    elif words and tool == "composer" and words[0][1] not in _own_commands()[tool]:
        yield words[0][1], words[0][0] + 1, True


def _targets(tool: str, rest: list[str]) -> _NamesRun:
    """The targets of `make` and the like, without files: the first one if recipes take arguments, else two."""
    words = [(at, word) for at, word in _plain_words(rest) if not _ASSIGNMENT.fullmatch(word)]
    # More words are a sentence, or arguments of a recipe.
    if words and (tool in ("just", "poe") or len(words) <= 2):
        for at, word in words[: 1 if tool in ("just", "poe") else 2]:
            if not re.search(r"\.\w+$", word):
                yield word, at + 1, False


def _sessions(_: str, rest: list[str]) -> _NamesRun:
    for at, (word, names) in enumerate(pairwise(rest), 2):
        if word in ("-e", "-s", "--session", "--sessions"):
            yield from ((name, at, False) for name in names.split(","))


def _requirements(_: str, rest: list[str]) -> _NamesRun:
    for at, (word, name) in enumerate(pairwise(rest), 2):
        if word in ("-r", "--requirement"):
            yield f"./{name.removeprefix('./')}", at, False


_VERBS: Final = {"deno": ("task",), "pre-commit": ("run",), "composer": ("run", "run-script")}
_KINDS: Final[Mapping[str, Callable[[str, list[str]], _NamesRun]]] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _package_scripts),
    **dict.fromkeys(("make", "just", "task", "poe"), _targets),
    **dict.fromkeys(("tox", "nox"), _sessions),
    **dict.fromkeys(("pip", "pip3"), _requirements),
    **dict.fromkeys(_VERBS, _scripts_behind_verb),
}
