"""Names that fit: the last part and matches show, and different names look different."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxtui.tui.names import GAP, Name, distinct, fit, shorten

PARTS = st.text("ab.é語", min_size=1, max_size=9)
PATHS = st.lists(PARTS, min_size=1, max_size=7).map("/".join)


def shown(names: list[str], room: int) -> list[str]:
    return [short.text for short in distinct([(Name(name), room) for name in names])]


def test_the_file_name_stays_and_what_differs_shows() -> None:
    path = "plugins/ui-design/skills/react-native-design/references/styling.md"
    assert fit(path, 80) == path
    assert fit(path, 44) == "…/react-native-design/references/styling.md"
    assert fit(path, 24) == "…/references/styling.md"
    assert fit(path, 14) == "…/styling.md"
    assert fit("a/b/test_gateway_provider_with_openai.yaml", 24) == "…test_gat…th_openai.yaml"
    assert fit(path, 30, ((8, 17),)) == "…ui-design…/styling.md"
    names = [f"plugins/{kind}/skills/react-native-design/references/styling.md" for kind in ("ui-design", "ui-build")]
    # Each with the second of its parts.
    assert shown(names, 30) == [fit(name, 30, ((8, name.index("/", 8)),)) for name in names]
    assert "ui-design" in shown(names, 30)[0]
    assert "ui-build" in shown(names, 30)[1]
    assert all(text.endswith("styling.md") for text in shown(names, 30))


@given(PATHS, st.integers(1, 60), st.data())
def test_a_name_fits_and_its_end_and_matches_show(path: str, room: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(path) - 1))
    span = (start, data.draw(st.integers(start + 1, min(len(path), start + 4))))
    short = shorten(path, room, (span,))
    assert cell_len(short.text) <= room
    if cell_len(path) <= room:
        assert short.text == path
    for text, place in short.pieces:
        assert (text == GAP) if place < 0 else (path[place : place + len(text)] == text)
    last = path.rpartition("/")[2]
    if cell_len(path) > room and cell_len(last) + cell_len(path[slice(*span)]) + 3 <= room:
        assert short.text.endswith(last)
        shown_places = {place + offset for text, place in short.pieces if place >= 0 for offset in range(len(text))}
        assert shown_places >= set(range(*span))


@given(st.lists(PATHS, max_size=45), st.integers(12, 40))
def test_equal_rows_of_a_list_have_equal_names(names: list[str], room: int) -> None:
    """From 12 columns there are 45 ways to show even `aaa…`: more than rows on a screen of that width."""
    texts = shown(names, room)
    assert all(cell_len(text) <= room for text in texts)
    for name, text in zip(names, texts, strict=True):
        assert all(other == name for other, alike in zip(names, texts, strict=True) if alike == text)


@given(st.lists(st.text("a", min_size=13, max_size=90), max_size=45, unique=True))
def test_even_names_of_one_letter_differ(names: list[str]) -> None:
    assert len(set(shown(names, 12))) == len(names)
