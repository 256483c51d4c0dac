"""The options of every command, as a table. Imports no module that a command needs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from ctxtui.cli.output.streams import log_to_stderr

Run = Callable[[argparse.Namespace], int]
Options = argparse._ActionsContainer
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


def _flag(parser: Options, names: str, words: str, **more: Any) -> None:
    """Add an option without a value. `names` are one or several, between spaces. `words` are its help."""
    parser.add_argument(*names.split(), action="store_true", help=words, **more)


def _value(parser: Options, names: str, shown: str, words: str, **more: Any) -> None:
    parser.add_argument(*names.split(), metavar=shown, help=words, **more)


def _values(parser: Options, name: str, shown: str, words: str, **more: Any) -> None:
    """Add an option that can be repeated."""
    _value(parser, name, shown, words, action="append", **more)


def project_options(parser: argparse.ArgumentParser) -> None:
    _value(parser, "-C", "DIR", "the project (default: the current folder)", dest="directory")
    _flag(parser, "--refresh", "fetch a remote project again if it has changed")
    _values(parser, "--include", "GLOB", "list only matching files")
    _values(parser, "--exclude", "GLOB", "leave out matching files")


def _listing_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that list files: the project, its files, ignored files."""
    project_options(parser)
    _flag(parser, "--ignored", "include files that git ignores, and hidden ones")


def _filled(word: str) -> str:
    """An option's value, unchanged. Raises ArgumentTypeError if it is blank, as an unset shell variable is."""
    if not word.strip():
        raise argparse.ArgumentTypeError("the value is empty; leave the option out, or give one")
    return word


def _size(word: str) -> str:
    if word.strip().startswith("-"):
        raise argparse.ArgumentTypeError(f"{word.strip()} is negative; write 12000 or 12k")
    return _filled(word)


def budget_options(parser: argparse.ArgumentParser) -> None:
    _tokenizer_options(parser)
    _value(parser, "--budget", "N", "the limit in tokens: 12000 or 12k", type=_size)
    _value(parser, "--reserve", "N", "tokens of the model's window kept free for the answer", type=_size)


def _tokenizer_options(parser: argparse.ArgumentParser) -> None:
    _value(parser, "--model", "M", "count for a model, within its window", type=_filled)
    _value(parser, "--tokenizer", "T", "o200k_base (default), cl100k_base, heuristic", type=_filled)


def _payload_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--over", choices=OVER_NAMES, help="over the budget: fail (default), cut or fit")
    parser.add_argument("--format", choices=FORMAT_NAMES, help="the export format (default: by FILE, else markdown)")
    _secrets_option(parser)
    _value(parser, "-o", "FILE", "write to a file, atomically", dest="output")
    _flag(parser, "--force", "write even through a link that leads elsewhere, or over a file that is picked")
    _flag(parser, "--copy", "copy to the clipboard")
    run_option(parser, "hand the payload to an agent by its name, or pipe it to CMD")
    _flag(parser, "--measure", "ask the vendor's endpoint for the payload's tokens, after you confirm")
    _flag(parser, "--yes", "answer yes to what --measure asks")
    budget_options(parser)


def run_option(parser: argparse.ArgumentParser, words: str) -> None:
    """Add `--run`, a known agent or a command that receives the payload. `words` are its help."""
    _value(parser, "--run", "AGENT|CMD", words, dest="command")


def _secrets_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--secrets", choices=SECRET_NAMES, help="how to handle secrets (default: redact)")


def _output_options(parser: argparse.ArgumentParser) -> None:
    _flag(parser, "--json", "print one JSON document: result and notices")
    _flag(parser, "-q --quiet", "print no messages to stderr")


def _add_ls(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project's folder")
    _flag(parser, "--large", "also count large data that nobody sends")
    _value(parser, "--depth", "N", "sum up folders N levels deep, not file by file", type=int)
    _flag(parser, "--short", "only ids and tokens; as JSON, tokens by id")
    _listing_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", metavar="ID[#SECTION]", help="documents, by id, path or unambiguous suffix")
    _values(parser, "--section", "NAME", "show the text of these sections")
    _flag(parser, "--content", "show the text without frontmatter")
    _flag(parser, "--outline", "show the outline of code, around the sections named")
    _flag(parser, "--related", "list what it imports, what imports it, its tests, and who names it")
    _listing_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words to search for")
    parser.add_argument(
        "--in", dest="scope", choices=SCOPE_NAMES, help="search only there (default: names, symbols, headings, text)"
    )
    _value(parser, "--domain", "D", "only this domain of a catalog")
    _value(parser, "--limit", "N", "maximum number of hits (default: 20)", type=int, default=20)
    _flag(parser, "--short", "as JSON, only tokens by id")
    _listing_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)


def _add_suggest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", nargs="+", metavar="TEXT|FILE|-", help="the task, a file with it, or - for stdin")
    _flag(parser, "--table", "tokens and reasons beside the ids, also to a pipe")
    parser.add_argument("--format", choices=FORMAT_NAMES, help="the export format that the picks have to fit")
    _listing_options(parser)
    budget_options(parser)
    _output_options(parser)


def _add_build(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recipe", nargs="?", metavar="RECIPE", help="a saved recipe, by name or path")
    _value(parser, "-r --recipe", "NAME", "the same, as ctxtui -r NAME opens it", dest="named")
    _values(
        parser,
        "--pick",
        "WORD",
        "add a document, ID#SECTION, ID#L10-L20, a folder or GLOB; !GLOB takes away; - reads words from stdin",
    )
    _values(parser, "--outline", "WORD", "add outlines of code: an ID, a folder or GLOB; !GLOB likewise")
    _values(parser, "--outputs", "WORD", "add the outputs of notebooks: an ID, a folder or GLOB; !GLOB likewise")
    _value(parser, "--task", "TEXT|FILE|-", "add what `ctxtui suggest` finds for a task")
    _git_options(parser)
    _value(parser, "--related", "N", "add the files related to the picks, up to N steps away (1 to 3)", type=int)
    parser.add_argument("--tasks", choices=TASK_NAMES, help="narrow the picks to some of their tasks")
    _flag(parser, "-0", "ids on stdin end with NUL, not with a newline", dest="null")
    _value(parser, "--prompt", "TEXT|@FILE", "a prompt block")
    parser.add_argument("--prompt-position", choices=("first", "last", "both"), help="position of the prompt")
    _value(parser, "--template", "FILE", "a Jinja2 template of your own instead of --format")
    parser.add_argument(
        "--tree", nargs="?", const="picked", choices=TREE_NAMES, help="add the tree of the picked files, or of all"
    )
    _payload_options(parser)
    _listing_options(parser)
    _output_options(parser)


def _git_options(parser: argparse.ArgumentParser) -> None:
    """Add `--changed`, `--changed-sections`, `--diff` with an optional base, range or `staged`, and `--log RANGE`."""
    told = {
        "changed": "add the changed files: since REF, of a..b, staged (default: the working tree)",
        "changed-sections": "add only the sections of these files that changed",
        "diff": "add the diff of each of these files",
    }
    for name, words in told.items():
        kind = name.rpartition("-")[2]
        parser.add_argument(f"--{name}", dest=kind, nargs="?", const="", metavar="REF", help=words)
    _value(parser, "--log", "RANGE", "add the messages of these commits: main..HEAD")


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recipe", nargs="?", metavar="RECIPE", help="one recipe (default: all in the project)")
    _listing_options(parser)
    budget_options(parser)
    _output_options(parser)


def _add_load(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the folder where the search for .context begins")
    _value(parser, "-C", "DIR", "the project (default: the current folder)", dest="directory")
    _value(parser, "--budget", "N", "the limit in tokens: 12000 or 12k (default: 8000)", type=_size)
    _value(parser, "--priority", "NAME", "the files to load first, in order", nargs="+", action="extend")
    _value(parser, "--context-dir", "DIR", "the name of the context directory (default: .context)")
    _tokenizer_options(parser)
    _output_options(parser)
    _secrets_option(parser)


def _add_protocol(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("domain", metavar="DOMAIN", help="a domain of the catalog")
    _value(parser, "--project", "DIR", "project to detect frameworks in (default: the current project)")
    _value(parser, "--catalog", "DIR", "the folder with the domains, if there are several")
    _values(parser, "--trigger", "T", "a cross-domain trigger, such as auth_code")
    _value(parser, "--max-files", "N", "the file budget (default: 6)", type=int, default=6)
    _flag(parser, "--build", "print the payload of the loaded files")
    _payload_options(parser)
    _value(parser, "-C", "DIR", "the project (default: the current folder)", dest="directory")
    _output_options(parser)


def _add_audit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="the project's folder, or several for one line each")
    _value(parser, "--cwd", "DIR", "the folder where agents start (default: the project's)")
    parser.add_argument(
        "--fail-on",
        type=lambda name: "info" if name == "note" else name,
        choices=SEVERITY_NAMES,
        help="exit 1 on findings of this severity (info means notes) or higher",
    )
    _value(parser, "--since", "REF", "show the cost of the changes since a git ref")
    _value(parser, "--baseline", "FILE", "count only findings that are not in this file (limits always count)")
    _value(parser, "--write-baseline", "FILE", "accept the current findings")
    _flag(parser, "--force", "write the baseline over any file, or through a link that leads elsewhere")
    _value(parser, "--touch", "FILE", "show what each agent also reads if FILE is touched")
    _value(parser, "--history", "N", "show tokens over the last N commits", nargs="?", type=int, const=200)
    _values(
        parser,
        "--weigh-mcp",
        "NAME[=DIGEST]|all",
        "start an MCP server and count its tools; without consent, show first what would run",
        default=[],
    )
    words = "count an agent that the project names nowhere, too; all: every known agent"
    _values(parser, "--agent", "NAME|all", words)
    _flag(parser, "--user", "also count what agents read in your home folder")
    parser.add_argument(
        "--logs",
        nargs="?",
        const="project",
        choices=LOG_NAMES,
        help="read your own transcripts: what starts sent, were billed, and never used; with --slim, switch that off",
    )
    _flag(parser, "--fix", "correct declared numbers, and ask before other changes")
    _flag(parser, "--yes", "with --fix, write every change without a question")
    _flag(parser, "--slim", "show changes that would save tokens at the start")
    _values(parser, "--slim-apply", "ID", "write this change of the plan")
    _flag(parser, "--slim-undo", "undo the change written last")
    _flag(parser, "--every", "print all findings and places, without a limit")
    parser.add_argument("--format", choices=REPORT_NAMES, default="table", help="table (default), json, sarif, …")
    project_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)


def _add_start(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="agents by id, or all (default: those found)")
    _flag(parser, "--capture", "start the installed ones, after you agree, and read what they send")
    _value(parser, "--cwd", "DIR", "the folder where agents start (default: the project's)")
    parser.add_argument(
        "--home", choices=HOME_NAMES, default="clean", help="with an empty home folder (default), or a copy of yours"
    )
    _flag(parser, "--project-code", "let the project's hooks, servers and plugins run")
    _flag(parser, "--yes", "agree to what --capture asks")
    _flag(parser, "--every", "print all files, without a limit")
    project_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)


def _add_fleet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        nargs="+",
        metavar="LIST|FOLDER|-",
        help="a list with a path or address on each line, a folder with repositories, or a list on stdin",
    )
    _value(parser, "-o", "FILE", "the file for the results (default: fleet.db)", dest="output")
    _flag(parser, "--fresh", "begin again if the last run did not end")
    _value(parser, "--workers", "N", "processes on this machine (default: its cores)", type=int)
    _value(parser, "--scheduler", "ADDRESS", "use a Dask cluster: tcp://HOST:PORT or tls://HOST:PORT")
    _value(parser, "--tls-ca", "FILE", "the certificate that signed those of the cluster")
    _value(parser, "--tls-cert", "FILE", "your certificate for the cluster")
    _value(parser, "--tls-key", "FILE", "its key")
    _value(parser, "--seconds", "N", "the time for one repository (default: 300)", type=float)
    _fleet_figure_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)


def _add_fleet_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the results that ctxtui fleet wrote")
    _value(parser, "--html", "PAGE", "write one self-contained page (default: FILE with .html)", nargs="?", const="")
    _flag(parser, "--force", "write the page over any file, or through a link that leads elsewhere")
    _flag(parser, "--dump", "print every row as a line of JSON, to compare two runs")
    _value(parser, "--run", "N", "the run to report (default: the last that ended)", dest="run_number", type=int)
    _fleet_figure_options(parser)
    _value(parser, "--model", "M", "add what starts cost with a model, in dollars", type=_filled)
    _output_options(parser)


def _fleet_figure_options(parser: argparse.ArgumentParser) -> None:
    _value(parser, "--since", "RUN", "compare with this run, or `last` (default: the run before)")
    _value(parser, "--limits", "FILE", "exit 1 if a repository breaks the policy in this TOML file")
    parser.add_argument("--fail-on", choices=("unaudited",), help="exit 1 if a repository could not be audited")


def _add_mcp(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project's folder; nothing outside is served")
    _value(parser, "--http", "PORT", "HTTP on this loopback port (0: any free one)", type=int)
    _value(parser, "--token-file", "FILE", "HTTP only: callers must send the token in FILE")
    _flag(parser, "--allow-store", "let callers store business entries")
    project_options(parser)
    _flag(parser, "-q --quiet", "print no messages to stderr")


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project's folder")
    _value(parser, "--port", "N", "the port on this machine (default: any free)", type=int, default=0)
    _value(parser, "-r --recipe", "NAME", "open with a saved recipe")
    _flag(parser, "--fresh", "start empty, without the last selection")
    project_options(parser)
    budget_options(parser)
    parser.add_argument("--format", choices=FORMAT_NAMES, help="the export format")
    _flag(parser, "-q --quiet", "print no messages to stderr")


def _add_retrieve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompt", metavar="PROMPT", help="question or task to find passages for")
    parser.add_argument("--provider", choices=("filesystem", "mcp"), default="filesystem", help="the engine")
    _value(parser, "--server", "NAME|URL|COMMAND", "the MCP engine (default: the only one configured)")
    _value(parser, "--limit", "N", "maximum number of snippets (default: 5)", type=int)
    _value(parser, "--timeout", "S", "seconds to wait (default: none; MCP: from [mcp], or 15)", type=float)
    _listing_options(parser)
    _output_options(parser)


def _add_entry(parser: argparse.ArgumentParser) -> None:
    doing = parser.add_subparsers(dest="what", required=True, metavar="query|add")
    query = doing.add_parser("query", help="entries that meet all filters, newest first")
    _value(query, "--keywords", "TEXT", "text to find, ignoring case")
    _value(query, "--category", "C", "CustomerNote, MeetingNote, Decision, Lesson, …")
    _values(query, "--tag", "T", "one of these tags")
    _value(query, "--reference", "CODE", "the thread CTX-YYYY-MMDD-NNN")
    _value(query, "--limit", "N", "maximum number of results", type=int)
    add = doing.add_parser("add", help="store an entry; its id is printed")
    add.add_argument("content", metavar="TEXT", help="the text; - reads it from stdin")
    _value(add, "--category", "C", "CustomerNote, MeetingNote, Decision, …", required=True)
    _values(add, "--tag", "T", "a tag; can be repeated")
    _value(add, "--reference", "CODE", "the thread CTX-YYYY-MMDD-NNN")
    _value(add, "--id", "ID", "the entry's id (default: a new one)")
    _flag(add, "--replace", "replace the entry with that id; its old text is kept")
    _value(add, "--created", "TIME", "creation time, such as 2026-02-26T10:00:00Z (default: now)")
    for each in (query, add):
        _value(each, "--in", "DIR", "the entries directory, if there are several", dest="directory_name")
        project_options(each)
        _output_options(each)


def _add_skill(parser: argparse.ArgumentParser) -> None:
    doing = parser.add_subparsers(dest="what", required=True, metavar="install")
    install = doing.add_parser("install", help="show the skill and what it costs, and write it after you confirm")
    _value(install, "--agent", "NAME", "claude-code, codex, … (default: the only one in use)")
    where = install.add_mutually_exclusive_group()
    _flag(where, "--user", "in your home folder, for all projects", dest="at_home")
    where.add_argument("--project", dest="at_home", action="store_false", help="in the project (default)")
    _flag(install, "--yes", "write or remove without a question")
    _flag(install, "--remove", "remove the skill that ctxtui wrote")
    project_options(install)
    _tokenizer_options(install)
    _output_options(install)


def _add_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project's folder")
    _value(parser, "--source", "OWNER/NAME@REF", "the repository of ctxtui on GitHub (default: where pip got it)")
    _flag(parser, "--yes", "write without a question")
    project_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)


def _add_help(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="a page, or a command (default: list the pages)")


class Command(NamedTuple):
    """The description of a command, the function that adds its options, and the module and function that run it."""

    about: str
    add: Callable[[argparse.ArgumentParser], None]
    runs: str


COMMANDS: dict[str, Command] = {
    "ls": Command("list every context file with its exact tokens", _add_ls, "explore.ls.run_ls"),
    "show": Command("show all metadata of a document, or its text", _add_show, "explore.show.run_show"),
    "search": Command(
        "find files, symbols and sections by name, metadata, text and meaning",
        _add_search,
        "explore.search.run_search",
    ),
    "suggest": Command(
        "suggest what belongs to a task, within a budget", _add_suggest, "payloads.suggest.run_suggest"
    ),
    "build": Command("assemble a payload without the screen", _add_build, "payloads.build.run_build"),
    "check": Command("find what is stale, missing or too large in recipes", _add_check, "payloads.check.run_check"),
    "audit": Command(
        "show what agents load, what it costs, and what is wrong", _add_audit, "audits.audit.run_audit_command"
    ),
    "start": Command(
        "show what agents send before you type, as predicted or captured", _add_start, "audits.start.run_start"
    ),
    "fleet": Command(
        "audit many repositories into one file of results", _add_fleet, "audits.fleet.run_fleet_command"
    ),
    "fleet report": Command(
        "print what the results of a fleet say, or write them as a page",
        _add_fleet_report,
        "audits.fleet_report.run_fleet_report",
    ),
    "mcp": Command("serve the project to agents over the Model Context Protocol", _add_mcp, "mcp.run_mcp"),
    "serve": Command("show the app in a browser, on this machine only", _add_serve, "serve.run_serve"),
    "init": Command("set up CI: a workflow, a pre-commit entry and limits", _add_init, "audits.init.run_init"),
    "skill": Command("install a small skill that lets agents ask ctxtui", _add_skill, "skill.run_skill"),
    "protocol": Command(
        "walk the five loading steps of a catalog's domain, with reasons",
        _add_protocol,
        "explore.protocol.run_protocol_command",
    ),
    "entry": Command("query business entries, or add one", _add_entry, "explore.entry.run_entry"),
    "retrieve": Command("find the passages that answer a prompt", _add_retrieve, "explore.retrieve.run_retrieve"),
    "load": Command("print a .context directory as one summary within a budget", _add_load, "explore.load.run_load"),
    "help": Command("show a page of the manual, or list the pages", _add_help, "help.run_help"),
}
