"""What tests and modules do not do, with every exception and its reason: private names, sleeps, one system's modules."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator

from tests.cases import cases
from tests.conftest import REPOSITORY, sources

_DRAWN = "Textual shows in public a picture alone, without cells, links and characters"
_PRIVATE = {
    "tui/acting.py": {
        **dict.fromkeys(("_compositor", "_background_screens"), _DRAWN),
        **dict.fromkeys(("_queue", "_message_queue"), "a widget waits for messages, or has some"),
    },
    "tui/conftest.py": {
        **dict.fromkeys(("_parse_rules", "_variables"), "apps share the parsed stylesheets"),
        **dict.fromkeys(("_dirty_regions", "_get_renders"), "no terminal takes the frames"),
    },
    "cli/test_problems.py": {"_write": "what is printed, line by line"},
    "core/test_encodings.py": dict.fromkeys(("_pat_str", "_special_tokens"), "compared with tiktoken's definition"),
    "slices/test_slices_adversarial.py": {"_get": "what a hostile provider tries"},
    "warm.py": {"_run_exitfuncs": "a process ends as Python ends it, but for its memory"},
}
_POLLED = "asks again and again for what tells nobody when it comes"
_AMIDST = "lets somebody get into the middle of something"
_HANGS = "is a program that hangs or is slow"
_SLEEPS = {
    "core/test_core_record_processes.py": (2, f"{_POLLED}; {_AMIDST}"),
    "core/test_core_records.py": (1, "the time of the last change to a file cannot be set"),
    "retrieval/mcp_engine.py": (2, _HANGS),
    "retrieval/test_retrieval_index.py": (1, _AMIDST),
    "retrieval/test_retrieval_mcp_provider.py": (1, _AMIDST),
    "serve/conftest.py": (1, _POLLED),
    "tui/acting.py": (1, _POLLED),
    "tui/conftest.py": (1, _POLLED),
    "tui/test_huge.py": (1, "measures how long the event loop is held"),
}

# Modules that Windows does not have, or has for sockets alone.
_POSIX = {*"crypt curses fcntl grp nis ossaudiodev posix pty pwd resource select spwd syslog termios tty".split()}
_POSIX_SIGNALS = {*"SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGWINCH".split()}
# module: {name: why}; each is imported where it may be missing
_NEEDS_POSIX = {
    "core/disk/workers/worker_process.py": {"SIGKILL": "where there are groups of processes, they can be killed"},
    "agents/capture/child.py": {"SIGKILL": "ends all that an agent started"},
    "agents/capture/namespaces.py": {"fcntl": "raises the loopback of a namespace, on Linux alone"},
    "core/disk/workers/child.py": {
        "SIGKILL": "as above",
        "resource": "limits the memory of what examines repositories",
    },
    "core/disk/remote/fetch.py": {"resource": "limits the memory of git while it fetches"},
    "core/documents/records/lock.py": {"fcntl": "locks a folder; Windows has a way of its own"},
    "core/payload/template_child.py": {"resource": "limits the memory and time of a process that renders a template"},
}


def _private(tree: ast.Module) -> Iterator[str]:
    """Names that belong to somebody else."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name) if re.match("_(?!_)", name):
                yield name
            case ast.ImportFrom(names=names):
                yield from (each.name for each in names if re.match("_(?!_)", each.name))


def _sleeps(tree: ast.Module) -> Iterator[ast.Call]:
    """Calls that wait for a time; a wait of none only lets others go on."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(args=[ast.Constant(value=0)]):
                pass
            case ast.Call(func=ast.Attribute(attr="sleep") | ast.Name(id="sleep")):
                yield node
            case ast.Call(func=ast.Attribute(attr="pause"), args=[_, *_]):
                yield node


def _of_posix(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names if each.name.split(".")[0] in _POSIX)
            case ast.ImportFrom(module=str(name)) if name.split(".")[0] in _POSIX:
                yield name
            case ast.Attribute(value=ast.Name(id="signal"), attr=name) if name in _POSIX_SIGNALS:
                yield name


def test_tests_use_no_private_names_and_wait_for_conditions() -> None:
    """Benchmarks and the machine that runs hostile inputs wait as they need to."""
    private: dict[str, set[str]] = {}
    sleeps: Counter[str] = Counter()
    for path in (REPOSITORY / "tests").rglob("*.py"):
        name, tree = path.relative_to(REPOSITORY / "tests").as_posix(), ast.parse(path.read_text("utf-8"))
        if names := set(_private(tree)) - {"_exit"}:
            private[name] = names
        if not name.startswith(("bench/", "fuzz/")):
            sleeps[name] = len(list(_sleeps(tree)))
    assert private == {name: set(each) for name, each in _PRIVATE.items()}
    assert dict(+sleeps) == {name: count for name, (count, _) in _SLEEPS.items()}


def test_few_modules_need_posix() -> None:
    found = {name: set(_of_posix(ast.parse(source))) for name, source in sources().items()}
    needed = {name: set(each) for name, each in _NEEDS_POSIX.items()}
    assert {name: names for name, names in found.items() if names} == needed


@cases(
    ("code", "finder"),
    [
        ("app._exception", _private),
        ("from textual import _compositor", _private),
        ("time.sleep(0.1)", _sleeps),
        ("await pilot.pause(0.3)", _sleeps),
        ("sleep(seconds)", _sleeps),
        ("def late():\n    import termios", _of_posix),
        ("from pwd import getpwuid", _of_posix),
        ("signal.SIGHUP", _of_posix),
    ],
)
def test_each_habit_is_seen(code: str, finder: Callable[[ast.Module], Iterator[object]]) -> None:
    assert len(list(finder(ast.parse(code)))) == 1
