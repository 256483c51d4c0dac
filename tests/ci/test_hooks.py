"""The hooks for pre-commit, run by pre-commit itself in an environment that it makes."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.audit.repositories import Repo
from tests.ci.conftest import REJECTED

Commit = Callable[[str, Mapping[str, str]], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def _environment(installing: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """One home of pre-commit, so that the package is installed once for all tests."""
    return installing | {"PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("pre-commit"))}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "project")


@pytest.fixture
def commit(published: Repo, repo: Repo, _environment: dict[str, str]) -> Commit:
    """Stages files in a repository that uses a hook, and runs pre-commit as a commit would."""

    def run(hook: str, files: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        source = f"{{repo: {published.root}, rev: {published.git('rev-parse', 'HEAD')}, hooks: [{{id: {hook}}}]}}"
        repo.write({".pre-commit-config.yaml": f"repos: [{source}]\n", **files})
        repo.git("add", "--all")
        command = [sys.executable, "-m", "pre_commit", "run", "--color=never"]
        return subprocess.run(
            command, cwd=repo.root, env=_environment, capture_output=True, text=True, check=False, timeout=600
        )

    return run


@pytest.mark.heavy
def test_a_finding_stops_a_commit_until_it_is_mended(commit: Commit) -> None:
    stopped = commit("ctxtui-audit", REJECTED)
    assert stopped.returncode == 1, stopped.stderr
    assert "audit context files......................................................Failed" in stopped.stdout
    assert "frontmatter-rejected" in stopped.stdout
    mended = {".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews changes.\n---\nReview.\n"}
    passed = commit("ctxtui-audit", mended)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "Passed" in passed.stdout


@pytest.mark.heavy
def test_a_recipe_is_checked_when_only_what_it_picks_changes(commit: Commit, repo: Repo) -> None:
    recipe = {".ctxtui/recipes/review.yaml": "picks: [AGENTS.md]\nbudget: 20\n"}
    passed = commit("ctxtui-check", {**recipe, "AGENTS.md": "Be brief.\n"})
    assert passed.returncode == 0, passed.stdout + passed.stderr
    repo.commit()
    stopped = commit("ctxtui-check", {"AGENTS.md": "Be brief, and say why. " * 40})
    assert stopped.returncode == 1, stopped.stderr
    assert "over its limit" in stopped.stdout
