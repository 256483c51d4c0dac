"""Detection on an opened project: domains in order, and the tree's own ids for what the protocol loads."""

import shutil
from itertools import product
from pathlib import Path

from ctxtui import Workspace
from ctxtui.core import get_counter
from ctxtui.workspace.detect import Detector, Domain
from ctxtui.workspace.scope import Scope


def test_the_domain_that_the_project_meets_most_comes_first_and_has_the_trees_ids(sample: Path) -> None:
    workspace = Workspace.open(sample)
    detector = Detector(workspace, get_counter())
    python = detector.domains[0]
    assert python == Domain("context_library", "python")
    assert {domain.name for domain in detector.domains} == {"python", "schema", "security"}
    detected = detector.detect(python)
    assert len(detected.picks) == len(detected.result.files) == 5
    assert all(id_ in workspace.by_id for id_ in detected.picks)
    assert detected.triggers == ("sql_queries", "auth_code")
    assert len(workspace.session().mark_rows(detected.picks, True).payload().blocks) == 5
    small = detector.detect(python, (), 3)
    assert (len(small.picks), small.triggers) == (3, ())
    assert small.result.left_out
    assert "over-budget" in {notice.code for notice in small.notices}


def test_each_of_two_catalogs_with_the_same_ids_is_detected(sample: Path) -> None:
    shutil.copytree(sample / "context_library", sample / "other" / "context_library")
    detector = Detector(Workspace.open(sample), get_counter())
    names = ("python", "schema", "security")
    catalogs = ("context_library", "other/context_library")
    assert {(each.catalog, each.name) for each in detector.domains} == set(product(catalogs, names))
    first, second = (detector.detect(Domain(catalog, "python")).picks for catalog in catalogs)
    paths = [detector.workspace.by_id[id_].path for id_ in second]
    assert paths == [f"other/{detector.workspace.by_id[id_].path}" for id_ in first]


def test_a_project_without_catalogs_has_no_domains(tmp_path: Path) -> None:
    assert Detector(Workspace.open(tmp_path), get_counter()).domains == ()


def test_detection_sees_the_files_of_the_tree(sample: Path) -> None:
    """Files that are ignored or out of scope are in neither, linked ones in both."""
    library = sample / "context_library" / "python"
    head = "---\nid: python/{0}\ntitle: {0}\ntype: pattern\nestimatedTokens: 9\nloadingStrategy: always\n---\n# {0}\n"
    for name in ("ignored", "left", "kept"):
        (library / f"{name}.md").write_text(head.format(name))
    (sample / "docs" / "shared.md").write_text(head.format("shared"))
    (library / "shared.md").symlink_to("../../docs/shared.md")
    (library / ".gitignore").write_text("ignored.md\n")
    workspace = Workspace.open(sample, scope=Scope(exclude=("left.md",)), on_notice=lambda _: None)
    detector = Detector(workspace, get_counter("heuristic"))
    detected = detector.detect(Domain("context_library", "python"), max_files=20)
    loaded = {file.id for file in detected.result.files}
    assert {"python/kept", "python/shared"} <= loaded
    assert not {"python/ignored", "python/left"} & loaded
    assert set(detected.targets) == loaded | {left.id for left in detected.result.left_out}
