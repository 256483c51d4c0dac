"""The fleet of the benchmarks: deterministic, with histories, shared texts and faults of every kind."""

import subprocess
from collections import Counter
from pathlib import Path
from random import Random

from ctxtui.core.text.secrets.guard import find_secrets
from tests.bench import fleet_corpus
from tests.bench.fleet_corpus import Texts, make, name_of

COUNT = 60


def texts() -> Texts:
    chance = Random(3)
    words = "rules for the service that all of us follow when we change what it says to others".split()
    lines = [f"## Part {n}\n\n{' '.join(chance.choices(words, k=40))}.\n" for n in range(80)]
    skills = [f"---\nname: s{n}\ndescription: One.\n---\n# S\n\nDo {n}.\n" for n in range(5)]
    return Texts(lines[10:], skills, lines[:10])


def heads(folder: Path) -> dict[str, str]:
    """The commit of each repository, by name; none for those that git cannot read."""
    found = {}
    for name in map(name_of, range(COUNT)):
        words = ["git", "-C", str(folder / name), "rev-parse", "HEAD^{commit}"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        found[name] = done.stdout.strip() if done.returncode == 0 else ""
    return found


def test_the_same_seed_gives_the_same_commits_and_another_others(tmp_path: Path) -> None:
    for name, seed in (("one", 7), ("two", 7), ("three", 8)):
        make(tmp_path / name, COUNT, seed, texts())
    one = heads(tmp_path / "one")
    assert one == heads(tmp_path / "two")
    assert not {*filter(None, one.values())} & {*heads(tmp_path / "three").values()}


def test_every_kind_of_repository_is_there(tmp_path: Path, monkeypatch) -> None:
    for share in ("_BROKEN", "_LARGE", "_LEAKING"):
        monkeypatch.setattr(fleet_corpus, share, 0.2)
    monkeypatch.setattr(fleet_corpus, "_HUGE", 40_000)
    make(tmp_path, COUNT, texts=texts())
    commits = heads(tmp_path)
    kinds: Counter[str] = Counter()
    for name, commit in commits.items():
        place = tmp_path / name
        kinds["broken"] += not commit
        kinds["bare"] += not (place / "AGENTS.md").exists()
        leak = place / "docs" / "deploy.md"
        kinds["leaking"] += leak.exists() and bool(find_secrets(leak.read_text()))
        kinds["large"] += (place / "docs" / "export.md").exists()
        if commit:
            words = ["git", "-C", str(place), "rev-list", "--count", "HEAD"]
            assert 5 <= int(subprocess.run(words, capture_output=True, check=True).stdout) <= 50
            assert subprocess.run([*words[:3], "status", "--short"], capture_output=True, check=True).stdout == b""
    assert min(kinds[kind] for kind in ("broken", "bare", "leaking", "large")) >= 3
    rules = [file.read_text() for file in tmp_path.rglob("AGENTS.md")]
    shared = Counter(part for part in texts().shared for text in rules if part in text)
    assert shared.most_common(1)[0][1] > COUNT // 6


def test_the_sample_is_enough_to_make_a_fleet_of(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(fleet_corpus.real, "CORPORA", tmp_path / "nowhere")
    found = Texts.found()
    assert len(found.sections) > 20
    assert found.skills
    make(tmp_path / "fleet", 3)
    assert (tmp_path / "fleet" / name_of(2) / "README.md").read_text()
