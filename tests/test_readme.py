"""README and the pages of the manual say what the program does: examples are run, tables made by the program.

`pytest tests/test_readme.py --rewrite-readme` writes the tables and the outputs.
"""

import ast
import importlib
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.agents.capture.launches import KnownProgram, PromptInput
from ctxtui.audit import RULES
from ctxtui.cli.parser import COMMAND_NAMES
from ctxtui.core import get_counter
from ctxtui.core.base.manual import TOPICS
from ctxtui.core.text.data.yaml import load_yaml
from ctxtui.mcp.entry_tools import STORE
from ctxtui.mcp.server import TOOLS
from ctxtui.session.assembly.templates import TemplateName
from ctxtui.session.delivery.agents_to_run import known_agents
from ctxtui.session.saved.config import Config, load_config
from ctxtui.session.saved.recipe_yaml import parse_recipe
from ctxtui.tui.keys.commands import Command, by_group, useful_commands
from ctxtui.tui.keys.key_names import key_names
from tests import warm
from tests.cases import cases
from tests.conftest import REPOSITORY, sources, write
from tests.test_packages import PACKAGES

README = REPOSITORY / "README.md"
PAGES = {topic: REPOSITORY / "ctxtui" / "docs" / f"{topic}.md" for topic in TOPICS}
DOCUMENTS = {"README": README, **PAGES}
OTHERS = {name: REPOSITORY / ".github" / f"{name}.md" for name in ("CONTRIBUTING", "CHANGELOG")}
# The help that argparse prints is worded differently by later versions.
same_help = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the pages show the help of Python 3.11")


# What makes a line more than one command with its words.
_OF_SHELLS = frozenset("|&;<>$`()*?[]~#!{}\n\\")


def _run(command: str, folder: Path) -> str:
    # The workers of a fleet answer no forked process.
    scripts = Path(sys.executable) if "ctxtui fleet " in command else warm.program()
    path = f"{scripts.parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "COLUMNS": "100", "LC_ALL": "C", "PYTHONUTF8": "1"}
    if command.startswith("ctxtui ") and not set(command) & _OF_SHELLS:
        return warm.run(shlex.split(command)[1:], "", folder, environment, is_merged=True).stdout
    shell = ["bash", "-c", f"exec 2>&1; {command}"]
    return subprocess.run(shell, cwd=folder, env=environment, stdout=subprocess.PIPE, timeout=60).stdout.decode()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _table(head: str, rows: Iterable[str]) -> str:
    return "\n".join([f"| {head} |".replace("|  |", "| |"), "|---" * (head.count("|") + 1) + "|", *rows])


def _keys() -> str:
    def row(command: Command) -> str:
        return f"| `{_cell(key_names(command.keys))}` | {command.help} (`{command.id}`) |"

    return "\n\n".join(_table(f"{title} | ", map(row, commands)) for title, commands in by_group())


def _few() -> str:
    return _table("key | ", (f"| `{key_names(each.keys)}` | {each.help} |" for each in useful_commands("main")))


# An option of the help, with the lines that go on with it, and the least commands that make it a shared one.
_OPTION = re.compile(r"^  -.*\n(?: {4,}\S.*\n)*", re.MULTILINE)
_SEVERAL = 4


def _help() -> str:
    """The help of every command. Options of several commands come once, before all."""
    uses = ["", *COMMAND_NAMES, "entry query", "entry add", "skill install"]
    helps = {use: _run(f"ctxtui {use} --help" if use else "ctxtui --help-all", REPOSITORY) for use in uses}
    met = Counter(_option(found) for text in helps.values() for found in _OPTION.findall(text))
    shared = [each for each, number in met.items() if number >= _SEVERAL]
    rows = "".join(f"  {option:<18} {text}\n" for option, text in sorted(shared))
    parts = [f"### Options of several commands\n\n```text\n{rows}```"]
    for use, text in helps.items():
        own = _OPTION.sub(lambda found: "" if _option(found[0]) in shared else found[0], text)
        own = own.removesuffix("\noptions:\n")
        parts.append(f"### {f'ctxtui {use}'.strip()}\n\n```text\n{own}```")
    return "\n\n".join(parts)


def _option(found: str) -> tuple[str, str]:
    option, text = re.split(r"\s{2,}", found.strip(), maxsplit=1)
    return option, " ".join(text.split())


def _rules() -> str:
    return _table("rule | severity | why", (f"| `{rule.id}` | {rule.severity} | {rule.about} |" for rule in RULES))


def _topics() -> str:
    titles = ((topic, PAGES[topic].read_text("utf-8").split("\n")[0].removeprefix("# ")) for topic in TOPICS)
    return " ·\n".join(f"[{title}](ctxtui/docs/{topic}.md)" for topic, title in titles)


def _tools() -> str:
    return _table("tool | ", (f"| `{tool.name}` | {_cell(tool.description)} |" for tool in (*TOOLS, STORE)))


def _agents() -> str:
    def told(way: PromptInput, executable: str) -> str:
        line = " ".join([executable, *way.words]).replace("{prompt}", "…").replace("{file}", "FILE")
        return f"`{line}` ({way.by})"

    def cell(agent: KnownProgram, talks: bool) -> str:
        return ", ".join(told(way, agent.name) for way in agent.ways if way.talks == talks)

    rows = (f"| `{each.name}` | {each.title} | {cell(each, True)} | {cell(each, False)} |" for each in known_agents())
    return _table("name |  | a conversation | one answer", rows)


def _api() -> str:
    return "\n\n".join(f"## {name}\n\n{_about(name)}\n\n{_names(name)}" for name in PACKAGES)


def _about(name: str) -> str:
    text, _, examples = (importlib.import_module(name).__doc__ or "").partition(">>> ")
    return f"{text.strip()}\n\n```pycon\n>>> {examples.strip()}\n```"


def _names(name: str) -> str:
    package = importlib.import_module(name)
    docs = {public: _first_sentence(getattr(package, public)) for public in package.__all__}
    return "\n".join(f"- `{public}`{f': {doc}' if doc else ''}" for public, doc in docs.items())


def _first_sentence(value: object) -> str:
    """The first sentence of what somebody wrote about a class, a function or a package."""
    if not (isinstance(value, type) or inspect.isfunction(value) or inspect.ismodule(value)):
        return ""
    text = value.__doc__ or ""
    if isinstance(value, type) and text.startswith(f"{value.__name__}("):  # a dataclass without a text
        return ""
    return re.split(r"(?<=\.)\s", " ".join(text.split("\n\n")[0].split()))[0].rstrip(".")


def _floors(contract_name: str) -> str:
    data = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    contract = next(each for each in data["tool"]["importlinter"]["contracts"] if each["name"] == contract_name)
    floors = [[name.strip().removeprefix("ctxtui.") for name in layer.split(":")] for layer in contract["layers"]]
    return f"```text\n{_drawn(floors)}```"


def _drawn(floors: list[list[str]]) -> str:
    """One box a floor, the packages on it side by side in alphabetical order, each above what it may import."""
    width = max(sum(len(name) + 3 for name in names) for names in floors) + 1
    ruler = f"+{'-' * (width - 2)}+\n"
    rows = (f"|{'   '.join(names).center(width - 2)}|\n" for names in floors)
    drawing = ruler + ruler.join(rows) + ruler
    names = [name for floor in floors for name in floor]
    longest = max(map(len, names)) + 2
    return f"{drawing}\n" + "".join(f"{name:<{longest}}{_what(name)}\n" for name in names)


def _what(name: str) -> str:
    source = sources()[f"{name.replace('.', '/')}/__init__.py"]
    return (ast.get_docstring(ast.parse(source)) or "").split("\n")[0].rstrip(".")


GENERATED: dict[str, tuple[Path, Callable[[], str]]] = {
    "few": (PAGES["keys"], _few),
    "topics": (README, _topics),
    "keys": (PAGES["keys"], _keys),
    "help": (PAGES["commands"], _help),
    "rules": (PAGES["rules"], _rules),
    "tools": (PAGES["retrieval-and-mcp"], _tools),
    "agents": (PAGES["commands"], _agents),
    "api": (PAGES["python-api"], _api),
    "floors": (PAGES["architecture"], partial(_floors, "Imports go down only")),
    "core": (PAGES["architecture"], partial(_floors, "Imports of the core go down only")),
}


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--rewrite-readme"))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=same_help if name == "help" else ()) for name in GENERATED]
)
def test_tables_are_those_of_the_program(name: str, rewrite: bool) -> None:
    document, make = GENERATED[name]
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    text = document.read_text("utf-8")
    before, found, rest = text.partition(begin)
    assert found
    old, _, after = rest.partition(end)
    new = f"\n{make()}\n\n"
    if rewrite:
        document.write_text(f"{before}{begin}{new}{end}{after}", "utf-8")
        old = new
    assert old == new, "--rewrite-readme writes it"


def _examples(language: str) -> Iterator[tuple[str, str]]:
    fence = re.compile(rf"^```{language}\n(.*?)^```", re.DOTALL | re.MULTILINE)
    for name, document in DOCUMENTS.items():
        yield from ((name, example) for example in fence.findall(document.read_text("utf-8")))


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """The sample in a clone, with its links: agents also read what is above it, up to the root of git."""
    clone = tmp_path / "clone"
    for name in ("sample_context", ".claude"):
        shutil.copytree(REPOSITORY / name, clone / name, symlinks=True)
    shutil.copy(REPOSITORY / ".gitignore", clone)
    subprocess.run(["git", "init", "-q", clone], check=True)
    (tmp_path / "tmp").mkdir()
    return clone / "sample_context"


_fails = re.compile(r"^ctxtui: ", re.MULTILINE).search


@pytest.mark.parametrize("name", list(dict.fromkeys(name for name, _ in _examples("console"))))
def test_examples_give_the_output_shown(name: str, sample: Path, rewrite: bool) -> None:
    folder = sample.parent
    elsewhere = folder.parent / "tmp"
    text = DOCUMENTS[name].read_text("utf-8")
    for example in [example for owner, example in _examples("console") if owner == name]:
        commands = re.findall(r"^\$ (.*)$", example, re.MULTILINE)
        assert commands
        seen = ""
        for command in commands:
            output = _run(command.replace("/tmp/", f"{elsewhere}/"), folder)
            seen += f"$ {command}\n{output.replace(f'{elsewhere}/', '/tmp/')}"
        if rewrite:
            # An error of the program must not become what the manual shows.
            assert _fails(example) or not _fails(seen), seen
            text = text.replace(example, seen)
        else:
            assert seen == example
    if rewrite:
        DOCUMENTS[name].write_text(text, "utf-8")


def test_the_recipe_example_is_read() -> None:
    (example,) = (example for name, example in _examples("yaml") if name == "recipes")
    recipe = parse_recipe(example, "recipes.md")
    queries = ("lessons", "what-we-know", "listing: claude-code", "what I changed", "what it touches", "why")
    assert [pick.id for pick in recipe.selection.picks] == [
        *("AGENTS.md", ".context/TASKS", "glob:src/**/*.py", "src/api/orders.py", "glob:src/**/*.ts"),
        *(f"query:{each}" for each in (*queries, "outputs: orders.ipynb")),
        *("lines:docs/architecture.md:10-24", "docs/runbook.md"),
    ]
    assert recipe.selection.budget.limit == 12_000
    assert recipe.selection.template == TemplateName("review", "own")
    assert recipe.digests == {"docs/runbook.md": "713a7b8de4e5"}


def test_the_configuration_example_names_every_setting() -> None:
    example = next(example for name, example in _examples("toml") if name == "configuration")
    for name in Config.__dataclass_fields__:
        assert re.search(rf"^(?:\[{name}\]|{name} =)|tokenizer =", example, re.MULTILINE), name


@pytest.mark.parametrize(("name", "example"), [each for each in _examples("toml") if each[0] != "fleet"])
def test_examples_of_settings_are_read(name: str, example: str, tmp_path: Path) -> None:
    write(Path(os.environ["XDG_CONFIG_HOME"]), {"ctxtui/config.toml": example})
    seen = load_config(tmp_path)
    assert {key for key in tomllib.loads(example) if not getattr(seen, key)} == set()


def test_examples_of_plain_data_are_read() -> None:
    assert [json.loads(example) for _, example in _examples("json")]
    assert all(load_yaml(example)[0] for _, example in _examples("yaml"))


@pytest.mark.parametrize(("name", "example"), list(_examples("python")))
def test_python_examples_run(name: str, example: str, sample: Path) -> None:
    command = [sys.executable, "-c", example]
    done = subprocess.run(command, cwd=sample.parent, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    if "print(" in example:
        assert re.fullmatch(r"\d+ \['AGENTS.md', '.context/TASKS'\]\n", done.stdout)


@pytest.mark.parametrize("place", range(3))
def test_templates_of_the_page_show_all_that_is_picked(place: int, sample: Path) -> None:
    example = [example for _, example in _examples("jinja")][place]
    template = TemplateName(str(write(sample.parent, {"example.j2": example}) / "example.j2"), "named")
    session = Workspace.open(sample).session().pick("src/api/orders.py").pick(".context/TASKS#in-progress")
    payload = session.with_prompt("Why & how?").with_template(template).payload()
    assert payload.tokens == get_counter().count(payload.text)
    assert payload.notices == ()
    assert payload.text.rstrip().endswith("Why & how?")
    assert "{" + "%" not in payload.text


def test_commands_and_pages_that_are_named_exist() -> None:
    for name, document in DOCUMENTS.items():
        text = document.read_text("utf-8")
        assert {*re.findall(r"ctxtui help ([a-z][a-z-]+)", text)} <= {*TOPICS}, name
        commands = re.findall(r"(?:^\$ |`)ctxtui ([a-z]+)\b(?!:)", text, re.MULTILINE)
        assert {*commands} <= {*COMMAND_NAMES}, name


@cases("name", DOCUMENTS | OTHERS)
def test_links_lead_somewhere(name: str) -> None:
    document = (DOCUMENTS | OTHERS)[name]
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text("utf-8")):
        path, _, anchor = target.partition("#")
        assert "://" not in path, "nothing here needs the network"
        place = (document.parent / path).resolve() if path else document
        assert place.is_file(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", place.read_text("utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]
            assert anchor in slugs, target


def test_the_manual_has_a_page_for_every_topic_and_no_other() -> None:
    assert {path.stem for path in (REPOSITORY / "ctxtui" / "docs").iterdir()} == set(TOPICS)


@pytest.mark.heavy
def test_the_manual_is_a_site_with_a_page_for_each_rule(tmp_path: Path) -> None:
    words = ["mkdocs", "build", "--strict", "-q", "-f", ".github/mkdocs.yml", "-d", str(tmp_path)]
    done = subprocess.run([sys.executable, "-m", *words], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    table = (tmp_path / "rules.html").read_text("utf-8")
    for rule in RULES:
        assert f'href="rules/{rule.id}.html"' in table
        text = (tmp_path / "rules" / f"{rule.id}.html").read_text("utf-8")
        assert rule.title in text
        # These need weighed servers, or more files than a page shows.
        is_shown = rule.id not in ("heavy-tool", "tool-twice", "listing-over-budget")
        assert ("<strong>remedy</strong>" in text) == is_shown, rule.id
    assert "shorten it by" in (tmp_path / "rules" / "cut-by-limit.html").read_text("utf-8")


def test_the_readme_is_read_in_a_few_minutes_and_has_the_test_command_where_ci_looks_for_it() -> None:
    text = README.read_text("utf-8")
    assert len(text.split()) <= 750
    (line,) = [line for line in text.splitlines() if "-m pytest" in line]
    assert line.endswith("&& .venv/bin/python -m pytest")


def test_ci_runs_what_developers_run_on_every_version_that_is_named() -> None:
    workflow = load_yaml((REPOSITORY / ".github" / "workflows" / "ci.yml").read_text("utf-8"))[0]
    job = workflow["jobs"]["linux"]
    assert job["steps"][-1] == {"run": ".ci/run"}
    classifiers = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    named = [each.rpartition(" ")[2] for each in classifiers if re.search(r":: 3\.\d+$", each)]
    assert job["strategy"]["matrix"]["python"] == named


def test_every_clause_that_is_cited_is_on_the_page_of_specifications() -> None:
    text = PAGES["specifications"].read_text("utf-8")
    parts = {part.split("\n")[0].lower(): part for part in text.split("\n## ")[1:]}
    cited = set()
    for module, source in sources().items():
        code = re.sub(r"\s+", " ", source)
        assert not re.search(r"\bseeds? 00\d|\(DESIGN|\bthe seed\b", code), module
        cited |= set(re.findall(r"(\w+) specification (\d+(?:\.\d+)*)", code))
    assert len(cited) > 40
    for name, clause in cited:
        assert re.search(rf"(?<![\d.]){re.escape(clause)}(?!\d)", parts[name]), (name, clause)
