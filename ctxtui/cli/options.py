"""The options of every command, as a table. Imports no module that a command needs."""

from __future__ import annotations

import argparse
from collections.abc import Callable

Run = Callable[[argparse.Namespace], int]
FORMAT_NAMES = ("markdown", "xml", "json")
OVER_NAMES = ("fail", "cut", "fit")
TREE_NAMES = ("picked", "all")
SECRET_NAMES = ("redact", "keep", "fail")
SCOPE_NAMES = ("meta", "text", "entries", "prompt")
LOG_NAMES = ("project", "all")
HOME_NAMES = ("clean", "mine")
SEVERITY_NAMES = ("error", "warning", "info")
REPORT_NAMES = ("table", "json", "sarif", "markdown")
TASK_NAMES = ("open", "blocked", "done", "not-done")


def lazily(module: str, function: str) -> Run:
    def run(arguments: argparse.Namespace) -> int:
        from importlib import import_module  # noqa: PLC0415 - lazily, as the docstring says

        from ctxtui.core.base.tuning import collect_rarely  # noqa: PLC0415 - only once a command runs

        # Importing creates the first hundred thousand objects.
        collect_rarely()
        from ctxtui.cli.streams import log_to_stderr  # noqa: PLC0415

        log_to_stderr()
        status = getattr(import_module(f"ctxtui.cli.{module}"), function)(arguments)
        return int(status)

    return run


def project_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-C", dest="directory", metavar="DIR", help="the project (default: the current folder)")
    parser.add_argument("--refresh", action="store_true", help="fetch a remote project again if it has changed")
    parser.add_argument("--include", action="append", metavar="GLOB", help="list only matching files")
    parser.add_argument("--exclude", action="append", metavar="GLOB", help="leave out matching files")


def _listing_options(parser: argparse.ArgumentParser) -> None:
    """Which project, which of its files, and whether ignored files count: for all commands that list files."""
    project_options(parser)
    parser.add_argument("--ignored", action="store_true", help="include files that git ignores, and hidden ones")


def _filled(word: str) -> str:
    """A non-empty value. Values of shell variables may be empty."""
    if not word.strip():
        raise argparse.ArgumentTypeError("the value is empty; leave the option out, or give one")
    return word


def _size(word: str) -> str:
    if word.strip().startswith("-"):
        raise argparse.ArgumentTypeError(f"{word.strip()} is negative; write 12000 or 12k")
    return _filled(word)


def budget_options(parser: argparse.ArgumentParser) -> None:
    _tokenizer_options(parser)
    parser.add_argument("--budget", type=_size, metavar="N", help="the limit in tokens: 12000 or 12k")
    parser.add_argument(
        "--reserve", type=_size, metavar="N", help="tokens of the model's window kept free for the answer"
    )


def _tokenizer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", type=_filled, metavar="M", help="count for a model, within its window")
    parser.add_argument("--tokenizer", type=_filled, metavar="T", help="o200k_base (default), cl100k_base, heuristic")


def _payload_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--over", choices=OVER_NAMES, help="over the budget: fail (default), cut or fit")
    parser.add_argument("--format", choices=FORMAT_NAMES, help="the export format (default: markdown)")
    _secrets_option(parser)
    parser.add_argument("-o", dest="output", metavar="FILE", help="write to a file, atomically")
    _force_option(parser, "write even through a link that leads elsewhere, or over a file that is picked")
    parser.add_argument("--copy", action="store_true", help="copy to the clipboard")
    run_option(parser, "hand the payload to an agent by its name, or pipe it to CMD")
    parser.add_argument(
        "--measure", action="store_true", help="ask the vendor's endpoint for the payload's tokens, after you confirm"
    )
    parser.add_argument("--yes", action="store_true", help="answer yes to what --measure asks")
    budget_options(parser)


def _force_option(parser: argparse.ArgumentParser, words: str) -> None:
    parser.add_argument("--force", action="store_true", help=words)


def run_option(parser: argparse.ArgumentParser, words: str) -> None:
    """The receiver of the payload: the name of a known agent, or a command."""
    parser.add_argument("--run", metavar="AGENT|CMD", dest="command", help=words)


def _secrets_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--secrets", choices=SECRET_NAMES, help="how to handle secrets (default: redact)")


def _output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document: result and notices")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no messages to stderr")


def _add_ls(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project's folder")
    parser.add_argument("--large", action="store_true", help="also count large data that nobody sends")
    parser.add_argument("--depth", type=int, metavar="N", help="sum up folders N levels deep, not file by file")
    parser.add_argument("--short", action="store_true", help="only ids and tokens; as JSON, tokens by id")
    _listing_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)
    parser.set_defaults(run=lazily("ls", "run_ls"))


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", metavar="ID[#SECTION]", help="documents, by id, path or unambiguous suffix")
    parser.add_argument("--section", action="append", metavar="NAME", help="show the text of these sections")
    parser.add_argument("--content", action="store_true", help="show the text without frontmatter")
    parser.add_argument("--outline", action="store_true", help="show the outline of code, around the sections named")
    parser.add_argument(
        "--related", action="store_true", help="list what it imports, what imports it, its tests, and who names it"
    )
    _listing_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)
    parser.set_defaults(run=lazily("show", "run_show"))


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words to search for")
    parser.add_argument(
        "--in", dest="scope", choices=SCOPE_NAMES, help="search only there (default: names, symbols, headings, text)"
    )
    parser.add_argument("--domain", metavar="D", help="only this domain of a catalog")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="maximum number of hits (default: 20)")
    parser.add_argument("--short", action="store_true", help="as JSON, only tokens by id")
    _listing_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)
    parser.set_defaults(run=lazily("search", "run_search"))


def _add_suggest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", nargs="+", metavar="TEXT|FILE|-", help="the task, a file with it, or - for stdin")
    parser.add_argument("--table", action="store_true", help="tokens and reasons beside the ids, also to a pipe")
    parser.add_argument("--format", choices=FORMAT_NAMES, help="the export format that the picks have to fit")
    _listing_options(parser)
    budget_options(parser)
    _output_options(parser)
    parser.set_defaults(run=lazily("suggest", "run_suggest"))


def _add_build(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recipe", nargs="?", metavar="RECIPE", help="a saved recipe, by name or path")
    parser.add_argument("-r", "--recipe", dest="named", metavar="NAME", help="the same, as ctxtui -r NAME opens it")
    parser.add_argument(
        "--pick",
        action="append",
        metavar="WORD",
        help="add a document, ID#SECTION, ID#L10-L20, a folder or GLOB; !GLOB takes away; - reads words from stdin",
    )
    parser.add_argument(
        "--outline",
        action="append",
        metavar="WORD",
        help="add outlines of code: an ID, a folder or GLOB; !GLOB likewise",
    )
    parser.add_argument(
        "--outputs",
        action="append",
        metavar="WORD",
        help="add the outputs of notebooks: an ID, a folder or GLOB; !GLOB likewise",
    )
    parser.add_argument("--task", metavar="TEXT|FILE|-", help="add what `ctxtui suggest` finds for a task")
    _git_options(parser)
    parser.add_argument(
        "--related", type=int, metavar="N", help="add the files related to the picks, up to N steps away (1 to 3)"
    )
    parser.add_argument("--tasks", choices=TASK_NAMES, help="narrow the picks to some of their tasks")
    parser.add_argument("-0", dest="null", action="store_true", help="ids on stdin end with NUL, not with a newline")
    parser.add_argument("--prompt", metavar="TEXT|@FILE", help="a prompt block")
    parser.add_argument("--prompt-position", choices=("first", "last", "both"), help="position of the prompt")
    parser.add_argument("--template", metavar="FILE", help="a Jinja2 template of your own instead of --format")
    parser.add_argument(
        "--tree", nargs="?", const="picked", choices=TREE_NAMES, help="add the tree of the picked files, or of all"
    )
    _payload_options(parser)
    _listing_options(parser)
    _output_options(parser)
    parser.set_defaults(run=lazily("build", "run_build"))


def _git_options(parser: argparse.ArgumentParser) -> None:
    """`--changed`, `--changed-sections` and `--diff` with an optional base, range or `staged`; `--log RANGE`."""
    told = {
        "changed": "add the changed files: since REF, of a..b, staged (default: the working tree)",
        "changed-sections": "add only the sections of these files that changed",
        "diff": "add the diff of each of these files",
    }
    for name, words in told.items():
        kind = name.rpartition("-")[2]
        parser.add_argument(f"--{name}", dest=kind, nargs="?", const="", metavar="REF", help=words)
    parser.add_argument("--log", metavar="RANGE", help="add the messages of these commits: main..HEAD")


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recipe", nargs="?", metavar="RECIPE", help="one recipe (default: all in the project)")
    _listing_options(parser)
    budget_options(parser)
    _output_options(parser)
    parser.set_defaults(run=lazily("check", "run_check"))


def _add_load(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the folder where the search for .context begins")
    parser.add_argument("-C", dest="directory", metavar="DIR", help="the project (default: the current folder)")
    parser.add_argument("--budget", type=_size, metavar="N", help="the limit in tokens: 12000 or 12k (default: 8000)")
    parser.add_argument(
        "--priority", nargs="+", action="extend", metavar="NAME", help="the files to load first, in order"
    )
    parser.add_argument("--context-dir", metavar="DIR", help="the name of the context directory (default: .context)")
    _tokenizer_options(parser)
    _output_options(parser)
    _secrets_option(parser)
    parser.set_defaults(run=lazily("load", "run_load"))


def _add_protocol(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("domain", metavar="DOMAIN", help="a domain of the catalog")
    parser.add_argument(
        "--project", metavar="DIR", help="project to detect frameworks in (default: the current project)"
    )
    parser.add_argument("--catalog", metavar="DIR", help="the folder with the domains, if there are several")
    parser.add_argument("--trigger", action="append", metavar="T", help="a cross-domain trigger, such as auth_code")
    parser.add_argument("--max-files", type=int, default=6, metavar="N", help="the file budget (default: 6)")
    parser.add_argument("--build", action="store_true", help="print the payload of the loaded files")
    _payload_options(parser)
    parser.add_argument("-C", dest="directory", metavar="DIR", help="the project (default: the current folder)")
    _output_options(parser)
    parser.set_defaults(run=lazily("protocol", "run_protocol_command"))


def _add_audit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="the project's folder, or several for one line each")
    parser.add_argument("--cwd", metavar="DIR", help="the folder where agents start (default: the project's)")
    parser.add_argument("--fail-on", choices=SEVERITY_NAMES, help="exit 1 on findings of this severity or higher")
    parser.add_argument("--since", metavar="REF", help="show the cost of the changes since a git ref")
    parser.add_argument("--baseline", metavar="FILE", help="count only findings that are not in this file")
    parser.add_argument("--write-baseline", metavar="FILE", help="accept the current findings")
    _force_option(parser, "write the baseline over any file, or through a link that leads elsewhere")
    parser.add_argument("--touch", metavar="FILE", help="show what each agent also reads if FILE is touched")
    parser.add_argument(
        "--history", nargs="?", type=int, const=200, metavar="N", help="show tokens over the last N commits"
    )
    parser.add_argument(
        "--weigh-mcp",
        action="append",
        default=[],
        metavar="NAME[=DIGEST]|all",
        help="start an MCP server and count its tools; without consent, show first what would run",
    )
    _agent_option(parser)
    parser.add_argument("--user", action="store_true", help="also count what agents read in your home folder")
    parser.add_argument(
        "--logs",
        nargs="?",
        const="project",
        choices=LOG_NAMES,
        help="read your own transcripts: what starts sent, were billed, and never used",
    )
    parser.add_argument("--fix", action="store_true", help="correct declared numbers, and ask before other changes")
    parser.add_argument("--yes", action="store_true", help="with --fix, write every change without a question")
    parser.add_argument("--slim", action="store_true", help="show changes that would save tokens at the start")
    parser.add_argument("--slim-apply", action="append", metavar="ID", help="write this change of the plan")
    parser.add_argument("--slim-undo", action="store_true", help="undo the change written last")
    parser.add_argument("--every", action="store_true", help="print all findings and places, without a limit")
    parser.add_argument("--format", choices=REPORT_NAMES, default="table", help="table (default), json, sarif, …")
    project_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)
    parser.set_defaults(run=lazily("audit", "run_audit_command"))


def _agent_option(parser: argparse.ArgumentParser) -> None:
    words = "count an agent that the project names nowhere, too; all: every known agent"
    parser.add_argument("--agent", action="append", metavar="NAME|all", help=words)


def _add_start(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="agents by id, or all (default: those found)")
    parser.add_argument(
        "--capture", action="store_true", help="start the installed ones, after you agree, and read what they send"
    )
    parser.add_argument("--cwd", metavar="DIR", help="the folder where agents start (default: the project's)")
    parser.add_argument(
        "--home", choices=HOME_NAMES, default="clean", help="with an empty home folder (default), or a copy of yours"
    )
    parser.add_argument(
        "--project-code", action="store_true", help="let the project's hooks, servers and plugins run"
    )
    parser.add_argument("--yes", action="store_true", help="agree to what --capture asks")
    parser.add_argument("--every", action="store_true", help="print all files, without a limit")
    project_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)
    parser.set_defaults(run=lazily("start", "run_start"))


def _add_fleet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        nargs="+",
        metavar="LIST|FOLDER|-",
        help="a list with a path or address on each line, a folder with repositories, or a list on stdin",
    )
    parser.add_argument("-o", dest="output", metavar="FILE", help="the file for the results (default: fleet.db)")
    parser.add_argument("--fresh", action="store_true", help="begin again if the last run did not end")
    parser.add_argument("--workers", type=int, metavar="N", help="processes on this machine (default: its cores)")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="use a Dask cluster: tcp://HOST:PORT or tls://HOST:PORT"
    )
    parser.add_argument("--tls-ca", metavar="FILE", help="the certificate that signed those of the cluster")
    parser.add_argument("--tls-cert", metavar="FILE", help="your certificate for the cluster")
    parser.add_argument("--tls-key", metavar="FILE", help="its key")
    parser.add_argument("--seconds", type=float, metavar="N", help="the time for one repository (default: 300)")
    _fleet_figure_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)
    parser.set_defaults(run=lazily("fleet", "run_fleet_command"))


def _add_fleet_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the results that ctxtui fleet wrote")
    parser.add_argument(
        "--html", nargs="?", const="", metavar="PAGE", help="write one self-contained page (default: FILE with .html)"
    )
    _force_option(parser, "write the page over any file, or through a link that leads elsewhere")
    parser.add_argument("--dump", action="store_true", help="print every row as a line of JSON, to compare two runs")
    parser.add_argument(
        "--run", dest="run_number", type=int, metavar="N", help="the run to report (default: the last that ended)"
    )
    _fleet_figure_options(parser)
    parser.add_argument("--model", type=_filled, metavar="M", help="add what starts cost with a model, in dollars")
    _output_options(parser)
    parser.set_defaults(run=lazily("fleet_report", "run_fleet_report"))


def _fleet_figure_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="RUN", help="compare with this run, or `last` (default: the run before)")
    parser.add_argument("--limits", metavar="FILE", help="exit 1 if a repository breaks the policy in this TOML file")
    parser.add_argument("--fail-on", choices=("unaudited",), help="exit 1 if a repository could not be audited")


def _add_mcp(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project's folder; nothing outside is served")
    parser.add_argument("--http", type=int, metavar="PORT", help="HTTP on this loopback port (0: any free one)")
    parser.add_argument("--token-file", metavar="FILE", help="HTTP only: callers must send the token in FILE")
    parser.add_argument("--allow-store", action="store_true", help="let callers store business entries")
    project_options(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="print no messages to stderr")
    parser.set_defaults(run=lazily("mcp", "run_mcp"))


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project's folder")
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="the port on this machine (default: any free)"
    )
    parser.add_argument("-r", "--recipe", metavar="NAME", help="open with a saved recipe")
    parser.add_argument("--fresh", action="store_true", help="start empty, without the last selection")
    project_options(parser)
    budget_options(parser)
    parser.add_argument("--format", choices=FORMAT_NAMES, help="the export format")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no messages to stderr")
    parser.set_defaults(run=lazily("serve", "run_serve"))


def _add_retrieve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompt", metavar="PROMPT", help="question or task to find passages for")
    parser.add_argument("--provider", choices=("filesystem", "mcp"), default="filesystem", help="the engine")
    parser.add_argument(
        "--server", metavar="NAME|URL|COMMAND", help="the MCP engine (default: the only one configured)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="maximum number of snippets (default: 5)")
    parser.add_argument(
        "--timeout", type=float, metavar="S", help="seconds to wait (default: none; MCP: from [mcp], or 15)"
    )
    _listing_options(parser)
    _output_options(parser)
    parser.set_defaults(run=lazily("retrieve", "run_retrieve"))


def _add_entry(parser: argparse.ArgumentParser) -> None:
    doing = parser.add_subparsers(dest="what", required=True, metavar="query|add")
    query = doing.add_parser("query", help="entries that meet all filters, newest first")
    query.add_argument("--keywords", metavar="TEXT", help="text to find, ignoring case")
    query.add_argument("--category", metavar="C", help="CustomerNote, MeetingNote, Decision, Lesson, …")
    query.add_argument("--tag", action="append", metavar="T", help="one of these tags")
    query.add_argument("--reference", metavar="CODE", help="the thread CTX-YYYY-MMDD-NNN")
    query.add_argument("--limit", type=int, metavar="N", help="maximum number of results")
    add = doing.add_parser("add", help="store an entry; its id is printed")
    add.add_argument("content", metavar="TEXT", help="the text; - reads it from stdin")
    add.add_argument("--category", required=True, metavar="C", help="CustomerNote, MeetingNote, Decision, …")
    add.add_argument("--tag", action="append", metavar="T", help="a tag; can be repeated")
    add.add_argument("--reference", metavar="CODE", help="the thread CTX-YYYY-MMDD-NNN")
    add.add_argument("--id", metavar="ID", help="the entry's id (default: a new one)")
    add.add_argument("--replace", action="store_true", help="replace the entry with that id; its old text is kept")
    add.add_argument("--created", metavar="TIME", help="creation time, such as 2026-02-26T10:00:00Z (default: now)")
    for each in (query, add):
        each.add_argument(
            "--in", dest="directory_name", metavar="DIR", help="the entries directory, if there are several"
        )
        project_options(each)
        _output_options(each)
    parser.set_defaults(run=lazily("entry", "run_entry"))


def _add_skill(parser: argparse.ArgumentParser) -> None:
    doing = parser.add_subparsers(dest="what", required=True, metavar="install")
    install = doing.add_parser("install", help="show the skill and what it costs, and write it after you confirm")
    install.add_argument("--agent", metavar="NAME", help="claude-code, codex, … (default: the only one in use)")
    where = install.add_mutually_exclusive_group()
    where.add_argument("--user", dest="at_home", action="store_true", help="in your home folder, for all projects")
    where.add_argument("--project", dest="at_home", action="store_false", help="in the project (default)")
    install.add_argument("--yes", action="store_true", help="write or remove without a question")
    install.add_argument("--remove", action="store_true", help="remove the skill that ctxtui wrote")
    project_options(install)
    _tokenizer_options(install)
    _output_options(install)
    parser.set_defaults(run=lazily("skill", "run_skill"))


def _add_help(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="a page, or a command (default: list the pages)")
    parser.set_defaults(run=lazily("help", "run_help"))


COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "ls": ("list every context file with its exact tokens", _add_ls),
    "show": ("show all metadata of a document, or its text", _add_show),
    "search": ("find files, symbols and sections by name, metadata, text and meaning", _add_search),
    "suggest": ("suggest what belongs to a task, within a budget", _add_suggest),
    "build": ("assemble a payload without the screen", _add_build),
    "check": ("find what is stale, missing or too large in recipes", _add_check),
    "audit": ("show what agents load, what it costs, and what is wrong", _add_audit),
    "start": ("show what agents send before you type, as predicted or captured", _add_start),
    "fleet": ("audit many repositories into one file of results", _add_fleet),
    "fleet report": ("print what the results of a fleet say, or write them as a page", _add_fleet_report),
    "mcp": ("serve the project to agents over the Model Context Protocol", _add_mcp),
    "serve": ("show the app in a browser, on this machine only", _add_serve),
    "skill": ("install a small skill that lets agents ask ctxtui", _add_skill),
    "protocol": ("walk the five loading steps of a catalog's domain, with reasons", _add_protocol),
    "entry": ("query business entries, or add one", _add_entry),
    "retrieve": ("find the passages that answer a prompt", _add_retrieve),
    "load": ("print a .context directory as one summary within a budget", _add_load),
    "help": ("show a page of the manual, or list the pages", _add_help),
}
"""The description of each command, and the function that adds its options."""
