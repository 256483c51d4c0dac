"""One door to files: whatever opens, lists, writes or removes one outside of it is listed here with its reason."""

import ast
import re
from collections.abc import Iterator

from tests.cases import cases
from tests.conftest import sources

# Names that reach files, whatever they are called on; a reference is as good as a call.
_ANYWHERE = frozenset(
    "open_code fdopen FileIO read_text read_bytes write_text write_bytes mkstemp mkdtemp NamedTemporaryFile"
    " TemporaryFile SpooledTemporaryFile TemporaryDirectory scandir listdir iterdir glob rglob mkdir makedirs unlink"
    " rmdir removedirs rmtree rename renames symlink symlink_to hardlink_to mkfifo mknod copyfile copytree"
    " copyfileobj sendfile mmap".split()
)
# Names that mean something else on other objects.
_IN_CALLS = frozenset({"open", "touch"})
_OF_MODULES = {
    "os": frozenset("open replace remove link walk fwalk chmod utime truncate".split()),
    "io": frozenset({"open"}),
    "codecs": frozenset({"open"}),
    "shutil": frozenset("copy copy2 move which".split()),
    "sqlite3": frozenset({"connect"}),
    "subprocess": frozenset("run Popen call check_call check_output".split()),
    "asyncio": frozenset("create_subprocess_exec create_subprocess_shell".split()),
    "anyio": frozenset({"open_process", "run_process", "open_file"}),
    "tomllib": frozenset({"load"}),
    "tempfile": _ANYWHERE,
    "glob": _ANYWHERE,
}

# module: {name: why it does not go through `Root`}
_DOOR = "the door itself"
_LISTS = "names and stamps of a whole tree; what it finds is read through the root"
_PACKAGED = "data of this package"
_OWN = "the user's own cache, state or log"
_GIT = "git, with a fixed argument list"
_OURS = "no file: a method of ours"
_TERMINAL = "the terminal, or nothing at all"
_READ_PACKAGED = (
    *("core/text/code/languages.py", "agents/capture/stand_in.py", "agents/checks.py", "fleet/page/render.py"),
    *("core/base/manual.py", "core/text/data/toml.py", "core/tokens/models.py", "session/delivery/own_skill.py"),
)
_OF_OURS = {
    "open": (
        *("fleet/examine.py", "audit/cached/subprocess_audit.py", "slices/providers.py", "tui/screens/main.py"),
        *("cli/project.py", "cli/explore/protocol.py", "mcp/project.py"),
    ),
    "replace": ("cli/explore/entry.py", "mcp/entry_tools.py", "tui/screens/entries.py"),
}
_ALLOWED = {
    **{path: {"read_text": _PACKAGED} for path in _READ_PACKAGED},
    **{path: {name: _OURS} for name, paths in _OF_OURS.items() for path in paths},
    "core/disk/open_at.py": dict.fromkeys(("os.open", "mkdir", "rename", "unlink"), _DOOR),
    "core/disk/root.py": dict.fromkeys(("listdir", "mkdir", "open", "scandir"), _DOOR),
    "core/disk/write.py": dict.fromkeys(
        "fdopen listdir open os.chmod os.link os.replace rmdir unlink".split(), _DOOR
    ),
    "agents/capture/capture.py": {
        "rglob": "names in folders with programs of a project, to hide them; opens none",
        "tempfile.TemporaryDirectory": "a folder for a copy, where there are no namespaces",
    },
    "agents/capture/child.py": {
        "subprocess.Popen": "an agent on the PATH, once the user agreed to that very start",
        "copyfile": "what the agent may see, into a folder made for it",
        **dict.fromkeys(("mkdir", "os.walk", "unlink", "write_text"), "the folder made for an agent"),
        **dict.fromkeys(("glob", "read_text", "subprocess.run"), "what the system tells about processes"),
    },
    "agents/capture/launches.py": {"read_text": _PACKAGED, "glob": "folders of a program's packages"},
    "agents/capture/namespaces.py": {"mkdir": "a folder in memory", "write_text": "what the kernel asks for first"},
    "fleet/results/schema.py": dict.fromkeys(("open", "sqlite3.connect"), "a file that the user named"),
    "core/disk/workers/child.py": dict.fromkeys(("fdopen", "os.open"), "the pipes to its parent, or nothing"),
    "fleet/members.py": {"scandir": _LISTS},
    "audit/history/since_findings.py": dict.fromkeys(("TemporaryDirectory", "mkdir"), "an old commit, for a moment"),
    "audit/weigh/transports.py": {
        "anyio.open_process": "a server, once the user agreed to that very command",
        "open()": _TERMINAL,
    },
    "core/base/executable.py": {"shutil.which": "the one place where programs are looked for by name"},
    "core/disk/git/checks.py": {"scandir": "kinds of files in a git folder; opens none"},
    "core/disk/workers/lifetime.py": {"subprocess.Popen": "a shell with a fixed script"},
    "core/disk/database.py": {"sqlite3.connect": _OWN},
    "core/disk/cache.py": {"unlink": _OWN},
    "core/disk/workers/worker_process.py": {"subprocess.Popen": "the one place that starts our own processes"},
    "core/base/digest.py": dict.fromkeys(("iterdir", "scandir"), "names and stamps of this program's own files"),
    "core/tokens/encodings.py": {"read_bytes": _PACKAGED},
    "catalog/detection/signals.py": {"scandir": _LISTS},
    "core/disk/walk.py": {"scandir": _LISTS},
    "loader/discovery.py": {"scandir": _LISTS},
    "retrieval/index/store.py": dict.fromkeys(("glob", "os.utime", "sqlite3.connect", "unlink"), _OWN),
    "core/disk/copies.py": dict.fromkeys(
        ("iterdir", "mkdir", "os.utime", "read_bytes", "rename", "rmtree", "tempfile.mkdtemp", "write_text"), _OWN
    ),
    "core/disk/lay_out.py": dict.fromkeys(("mkdir", "open", "symlink_to"), "a new folder; links come last"),
    "core/disk/remote/fetch.py": {"subprocess.Popen": _GIT, "os.walk": "the bytes of what is fetched"},
    "core/disk/own_folders.py": dict.fromkeys(("mkdir", "os.open"), _OWN),
    "session/saved/autosave.py": dict.fromkeys(("read_text", "rename", "unlink"), _OWN),
    "session/saved/app_state.py": {"open": _OWN},
    "session/delivery/clipboard.py": {"open": _TERMINAL, "subprocess.run": "a clipboard tool of the system"},
    "core/disk/git/git.py": {
        "TemporaryFile": "what git is given and says, in a file without a name",
        "subprocess.Popen": _GIT,
    },
    "cli/payloads/deliver.py": {
        "subprocess.Popen": "the command that the user gave with --run, or a known agent",
        **dict.fromkeys(("glob", "unlink"), _OWN),
    },
    "cli/output/streams.py": dict.fromkeys(("open()", "os.open"), _TERMINAL),
    "core/documents/records/lock.py": {"os.open": "the folder itself, to lock it; no name in it is followed"},
    "cli/audits/init.py": {"read_text": "what pip noted about this package"},
    "cli/mcp.py": {"read_text": "the user's own token, which may come from a pipe"},
    "cli/output/terminal.py": {"os.open": _TERMINAL, "fdopen": _TERMINAL},
    "serve/server.py": {"asyncio.create_subprocess_exec": "the app itself", "read_text": _PACKAGED},
    "session/delivery/measuring.py": {"open": "a connection to the vendor"},
    "retrieval/client/link.py": {"open": _TERMINAL},
    "tui/actions/editor.py": {"subprocess.run": "the user's own editor"},
}


def _uses(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id="open", ctx=ast.Load()):
                yield "open()"
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if name in _OF_MODULES.get(owner, ()):
                yield f"{owner}.{name}" if name not in _ANYWHERE else name
            case ast.Attribute(attr=name) if name in _ANYWHERE:
                yield name
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=arguments, keywords=keywords):
                is_module = isinstance(value, ast.Name) and name in _OF_MODULES.get(value.id, ())
                # `replace` with one argument moves a file; texts need two.
                moves = name == "replace" and len(arguments) == 1 and not keywords
                if not is_module and (name in _IN_CALLS or moves):
                    yield name
            case ast.ImportFrom(module=str(module), names=names):
                of_module = _OF_MODULES.get(module, frozenset())
                yield from (f"{module}.{each.name}" for each in names if each.name in _ANYWHERE | of_module)


def test_files_are_reached_through_the_root_alone() -> None:
    """Whoever is added here says why; what is no longer there goes."""
    words = _ANYWHERE.union(_IN_CALLS, *_OF_MODULES.values())
    # Most modules hold none of the words: they need no parser.
    mentions = re.compile(rf"\b(?:{'|'.join(words)})\b").search
    found = {path: set(_uses(source)) for path, source in sources().items() if mentions(source)}
    allowed = {path: set(names) for path, names in _ALLOWED.items()}
    assert {path: names for path, names in found.items() if names} == allowed


@cases(
    ("source", "name"),
    [
        ("open(path)", "open()"),
        ("with (root / name).open('rb') as file: pass", "open"),
        ("os.open(path, 0)", "os.open"),
        ("text = Path(name).read_text()", "read_text"),
        ("later(path.read_bytes)", "read_bytes"),
        ("path.write_text('x')", "write_text"),
        ("tempfile.mkstemp()", "mkstemp"),
        ("from os import scandir as look", "os.scandir"),
        ("from subprocess import run", "subprocess.run"),
        ("await anyio.open_process(words)", "anyio.open_process"),
        ("Path(a).replace(b)", "replace"),
        ("os.replace(a, b)", "os.replace"),
        ("names = list(folder.glob('*'))", "glob"),
        ("sqlite3.connect(path)", "sqlite3.connect"),
    ],
)
def test_every_way_around_the_door_is_seen(source: str, name: str) -> None:
    assert list(_uses(source)) == [name]


@cases("source", ["text.replace('a', 'b')", "replace(value, a=1)", "self.open.clear()", "root.opened(x)"])
def test_what_reaches_no_file_is_not_taken_for_it(source: str) -> None:
    assert list(_uses(source)) == []


def test_this_python_is_started_by_one_module_alone() -> None:
    """Whoever started it elsewhere could forget `-P`, and would import modules of the current folder."""
    named = {path for path, source in sources().items() if "sys.executable" in source}
    assert named == {"core/disk/workers/worker_process.py"}
