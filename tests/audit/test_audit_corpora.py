"""The audit over real context folders and over the sample project; every finding counted here was looked at."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from ctxtui.core.disk.root import Root
from tests.audit.auditing_helpers import audited, found

# forge-v030 declares about words / 0.75 for files and about words / 1.4 for sections, so that most numbers are
# far too low; 26 of its declared sections were taken from templates in fences, are paraphrases, or are gone.
JUDGED = {
    "forge-v030": {
        "token-drift": 139,
        "missing-section": 26,
        "wrong-index": 5,
        "broken-link": 3,
        "repeated-text": 1,
    },
    "forge-pre": {"broken-link": 1, "repeated-text": 1},
    "dotcontext-ctx-v030": {},
    "dotcontext-demo": {},
}


@pytest.mark.parametrize("name", JUDGED)
def test_real_folders_have_the_findings_that_were_judged(corpora: Path, name: str) -> None:
    findings = audited(corpora / name).findings
    assert Counter(finding.rule for finding in findings) == JUDGED[name]
    assert len({finding.key for finding in findings}) == len(findings)


def test_the_worst_numbers_of_a_real_catalog_come_first(corpora: Path) -> None:
    worst = audited(corpora / "forge-v030").findings[0]
    assert (worst.path, worst.line) == ("forge-plugin/context/index.md", 6)
    assert worst.message == "declares 1,500 tokens and has 5,846 (+290 %)"


def test_all_drift_of_a_real_catalog_can_be_fixed(corpora: Path, tmp_path: Path) -> None:
    from ctxtui.audit import apply, undo

    root = Path(shutil.copytree(corpora / "forge-v030", tmp_path / "copy"))
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    fixes = [finding.fix for finding in found(root, "token-drift")]
    assert None not in fixes
    written = apply(Root(root), [fix for fix in fixes if fix])
    assert found(root, "token-drift") == []
    assert audited(root, ["frontmatter-rejected"]).findings == ()
    undo(Root(root), written)
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before


def test_the_sample_project_shows_what_it_was_written_to_show(sample: Path) -> None:
    rules = {finding.rule for finding in audited(sample).findings}
    assert {"token-drift", "missing-section", "missing-target", "wrong-index"} <= rules
