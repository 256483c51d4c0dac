"""What all tests share: folders of their own, projects made of dictionaries, and the sample project."""

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

# Fixtures here are factories that make a new folder on each call, so examples never share one.
# A usual run takes the same examples each time, so that it fails for what was changed alone;
# `CTXTUI_EXAMPLES=500 pytest` looks for new ones.
settings.register_profile(
    "ctxtui",
    deadline=None,
    derandomize="CTXTUI_EXAMPLES" not in os.environ,
    max_examples=int(os.environ.get("CTXTUI_EXAMPLES", "30")),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("ctxtui")

# Where Python keeps no compiled modules, each worker would rewrite the asserts of all tests anew, and each program that
# a test starts would compile the whole package.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Half a million objects live as long as the run; Python's own thresholds look through them all the time.
gc.set_threshold(20_000, 50, 10)

# Whoever runs the tests in the background ignores ctrl-c, with `nohup` the end of the terminal as well, and the programs
# that they start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Half of the wait for files and databases is the disk's, where memory can hold them: a run writes less than a gigabyte.
_SHARED_MEMORY = Path("/dev/shm")
if (
    "TMPDIR" not in os.environ
    and _SHARED_MEMORY.is_dir()
    and shutil.disk_usage(_SHARED_MEMORY).free > 2 << 30
    # Tests put programs there.
    and not os.statvfs(_SHARED_MEMORY).f_flag & os.ST_NOEXEC
):
    os.environ["TMPDIR"] = tempfile.tempdir = str(_SHARED_MEMORY)

REPOSITORY = Path(__file__).parents[1]

Project = Callable[[Mapping[str, str | bytes]], Path]
Ctxtui = Callable[..., subprocess.CompletedProcess[str]]


class Said(NamedTuple):
    """What a command printed on standard output and standard error."""

    out: str
    err: str

    @property
    def result(self) -> Any:
        return json.loads(self.out)["result"]

    @property
    def notices(self) -> Any:
        return json.loads(self.out)["notices"]


Asked = Callable[..., Said]


@cache
def sources() -> dict[str, str]:
    """The modules of the package, by their paths in it."""
    package = REPOSITORY / "ctxtui"
    return {path.relative_to(package).as_posix(): path.read_text("utf-8") for path in sorted(package.rglob("*.py"))}


_NUMBERS = count()


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's cache, state, configuration or home."""
    # `mktemp` looks through the folders of all tests before it for the next number.
    home = tmp_path_factory.getbasetemp() / f"home.{next(_NUMBERS)}"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home / name))
    for name in ("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_PROJECT_DIR_NAME", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder, text byte for byte."""
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Makes a new folder with the given files."""
    numbers = count(1)

    def make(files: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / f"project{next(numbers)}"
        root.mkdir()
        return write(root, files)

    return make


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A copy of `sample_context`; its links stay links."""
    return Path(shutil.copytree(REPOSITORY / "sample_context", tmp_path / "sample_context", symlinks=True))


@pytest.fixture
def asked(capfd: pytest.CaptureFixture[str]) -> Asked:
    """Runs a command in this process and folder, which exits with a status, or with one of several."""
    from tests.cli.streams import status_of

    def run(*words: str, status: int | Container[int] = 0) -> Said:
        ended = status_of(words)
        said = Said(*capfd.readouterr())
        assert ended == status if isinstance(status, int) else ended in status, said.err
        return said

    return run


@pytest.fixture
def corpora() -> Path:
    """Real context folders: `CTXTUI_CORPORA`, or `../shared/corpora` beside the repository."""
    place = Path(os.environ.get("CTXTUI_CORPORA") or REPOSITORY.parent / "shared" / "corpora")
    if not place.is_dir():
        pytest.skip("no corpora; set CTXTUI_CORPORA")
    return place


# Tests that share a server, a large folder or what one test writes and another one reads: one worker makes it for all.
_TOGETHER = (
    *("audit/test_audit_configured", "audit/test_audit_logs_hostile", "audit/test_audit_subprocess"),
    *(
        "cli/test_build_pairs",
        "cli/test_output",
        "core/code/test_code_cached",
        "core/test_git_ignored",
        "fleet/",
        "mcp/",
    ),
    *("remote/", "retrieval/test_retrieval_index", "retrieval/test_retrieval_mcp_provider"),
    *("retrieval/test_retrieval_prepare", "retrieval/test_retrieval_properties", "session/test_git_queries"),
    *("session/test_outline_picks", "session/test_suggest", "test_readme", "test_sweep_secrets", "tui/test_desk"),
    "workspace/test_search",
)


# A wrapper, which comes before the function of xdist that reads the groups.
@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Tests on real context folders are heavy: they are large, and not everybody has them."""
    for item in items:
        if isinstance(item, pytest.Function) and "corpora" in item.fixturenames:
            item.add_marker("heavy")
        module = item.path.relative_to(Path(__file__).parent).as_posix()
        for group in filter(module.startswith, _TOGETHER):
            item.add_marker(pytest.mark.xdist_group(group))
    return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that renew what the repository shows of the program."""
    parser.addoption("--rewrite-readme", action="store_true", help="write tables and outputs of README and manual")
    parser.addoption("--rewrite-screenshots", action="store_true", help="draw screenshots/ anew")
