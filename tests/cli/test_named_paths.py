"""What is written at a path that a user named: no link leads it elsewhere, and no other document is replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Ctxtui, Project

WAYS = {
    "build": ("build", "--pick", "AGENTS.md", "-o"),
    "baseline": ("audit", "-q", "--write-baseline"),
}


@pytest.fixture
def sample(project: Project) -> Path:
    """A project that is read and audited at once."""
    return project({"AGENTS.md": "# Rules\n\nBe brief.\n", "docs/a.md": "# A\n"})


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the project."""
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("given", ["link.md", "folder/new.md", "ABSOLUTE/link.md"])
@pytest.mark.parametrize("is_dangling", [False, True])
def test_a_link_that_leads_out_is_named_and_not_followed(
    ctxtui: Ctxtui, sample: Path, outside: Path, way: str, given: str, is_dangling: bool
) -> None:
    (sample / "link.md").symlink_to(outside / "new.md")
    (sample / "folder").symlink_to(outside)
    if not is_dangling:
        (outside / "new.md").write_text("")
    path = given.replace("ABSOLUTE", str(sample))
    done = ctxtui(*WAYS[way], path)
    assert done.returncode == 2
    assert f"{path} is a link, or is reached through one, to {outside / 'new.md'}\n" in done.stderr
    assert "--force" in done.stderr
    assert [each.read_text() for each in outside.iterdir()] == ([] if is_dangling else [""])
    assert ctxtui(*WAYS[way], path, "--force").returncode in (0, 1)
    assert (outside / "new.md").read_text()
    assert (sample / "link.md").is_symlink()


def test_a_link_within_the_folder_and_a_folder_elsewhere_are_written(
    ctxtui: Ctxtui, sample: Path, outside: Path
) -> None:
    (sample / "link.md").symlink_to("docs/real.md")
    for path, real in (("link.md", sample / "docs/real.md"), ("../outside/x.md", outside / "x.md")):
        assert ctxtui(*WAYS["build"], path).returncode == 0
        assert real.read_text()
    assert (sample / "link.md").is_symlink()


@pytest.mark.parametrize(("way", "words"), [("build", "is part of the payload"), ("baseline", "is not a baseline")])
def test_a_document_is_replaced_only_by_force(ctxtui: Ctxtui, sample: Path, way: str, words: str) -> None:
    before = (sample / "AGENTS.md").read_text()
    done = ctxtui(*WAYS[way], "AGENTS.md")
    assert done.returncode == 2
    assert words in done.stderr
    assert "add --force" in done.stderr
    assert (sample / "AGENTS.md").read_text() == before
    ctxtui(*WAYS[way], "AGENTS.md", "--force")
    assert (sample / "AGENTS.md").read_text() != before


def test_a_baseline_replaces_an_earlier_one_and_an_empty_file(ctxtui: Ctxtui, sample: Path) -> None:
    (sample / "base.json").write_text("")
    for _ in range(2):
        assert ctxtui(*WAYS["baseline"], "base.json").returncode in (0, 1)
    assert (sample / "base.json").read_text().startswith("{")
