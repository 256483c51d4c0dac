"""`build --changed`, `--diff` and `--log`: exact payloads of real repositories, and errors with a remedy."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ctxtui.core import get_counter
from tests.audit.repositories import Repo
from tests.conftest import Ctxtui, Project


@pytest.fixture
def root(tmp_path: Path) -> Path:
    repo = Repo(tmp_path / "r")
    repo.commit({"one.md": "# One\n\n## A\n\na\n\n## B\n\nb\n", "two.py": "a = 1\n"}, "Begin")
    repo.git("checkout", "-q", "-b", "work")
    repo.commit({"two.py": "a = 2\n"}, "Count to two")
    repo.write({"one.md": "# One\n\n## A\n\na\n\n## B\n\nbb\n"})
    return repo.root


def test_the_task_and_its_changes_in_one_command(root: Path, ctxtui: Ctxtui) -> None:
    words = ("--changed-sections", "main", "--diff", "main", "--log", "main..HEAD", "--prompt", "Review this.")
    done = ctxtui("build", *words, "--json", cwd=root)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)["result"]
    assert result["tokens"] == get_counter().count(result["text"])
    assert [block["id"] for block in result["blocks"]] == [
        "query:changed: sections, since main#one.md",
        "query:changed: sections, since main#two.py",
        "query:diff: since main#one.md",
        "query:diff: since main#two.py",
        "query:log: main..HEAD",
        "(prompt)",
    ]
    assert "<!-- source: one.md; sections: B -->\n## B\n\nbb\n" in result["text"]
    assert "-a = 1\n+a = 2\n" in result["text"]
    assert " Count to two\n" in result["text"]
    small = ctxtui("build", *words, "--budget", str(result["tokens"] - 10), cwd=root)
    assert (small.returncode, small.stdout) == (1, "")
    cut = ctxtui("build", *words, "--budget", str(result["tokens"] - 10), "--over", "cut", cwd=root)
    assert cut.returncode == 0
    assert get_counter().count(cut.stdout) <= result["tokens"] - 10


def test_without_a_word_the_working_tree_is_meant_and_the_index_with_staged(root: Path, ctxtui: Ctxtui) -> None:
    assert ctxtui("build", "--changed", "-q", cwd=root).stdout.startswith("<!-- source: one.md -->\n# One\n")
    assert "+bb\n" in ctxtui("build", "--diff", "-q", cwd=root).stdout
    assert "+a = 2\n" in ctxtui("build", "--diff", "main..HEAD", "-q", cwd=root).stdout
    staged = ctxtui("build", "--diff", "staged", cwd=root)
    assert (staged.returncode, staged.stdout) == (4, "")
    assert "finds nothing now" in staged.stderr
    assert "empty now" in staged.stderr


@pytest.mark.parametrize(
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
    root: Path, ctxtui: Ctxtui, words: tuple[str, ...], status: int, said: str
) -> None:
    done = ctxtui("build", *words, cwd=root)
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr
    assert not (root / "x").exists()


def test_without_repository_or_git_there_is_a_remedy(root: Path, tmp_path: Path, ctxtui: Ctxtui) -> None:
    (tmp_path / "plain").mkdir()
    outside = ctxtui("build", "--diff", cwd=tmp_path / "plain")
    assert (outside.returncode, outside.stdout) == (2, "")
    assert "git init" in outside.stderr
    without = ctxtui("build", "--diff", cwd=root, PATH=str(tmp_path / "plain"))
    assert (without.returncode, without.stdout) == (4, "")
    assert "install git" in without.stderr


def test_a_recipe_that_asks_git_is_checked_and_never_stale(root: Path, ctxtui: Ctxtui) -> None:
    recipe = root / ".ctxtui/recipes/review.yaml"
    recipe.parent.mkdir(parents=True)
    recipe.write_text("picks:\n- query: touched\n  changed: main\n- query: why\n  log: main..HEAD\nbudget: 2k\n")
    first = ctxtui("build", "review", "-q", cwd=root)
    assert first.returncode == 0, first.stderr
    assert first.stdout == ctxtui("build", "review", "-q", cwd=root).stdout
    assert ctxtui("check", "review", cwd=root).returncode == 0
    (root / "two.py").write_text("a = 3\n")
    assert ctxtui("check", "review", cwd=root).returncode == 0
    assert "a = 3" in ctxtui("build", "review", "-q", cwd=root).stdout
    recipe.write_text("picks:\n- query: touched\n  changed: gone\n")
    failed = ctxtui("check", "review", cwd=root)
    assert failed.returncode == 1
    assert "git does not know gone" in failed.stdout + failed.stderr


def test_a_file_that_is_not_listed_is_refused_with_the_reason(ctxtui: Ctxtui, project: Project) -> None:
    root = project(
        {".gitignore": "*.json\nvenv\n", "a.json": "{}", "b.json": "{}", ".eslintrc.js": "x", "venv/x.md": "x"}
        | {"c.png": "x", "d.md": "# D\n"}
    )
    subprocess.run(["git", "-C", str(root), "init", "-q"], check=True)
    subprocess.run(["git", "-C", str(root), "add", "-f", "a.json"], check=True)

    def build(*words: str) -> str:
        done = ctxtui("build", "-C", str(root), *(word for each in words for word in ("--pick", each)))
        assert (done.returncode == 0) == bool(done.stdout)
        return done.stdout or done.stderr

    assert "{}" in build("a.json")
    assert "b.json is not listed: ignored by .gitignore:1\n  --ignored lists it" in build("b.json")
    assert ".eslintrc.js is not listed: .eslintrc.js is hidden\n  --ignored lists it" in build(".eslintrc.js")
    assert "venv/x.md is not listed: venv/ is never listed\n" in build("venv/x.md")
    assert "c.png is not listed: binary" in build("c.png")
    assert ctxtui("build", "-C", str(root), "--ignored", "--pick", "b.json").stdout

    shown = ctxtui("show", "a.json", "b.json", "c.png", "d.md", "--content", "-C", str(root))
    assert (shown.returncode, shown.stdout) == (3, "{}\n# D\n")
    assert "b.json is not listed: ignored by .gitignore:1; c.png is not listed: binary" in shown.stderr


def test_before_the_first_commit_everything_is_new(tmp_path: Path, ctxtui: Ctxtui) -> None:
    repo = Repo(tmp_path / "new")
    repo.write({"a.md": "# A\n", "b.md": "# B\n"})
    repo.git("add", "a.md")
    for words in (("--diff", "staged"), ("--diff",)):
        done = ctxtui("build", *words, cwd=repo.root)
        assert done.returncode == 0, done.stderr
        assert "+# A" in done.stdout
    assert "# A" in ctxtui("build", "--changed", "staged", cwd=repo.root).stdout


def test_a_submodule_is_named_as_one(root: Path, tmp_path: Path, ctxtui: Ctxtui) -> None:
    inner, repo = Repo(tmp_path / "inner"), Repo(root)
    inner.commit({"x.md": "# X\n"}, "Begin")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "sub")
    repo.git("commit", "-qam", "Add it")
    Repo(root / "sub").commit({"x.md": "# Y\n"}, "Go on")
    repo.write({"two.py": "a = 3\n"})
    done = ctxtui("build", "--changed", cwd=root)
    assert done.returncode == 0, done.stderr
    assert "1 file is a submodule; open it by itself: sub" in done.stderr
    assert "binary" not in done.stderr
