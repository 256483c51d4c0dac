"""What `build` computes when it runs, in pairs and all at once: always a payload, and its number is its exact count."""

import json
from itertools import combinations
from pathlib import Path

import pytest

from ctxtui.core import get_counter
from tests.audit.repositories import Repo
from tests.conftest import Asked

CELL = {
    "cell_type": "code",
    "execution_count": 1,
    "metadata": {},
    "source": ["print('five')\n"],
    "outputs": [{"output_type": "stream", "name": "stdout", "text": ["five\n"]}],
}
NOTEBOOK = json.dumps(
    {"cells": [CELL], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
)
HEAD = "entryId: currency\ncategory: Decision\ntags: [money]\ncreatedAt: 2026-02-26T10:00:00Z\n"
EUROS = "\n\ndef euros() -> int:\n    return 1\n"
FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/orders.py": "from shop import money\n\n\ndef order() -> int:\n    return money.cents(1)\n",
    "shop/money.py": f"def cents(euros: int) -> int:\n    return euros * 100\n{EUROS}",
    "shop/old name.py": "WIDTH = 1\nHEIGHT = 2\nDEPTH = 3\n",
    "tests/test_orders.py": "from shop.orders import order\n",
    "guide.md": "# Guide\n\n## Use\n\nsee shop/orders.py\n\n## Ask\n\nnobody\n",
    "sums.ipynb": NOTEBOOK,
    "package-lock.json": '{"lockfileVersion": 3, "packages": {}}\n',
    ".pre-commit-config.yaml": "repos: []\n",
    ".github/workflows/ci.yml": "on: push\n",
    "notes/currency.md": f"---\n{HEAD}---\nOnly euros.\n",
    "logo.png": b"\x89PNG\r\n\x1a\n\0\0",
    "gone.py": "import shop.money\n",
    "brief.j2": "{% for each in blocks %}{{ each.id }}: {{ each.text }}\n{% endfor %}",
    ".ctxtui/recipes/all.yaml": """\
picks:
- shop/money.py
- {query: everything, diff: {base: HEAD~1}}
- {query: said, log: HEAD~1..HEAD}
- {query: touched, changed: {sections: true, base: HEAD~1}}
- {query: printed, outputs: sums.ipynb}
- {query: gone since, changed: {base: HEAD~1}}
- {query: kept, entries: {keywords: euro}}
- {glob: 'shop/*.py', as: outline}
- {id: guide.md, lines: 3-5}
tree: all
""",
}
CHANGED: dict[str, str | bytes | None] = {
    "shop/money.py": f"def cents(euros: int) -> int:\n    return euros * 1_00\n{EUROS}",
    "guide.md": "# Guide\n\n## Use\n\nsee shop/orders.py\n\n## Ask\n\nsomebody\n",
    "sums.ipynb": NOTEBOOK.replace("five", "six"),
    "package-lock.json": '{"lockfileVersion": 3, "packages": {"a": {}}}\n',
    ".pre-commit-config.yaml": "repos: [1]\n",
    ".github/workflows/ci.yml": "on: pull_request\n",
    "logo.png": b"\x89PNG\r\n\x1a\n\1\1",
    "new.py": "import shop.orders\n",
    "gone.py": None,
}
BUDGET = 1800
PARTS: dict[str, tuple[str, ...]] = {
    "pick": ("--pick", "shop/orders.py"),
    "pattern": ("--pick", "shop/*.py"),
    "changed": ("--changed", "HEAD~1"),
    "sections": ("--changed-sections", "HEAD~1"),
    "diff": ("--diff", "HEAD~1"),
    "log": ("--log", "HEAD~1..HEAD"),
    "outputs": ("--outputs", "sums.ipynb"),
    "outline": ("--outline", "shop/"),
    "tree": ("--tree", "all"),
    "template": ("--template", "brief.j2"),
    "prompt": ("--prompt", "Review this."),
    "related": ("--related", "2"),
    "recipe": ("-r", "all"),
    "xml": ("--format", "xml"),
    "cut": ("--budget", str(BUDGET), "--over", "cut"),
    "fit": ("--budget", str(BUDGET), "--over", "fit"),
}
PICKING = {"pick", "pattern", "changed", "sections", "diff", "log", "outputs", "outline", "recipe"}
# Commits are about no file.
RELATABLE = PICKING - {"log"}
ALONE = ({"template", "xml"}, {"cut", "fit"})
ALL = tuple(name for name in PARTS if name not in {"template", "cut", "fit", "pattern"})
# Each pair is in one of them.
TOGETHER = [
    ALL,
    (*ALL, "pattern", "cut"),
    (*ALL, "pattern", "fit"),
    *((*ALL[:-1], "pattern", "template", over) for over in ("cut", "fit")),
    ("log", "pick", "related"),
    ("log", "diff", "related"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = Repo(tmp_path_factory.mktemp("pairs") / "r")
    repo.commit(FILES, "Begin")
    repo.git("mv", "shop/old name.py", "shop/new name.py")
    repo.commit(CHANGED, "Change all kinds of files")
    text = "def cents(euros: int) -> int:\n    return euros * 100\n"
    repo.write({"shop/money.py": text, "untracked.py": "A = 1\n"})
    return repo.root


@pytest.fixture(autouse=True)
def in_repository(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)


def pairs() -> list[tuple[str, ...]]:
    some = [pair for pair in combinations(PARTS, 2) if set(pair) not in ALONE]
    # What picks nothing is tried beside something that does.
    beside = [pair if PICKING & set(pair) else (*pair, "pick") for pair in some]
    return [names for names in beside if "related" not in names or RELATABLE & set(names)]


def test_each_pair_is_tried_with_others() -> None:
    for names in pairs():
        assert any(set(names) <= set(each) for each in TOGETHER), names


@pytest.mark.parametrize(
    "names", [*TOGETHER, *(pytest.param(pair, marks=pytest.mark.heavy) for pair in pairs())], ids="+".join
)
def test_what_is_computed_can_be_combined(names: tuple[str, ...], asked: Asked) -> None:
    words = [word for name in dict.fromkeys(names) for word in PARTS[name]]
    result = asked("build", *words, "--json").result
    assert result["tokens"] == get_counter().count(result["text"])
    if {"cut", "fit"} & set(names):
        assert result["tokens"] <= BUDGET


def test_files_related_to_those_of_a_diff_are_added_even_if_it_names_others(asked: Asked, tmp_path: Path) -> None:
    log = ("--log", "HEAD~1..HEAD", "--related", "1")
    said = asked("build", *log, status=2)
    assert "nothing is picked that files could be related to" in said.err
    assert asked("build", "--diff", "HEAD~1..HEAD", *log, "--json").result["blocks"][-1]["id"] == "shop/orders.py"
    # Those of a recipe's queries too.
    recipe = tmp_path / "diff.yaml"
    recipe.write_text("picks:\n- {query: d, diff: {range: HEAD~1..HEAD}}\n")
    assert "shop/orders.py" in asked("build", str(recipe), "--related", "1", "--json").out
