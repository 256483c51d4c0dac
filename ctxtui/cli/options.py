"""The options of every command, as a table. Imports no module that a command needs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from importlib import import_module
from operator import methodcaller
from typing import Any, NamedTuple

from ctxtui.cli.output.streams import log_to_stderr

Run = Callable[[argparse.Namespace], int]
Options = argparse._ActionsContainer
Option = Callable[[Options], object]
"""Adds itself to a parser."""
FORMAT_NAMES = ("markdown", "xml", "json")
OVER_NAMES = ("fail", "cut", "fit")
TREE_NAMES = ("picked", "all")
SECRET_NAMES = ("redact", "keep", "fail")
SCOPE_NAMES = ("meta", "text", "entries", "prompt")
LOG_NAMES = ("project", "all")
HOME_NAMES = ("clean", "mine")
SEVERITY_NAMES = ("error", "warning", "info")
REPORT_NAMES = ("table", "json", "sarif", "markdown", "comment")
TASK_NAMES = ("open", "blocked", "done", "not-done")


def lazily(runs: str) -> Run:
    """A function that imports a command's module when it runs. `runs` is `MODULE.FUNCTION`."""
    module, _, function = runs.rpartition(".")

    def run(arguments: argparse.Namespace) -> int:
        log_to_stderr()
        status = getattr(import_module(f"ctxtui.cli.{module}"), function)(arguments)
        return int(status)

    return run


def _option(names: str, words: str, **more: Any) -> Option:
    """An option or argument. `names` are separated by spaces. `words` are its help."""
    return methodcaller("add_argument", *names.split(), help=words, **more)


def _flag(names: str, words: str, **more: Any) -> Option:
    return _option(names, words, action="store_true", **more)


def _value(names: str, shown: str, words: str, **more: Any) -> Option:
    return _option(names, words, metavar=shown, **more)


def _values(name: str, shown: str, words: str, **more: Any) -> Option:
    """An option that can be repeated."""
    return _value(name, shown, words, action="append", **more)


def add_options(parser: Options, options: Iterable[Option]) -> None:
    for add in options:
        add(parser)


def _not_blank(word: str) -> str:
    """An option's value, unchanged. Raises ArgumentTypeError if it is blank, as an unset shell variable is."""
    if not word.strip():
        raise argparse.ArgumentTypeError("the value is empty; leave the option out, or give one")
    return word


def _token_limit(word: str) -> str:
    if word.strip().startswith("-"):
        raise argparse.ArgumentTypeError(f"{word.strip()} is negative; write 12000 or 12k")
    return _not_blank(word)


def run_option(words: str) -> Option:
    """`--run`, a known agent or a command that receives the payload. `words` are its help."""
    return _value("--run", "AGENT|CMD", words, dest="command")


_PATH = _value("path", "PATH", "the project's folder", nargs="?")
_DIRECTORY = _value("-C", "DIR", "the project (default: the current folder)", dest="directory")
_CWD = _value("--cwd", "DIR", "the folder where agents start (default: the project's)")
_REFERENCE = _value("--reference", "CODE", "the thread CTX-YYYY-MMDD-NNN")
_QUIET = _flag("-q --quiet", "print no messages to stderr")
_SECRETS = _option("--secrets", "how to handle secrets (default: redact)", choices=SECRET_NAMES)
FORMAT = _option("--format", "the export format", choices=FORMAT_NAMES)
RESTORING = (
    _value("-r --recipe", "NAME", "open with a saved recipe"),
    _flag("--fresh", "start empty, without the last selection"),
)
PROJECT = (
    _DIRECTORY,
    _flag("--refresh", "fetch a remote project again if it has changed"),
    _values("--include", "GLOB", "list only matching files"),
    _values("--exclude", "GLOB", "leave out matching files"),
)
_LISTING = (*PROJECT, _flag("--ignored", "include files that git ignores, and hidden ones"))
_MODEL = "--model", "M"
_TOKENIZER = (
    _value(*_MODEL, "count for a model, within its window", type=_not_blank),
    _value("--tokenizer", "T", "o200k_base (default), cl100k_base, heuristic", type=_not_blank),
)
BUDGET = (
    *_TOKENIZER,
    _value("--budget", "N", "the limit in tokens: 12000 or 12k", type=_token_limit),
    _value("--reserve", "N", "tokens of the model's window kept free for the answer", type=_token_limit),
)
_OUTPUT = (_flag("--json", "print one JSON document: result and notices"), _QUIET)
_PAYLOAD = (
    _option("--over", "over the budget: fail (default), cut or fit", choices=OVER_NAMES),
    _option("--format", "the export format (default: by FILE, else markdown)", choices=FORMAT_NAMES),
    _SECRETS,
    _value("-o", "FILE", "write to a file, atomically", dest="output", type=_not_blank),
    _flag("--force", "write even through a link that leads elsewhere, or over a file that is picked"),
    _flag("--copy", "copy to the clipboard"),
    run_option("hand the payload to an agent by its name, or pipe it to CMD"),
    _flag("--measure", "ask the vendor's endpoint for the payload's tokens, after you confirm"),
    _flag("--yes", "answer yes to what --measure asks"),
    *BUDGET,
)
_FLEET_FIGURES = (
    _value("--since", "RUN", "compare with this run, or `last` (default: the run before)"),
    _value("--limits", "FILE", "exit 1 if a repository breaks the policy in this TOML file"),
    _option("--fail-on", "exit 1 if a repository could not be audited", choices=("unaudited",)),
)


def _git_option(name: str, words: str) -> Option:
    """An option for git changes, with an optional base, range or `staged`. The last word of `name` is its key."""
    return _value(f"--{name}", "REF", words, dest=name.rpartition("-")[2], nargs="?", const="")


def _add_entry(parser: Any) -> None:
    doing = parser.add_subparsers(dest="what", required=True, metavar="query|add")
    common = (
        _value("--in", "DIR", "the entries directory, if there are several", dest="directory_name"),
        *PROJECT,
        *_OUTPUT,
    )
    query = (
        _value("--keywords", "TEXT", "text to find, ignoring case"),
        _value("--category", "C", "CustomerNote, MeetingNote, Decision, Lesson, …"),
        _values("--tag", "T", "one of these tags"),
        _REFERENCE,
        _value("--limit", "N", "maximum number of results", type=int),
    )
    add = (
        _value("content", "TEXT", "the text; - reads it from stdin"),
        _value("--category", "C", "CustomerNote, MeetingNote, Decision, …", required=True),
        _values("--tag", "T", "a tag; can be repeated"),
        _REFERENCE,
        _value("--id", "ID", "the entry's id (default: a new one)"),
        _flag("--replace", "replace the entry with that id; its old text is kept"),
        _value("--created", "TIME", "creation time, such as 2026-02-26T10:00:00Z (default: now)"),
    )
    add_options(doing.add_parser("query", help="entries that meet all filters, newest first"), (*query, *common))
    add_options(doing.add_parser("add", help="store an entry; its id is printed"), (*add, *common))


def _add_skill(parser: Any) -> None:
    doing = parser.add_subparsers(dest="what", required=True, metavar="install")
    install = doing.add_parser("install", help="show the skill and what it costs, and write it after you confirm")
    _value("--agent", "NAME", "claude-code, codex, … (default: the only one in use)")(install)
    where = install.add_mutually_exclusive_group()
    _flag("--user", "in your home folder, for all projects", dest="at_home")(where)
    _option("--project", "in the project (default)", dest="at_home", action="store_false")(where)
    yes = _flag("--yes", "write or remove without a question")
    remove = _flag("--remove", "remove the skill that ctxtui wrote")
    add_options(install, (yes, remove, *PROJECT, *_TOKENIZER, *_OUTPUT))


class Command(NamedTuple):
    """The description of a command, the module and function that run it, and its options."""

    about: str
    runs: str
    options: tuple[Option, ...]


def _command(about: str, runs: str, *options: Option) -> Command:
    return Command(about, runs, options)


COMMANDS: dict[str, Command] = {
    "ls": _command(
        "list every context file with its exact tokens",
        "explore.ls.run_ls",
        _PATH,
        _flag("--large", "also count large data that nobody sends"),
        _value("--depth", "N", "sum up folders N levels deep, not file by file", type=int),
        _flag("--short", "only ids and tokens; as JSON, tokens by id"),
        *(*_LISTING, *_TOKENIZER, *_OUTPUT),
    ),
    "show": _command(
        "show all metadata of a document, or its text",
        "explore.show.run_show",
        _value("ids", "ID[#SECTION]", "documents, by id, path or unambiguous suffix", nargs="+"),
        _values("--section", "NAME", "show the text of these sections"),
        _flag("--content", "show the text without frontmatter"),
        _flag("--outline", "show the outline of code, around the sections named"),
        _flag("--related", "list what it imports, what imports it, its tests, and who names it"),
        *(*_LISTING, *_TOKENIZER, *_OUTPUT),
    ),
    "search": _command(
        "find files, symbols and sections by name, metadata, text and meaning",
        "explore.search.run_search",
        _value("query", "QUERY", "words to search for", nargs="+"),
        _option(
            "--in",
            "search only there (default: names, symbols, headings, text)",
            dest="scope",
            choices=SCOPE_NAMES,
        ),
        _value("--domain", "D", "only this domain of a catalog"),
        _value("--limit", "N", "maximum number of hits (default: 20)", type=int, default=20),
        _flag("--short", "as JSON, only tokens by id"),
        *(*_LISTING, *_TOKENIZER, *_OUTPUT),
    ),
    "suggest": _command(
        "suggest what belongs to a task, within a budget",
        "payloads.suggest.run_suggest",
        _value("task", "TEXT|FILE|-", "the task, a file with it, or - for stdin", nargs="+"),
        _flag("--table", "tokens and reasons beside the ids, also to a pipe"),
        _option("--format", "the export format that the picks have to fit", choices=FORMAT_NAMES),
        *(*_LISTING, *BUDGET, *_OUTPUT),
    ),
    "build": _command(
        "assemble a payload without the screen",
        "payloads.build.run_build",
        _value("recipe", "RECIPE", "a saved recipe, by name or path", nargs="?"),
        _value("-r --recipe", "NAME", "the same, as ctxtui -r NAME opens it", dest="named"),
        _values(
            "--pick",
            "WORD",
            "add a document, ID#SECTION, ID#L10-L20, a folder or GLOB; !GLOB takes away; - reads words from stdin",
        ),
        _values("--outline", "WORD", "add outlines of code: an ID, a folder or GLOB; !GLOB likewise"),
        _values("--outputs", "WORD", "add the outputs of notebooks: an ID, a folder or GLOB; !GLOB likewise"),
        _value("--task", "TEXT|FILE|-", "add what `ctxtui suggest` finds for a task"),
        _git_option("changed", "add the changed files: since REF, of a..b, staged (default: the working tree)"),
        _git_option("changed-sections", "add only the sections of these files that changed"),
        _git_option("diff", "add the diff of each of these files"),
        _value("--log", "RANGE", "add the messages of these commits: main..HEAD"),
        _value("--related", "N", "add the files related to the picks, up to N steps away (1 to 3)", type=int),
        _option("--tasks", "narrow the picks to some of their tasks", choices=TASK_NAMES),
        _flag("-0", "ids on stdin end with NUL, not with a newline", dest="null"),
        _value("--prompt", "TEXT|@FILE", "a prompt block"),
        _option("--prompt-position", "position of the prompt", choices=("first", "last", "both")),
        _value("--template", "FILE", "a Jinja2 template of your own instead of --format"),
        _option(
            "--tree", "add the tree of the picked files, or of all", nargs="?", const="picked", choices=TREE_NAMES
        ),
        *(*_PAYLOAD, *_LISTING, *_OUTPUT),
    ),
    "check": _command(
        "find what is stale, missing or too large in recipes",
        "payloads.check.run_check",
        _value("recipe", "RECIPE", "one recipe (default: all in the project)", nargs="?"),
        *(*_LISTING, *BUDGET, *_OUTPUT),
    ),
    "audit": _command(
        "show what agents load, what it costs, and what is wrong",
        "audits.audit.run_audit_command",
        _value("paths", "PATH", "the project's folder, or several for one line each", nargs="*"),
        _CWD,
        _option(
            "--fail-on",
            "exit 1 on findings of this severity (info means notes) or higher",
            type=lambda name: "info" if name == "note" else name,
            choices=SEVERITY_NAMES,
        ),
        _value("--since", "REF", "show the cost of the changes since a git ref"),
        _value("--baseline", "FILE", "count only findings that are not in this file (limits always count)"),
        _value("--write-baseline", "FILE", "accept the current findings"),
        _flag("--force", "write the baseline over any file, or through a link that leads elsewhere"),
        _value("--touch", "FILE", "show what each agent also reads if FILE is touched"),
        _value("--history", "N", "show tokens over the last N commits", nargs="?", type=int, const=200),
        _values(
            "--weigh-mcp",
            "NAME[=DIGEST]|all",
            "start an MCP server and count its tools; without consent, show first what would run",
            default=[],
        ),
        _values("--agent", "NAME|all", "count an agent that the project names nowhere, too; all: every known agent"),
        _flag("--user", "also count what agents read in your home folder"),
        _option(
            "--logs",
            "read your own transcripts: what starts sent, were billed, and never used; with --slim, switch that off",
            nargs="?",
            const="project",
            choices=LOG_NAMES,
        ),
        _flag("--fix", "correct declared numbers, and ask before other changes"),
        _flag("--yes", "with --fix, write every change without a question"),
        _flag("--slim", "show changes that would save tokens at the start"),
        _values("--slim-apply", "ID", "write this change of the plan"),
        _flag("--slim-undo", "undo the change written last"),
        _flag("--every", "print all findings and places, without a limit"),
        _option("--format", "table (default), json, sarif, …", choices=REPORT_NAMES, default="table"),
        *(*PROJECT, *_TOKENIZER, *_OUTPUT),
    ),
    "start": _command(
        "show what agents send before you type, as predicted or captured",
        "audits.start.run_start",
        _value("agents", "AGENT", "agents by id, or all (default: those found)", nargs="*"),
        _flag("--capture", "start the installed ones, after you agree, and read what they send"),
        _CWD,
        _option(
            "--home",
            "with an empty home folder (default), or a copy of yours",
            choices=HOME_NAMES,
            default="clean",
        ),
        _flag("--project-code", "let the project's hooks, servers and plugins run"),
        _flag("--yes", "agree to what --capture asks"),
        _flag("--every", "print all files, without a limit"),
        *(*PROJECT, *_TOKENIZER, *_OUTPUT),
    ),
    "fleet": _command(
        "audit many repositories into one file of results",
        "audits.fleet.run_fleet_command",
        _value(
            "words",
            "LIST|FOLDER|-",
            "a list with a path or address on each line, a folder with repositories, or a list on stdin",
            nargs="+",
        ),
        _value("-o", "FILE", "the file for the results (default: fleet.db)", dest="output"),
        _flag("--fresh", "begin again if the last run did not end"),
        _value("--workers", "N", "processes on this machine (default: its cores)", type=int),
        _value("--scheduler", "ADDRESS", "use a Dask cluster: tcp://HOST:PORT or tls://HOST:PORT"),
        _value("--tls-ca", "FILE", "the certificate that signed those of the cluster"),
        _value("--tls-cert", "FILE", "your certificate for the cluster"),
        _value("--tls-key", "FILE", "its key"),
        _value("--seconds", "N", "the time for one repository (default: 300)", type=float),
        *(*_FLEET_FIGURES, *_TOKENIZER, *_OUTPUT),
    ),
    "fleet report": _command(
        "print what the results of a fleet say, or write them as a page",
        "audits.fleet_report.run_fleet_report",
        _value("file", "FILE", "the results that ctxtui fleet wrote"),
        _value("--html", "PAGE", "write one self-contained page (default: FILE with .html)", nargs="?", const=""),
        _flag("--force", "write the page over any file, or through a link that leads elsewhere"),
        _flag("--dump", "print every row as a line of JSON, to compare two runs"),
        _value("--run", "N", "the run to report (default: the last that ended)", dest="run_number", type=int),
        *_FLEET_FIGURES,
        _value(*_MODEL, "add what starts cost with a model, in dollars", type=_not_blank),
        *_OUTPUT,
    ),
    "mcp": _command(
        "serve the project to agents over the Model Context Protocol",
        "mcp.run_mcp",
        _value("path", "PATH", "the project's folder; nothing outside is served", nargs="?"),
        _value("--http", "PORT", "HTTP on this loopback port (0: any free one)", type=int),
        _value("--token-file", "FILE", "HTTP only: callers must send the token in FILE"),
        _flag("--allow-store", "let callers store business entries"),
        *(*PROJECT, _QUIET),
    ),
    "serve": _command(
        "show the app in a browser, on this machine only",
        "serve.run_serve",
        _PATH,
        _value("--port", "N", "the port on this machine (default: any free)", type=int, default=0),
        *(*RESTORING, *PROJECT, *BUDGET, FORMAT, _QUIET),
    ),
    "init": _command(
        "set up CI: a workflow, a pre-commit entry and limits",
        "audits.init.run_init",
        _PATH,
        _value("--source", "OWNER/NAME@REF", "the repository of ctxtui on GitHub (default: where pip got it)"),
        _flag("--yes", "write without a question"),
        *(*PROJECT, *_TOKENIZER, *_OUTPUT),
    ),
    "skill": _command("install a small skill that lets agents ask ctxtui", "skill.run_skill", _add_skill),
    "protocol": _command(
        "walk the five loading steps of a catalog's domain, with reasons",
        "explore.protocol.run_protocol_command",
        _value("domain", "DOMAIN", "a domain of the catalog"),
        _value("--project", "DIR", "project to detect frameworks in (default: the current project)"),
        _value("--catalog", "DIR", "the folder with the domains, if there are several"),
        _values("--trigger", "T", "a cross-domain trigger, such as auth_code"),
        _value("--max-files", "N", "the file budget (default: 6)", type=int, default=6),
        _flag("--build", "print the payload of the loaded files"),
        *(*_PAYLOAD, _DIRECTORY, *_OUTPUT),
    ),
    "entry": _command("query business entries, or add one", "explore.entry.run_entry", _add_entry),
    "retrieve": _command(
        "find the passages that answer a prompt",
        "explore.retrieve.run_retrieve",
        _value("prompt", "PROMPT", "question or task to find passages for"),
        _option("--provider", "the engine", choices=("filesystem", "mcp"), default="filesystem"),
        _value("--server", "NAME|URL|COMMAND", "the MCP engine (default: the only one configured)"),
        _value("--limit", "N", "maximum number of snippets (default: 5)", type=int),
        _value("--timeout", "S", "seconds to wait (default: none; MCP: from [mcp], or 15)", type=float),
        *(*_LISTING, *_OUTPUT),
    ),
    "load": _command(
        "print a .context directory as one summary within a budget",
        "explore.load.run_load",
        _value("path", "PATH", "the folder where the search for .context begins", nargs="?"),
        _DIRECTORY,
        _value("--budget", "N", "the limit in tokens: 12000 or 12k (default: 8000)", type=_token_limit),
        _value("--priority", "NAME", "the files to load first, in order", nargs="+", action="extend"),
        _value("--context-dir", "DIR", "the name of the context directory (default: .context)"),
        *(*_TOKENIZER, *_OUTPUT, _SECRETS),
    ),
    "help": _command(
        "show a page of the manual, or list the pages",
        "help.run_help",
        _value("topic", "TOPIC", "a page, or a command (default: list the pages)", nargs="?"),
    ),
}
