"""No reader of foreign text grows faster than n log n; `python -m tests.fuzz.growth` asks the same of larger texts."""

import pytest

from tests.fuzz.growth import LIMIT, measure, too_fast_growing
from tests.fuzz.growth_table import READERS, SHAPES, SLOW, SLOWER, WORST

_LARGEST = 4_000


@pytest.mark.heavy
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_grows_with_its_text(reader: str) -> None:
    shapes = WORST[::4] if reader in SLOWER else WORST if reader in SLOW else SHAPES
    assert not [str(each) for each in too_fast_growing(reader, shapes, _LARGEST)]


def test_a_quadratic_reader_is_found() -> None:
    found = measure("", repr("("), _LARGEST, lambda text: sum(1 for _ in text for _ in text for _ in "ab"), tries=1)
    assert found is not None
    assert found.exponent > LIMIT
