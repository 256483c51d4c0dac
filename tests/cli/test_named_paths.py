"""What is written at a path that a user named: no link leads it elsewhere, and no other document is replaced."""

from pathlib import Path

import pytest

from tests.conftest import Asked, Project

WAYS = {"build": ("build", "--pick", "AGENTS.md", "-o"), "baseline": ("audit", "-q", "--write-baseline")}


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
    cli: Asked, sample: Path, outside: Path, way: str, given: str, is_dangling: bool
) -> None:
    (sample / "link.md").symlink_to(outside / "new.md")
    (sample / "folder").symlink_to(outside)
    if not is_dangling:
        (outside / "new.md").write_text("")
    path = given.replace("ABSOLUTE", str(sample))
    err = cli(*WAYS[way], path, status=2).err
    assert f"{path} is a link, or is reached through one, to {outside / 'new.md'}\n" in err
    assert "--force" in err
    assert [each.read_text() for each in outside.iterdir()] == ([] if is_dangling else [""])
    cli(*WAYS[way], path, "--force", status=(0, 1))
    assert (outside / "new.md").read_text()
    assert (sample / "link.md").is_symlink()


def test_a_link_within_the_folder_and_a_folder_elsewhere_are_written(cli: Asked, sample: Path, outside: Path) -> None:
    (sample / "link.md").symlink_to("docs/real.md")
    for path, real in (("link.md", sample / "docs/real.md"), ("../outside/x.md", outside / "x.md")):
        cli(*WAYS["build"], path)
        assert real.read_text()
    assert (sample / "link.md").is_symlink()


def test_a_document_is_replaced_only_by_force(cli: Asked, sample: Path) -> None:
    file = sample / "AGENTS.md"
    for way, words in (("build", "is part of the payload"), ("baseline", "is not a baseline")):
        before = file.read_text()
        err = cli(*WAYS[way], "AGENTS.md", status=2).err
        assert words in err
        assert "add --force" in err
        assert file.read_text() == before
        cli(*WAYS[way], "AGENTS.md", "--force")
        assert file.read_text() != before


def test_a_baseline_replaces_an_earlier_one_and_an_empty_file(cli: Asked, sample: Path) -> None:
    (sample / "base.json").write_text("")
    for _ in range(2):
        cli(*WAYS["baseline"], "base.json", status=(0, 1))
    assert (sample / "base.json").read_text().startswith("{")
