"""The ranking over real context folders against judged prompts, beside plain counting of words."""

from pathlib import Path

from tests.bench import retrieval as bench


def test_the_judged_sections_exist_and_are_found_first(corpora: Path) -> None:
    for prompt in bench.judged():
        for path, _ in prompt.gains:
            assert (corpora / prompt.root / path).is_file()
    ours, plain, found = bench.quality()
    assert ours > 0.75
    assert ours > 2 * plain
    assert sum(score == 0 for score, _, _ in found) <= 2
