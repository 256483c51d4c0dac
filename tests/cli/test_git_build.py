"""`build --changed`, `--diff` and `--log`: exact payloads of real repositories, and errors with a remedy."""

from pathlib import Path

import pytest

from ctxtui.core import get_counter
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.cli.conftest import recipe
from tests.cli.streams import Refused
from tests.conftest import Asked, Project


@pytest.fixture
def root(tmp_path: Path) -> Path:
    repo = Repo(tmp_path / "r")
    repo.commit({"one.md": "# One\n\n## A\n\na\n\n## B\n\nb\n", "two.py": "a = 1\n"}, "Begin")
    repo.git("checkout", "-q", "-b", "work")
    repo.commit({"two.py": "a = 2\n"}, "Count to two")
    repo.write({"one.md": "# One\n\n## A\n\na\n\n## B\n\nbb\n"})
    return repo.root


def test_the_task_and_its_changes_in_one_command(root: Path, cli: Asked, refused: Refused) -> None:
    words = ("--changed-sections", "main", "--diff", "main", "--log", "main..HEAD", "--prompt", "Review this.")
    result = cli("build", *words, "--json", cwd=root).result
    assert result["tokens"] == get_counter().count(result["text"])
    assert [block["id"] for block in result["blocks"]] == [
        *("query:changed: sections, since main#one.md", "query:changed: sections, since main#two.py"),
        *("query:diff: since main#one.md", "query:diff: since main#two.py", "query:log: main..HEAD", "(prompt)"),
    ]
    sections = "<!-- source: one.md; sections: B -->\n## B\n\nbb\n"
    for part in (sections, "-a = 1\n+a = 2\n", " Count to two\n"):
        assert part in result["text"]
    small = ("--budget", str(result["tokens"] - 10))
    refused("build", *words, *small, cwd=root, status=1)
    cut = cli("build", *words, *small, "--over", "cut", cwd=root).out
    assert get_counter().count(cut) <= result["tokens"] - 10


def test_without_a_word_the_working_tree_is_meant_and_the_index_with_staged(
    root: Path, cli: Asked, refused: Refused
) -> None:
    assert cli("build", "--changed", "-q", cwd=root).out.startswith("<!-- source: one.md -->\n# One\n")
    assert "+bb\n" in cli("build", "--diff", "-q", cwd=root).out
    assert "+a = 2\n" in cli("build", "--diff", "main..HEAD", "-q", cwd=root).out
    err = refused("build", "--diff", "staged", cwd=root, status=4)
    assert "finds nothing now" in err
    assert "empty now" in err


@cases(
    ("words", "status", "said"),
    [
        (("--diff", "nope"), 3, "git does not know nope"),
        (("--changed", "nope"), 3, "git does not know nope"),
        (("--changed", "main~20"), 3, "the history ends at main"),
        (("--log", "nope..HEAD"), 3, "git does not know nope"),
        (("--log", "main...HEAD"), 2, "main..HEAD"),
        (("--diff=--output=x",), 2, "not a git ref"),
        (("--diff", "a..b..c"), 2, "not a range"),
    ],
)
def test_what_git_does_not_know_ends_the_command(
    root: Path, refused: Refused, words: tuple[str, ...], status: int, said: str
) -> None:
    assert said in refused("build", *words, cwd=root, status=status)
    assert not (root / "x").exists()


def test_without_repository_or_git_there_is_a_remedy(root: Path, tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "plain").mkdir()
    assert "git init" in refused("build", "--diff", cwd=tmp_path / "plain")
    assert "install git" in refused("build", "--diff", cwd=root, PATH=str(tmp_path / "plain"), status=4)


def test_a_recipe_that_asks_git_is_checked_and_never_stale(root: Path, cli: Asked) -> None:
    queries = "- query: touched\n  changed: main\n- query: why\n  log: main..HEAD\n"
    kept = recipe(root, "review", f"picks:\n{queries}budget: 2k\n")
    assert cli("build", "review", "-q", cwd=root).out == cli("build", "review", "-q", cwd=root).out
    cli("check", "review", cwd=root)
    (root / "two.py").write_text("a = 3\n")
    cli("check", "review", cwd=root)
    assert "a = 3" in cli("build", "review", "-q", cwd=root).out
    kept.write_text("picks:\n- query: touched\n  changed: gone\n")
    assert "git does not know gone" in "".join(cli("check", "review", cwd=root, status=1))


def test_a_file_that_is_not_listed_is_refused_with_the_reason(cli: Asked, refused: Refused, project: Project) -> None:
    files = {".gitignore": "*.json\nvenv\n", "a.json": "{}", "b.json": "{}", ".eslintrc.js": "x", "venv/x.md": "x"}
    root = project({**files, "c.png": "x", "d.md": "# D\n"})
    Repo(root).git("add", "-f", "a.json")
    assert "{}" in cli("build", "-C", str(root), "--pick", "a.json").out
    for name, why in (
        ("b.json", "ignored by .gitignore:1\n  --ignored lists it"),
        (".eslintrc.js", ".eslintrc.js is hidden\n  --ignored lists it"),
        ("venv/x.md", "venv/ is never listed\n"),
        ("c.png", "binary"),
    ):
        assert f"{name} is not listed: {why}" in refused("build", "-C", str(root), "--pick", name, status=3)
    assert cli("build", "-C", str(root), "--ignored", "--pick", "b.json").out
    out, err = cli("show", "a.json", "b.json", "c.png", "d.md", "--content", "-C", str(root), status=3)
    assert out == "{}\n# D\n"
    assert "b.json is not listed: ignored by .gitignore:1; c.png is not listed: binary" in err


def test_before_the_first_commit_everything_is_new(tmp_path: Path, cli: Asked) -> None:
    repo = Repo(tmp_path / "new")
    repo.write({"a.md": "# A\n", "b.md": "# B\n"})
    repo.git("add", "a.md")
    for words in (("--diff", "staged"), ("--diff",)):
        assert "+# A" in cli("build", *words, cwd=repo.root).out
    assert "# A" in cli("build", "--changed", "staged", cwd=repo.root).out


def test_a_submodule_is_named_as_one(root: Path, tmp_path: Path, cli: Asked) -> None:
    inner, repo = Repo(tmp_path / "inner"), Repo(root)
    inner.commit({"x.md": "# X\n"}, "Begin")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "sub")
    repo.git("commit", "-qam", "Add it")
    Repo(root / "sub").commit({"x.md": "# Y\n"}, "Go on")
    repo.write({"two.py": "a = 3\n"})
    err = cli("build", "--changed", cwd=root).err
    assert ("1 file is a submodule; open it by itself: sub" in err, "binary" in err) == (True, False)
