"""The tree of files as text: folders first, folded, plain, and never long."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.session.assembly.tree_block import file_tree

_parts = st.text(st.sampled_from("ab.é\x1b\u202e\n-"), min_size=1, max_size=4)
_paths = st.lists(st.lists(_parts, min_size=1, max_size=5).map("/".join), max_size=60)


def test_folders_come_before_files_and_lone_ones_share_a_line() -> None:
    paths = ["b.md", "src/api/v1/orders.py", "src/api/v1/users.py", "docs/a.md", "docs/img/x.md", "a.md"]
    assert file_tree("acme", paths) == (
        "acme/\n"
        "├── docs/\n"
        "│   ├── img/\n"
        "│   │   └── x.md\n"
        "│   └── a.md\n"
        "├── src/api/v1/\n"
        "│   ├── orders.py\n"
        "│   └── users.py\n"
        "├── a.md\n"
        "└── b.md\n"
    )


def test_what_is_too_much_is_folded_and_counted() -> None:
    lines = file_tree("p", [f"logs/{number:03}.txt" for number in range(452)]).splitlines()
    assert lines[:3] == ["p/", "└── logs/", "    ├── 000.txt"]
    assert lines[-2:] == ["    ├── 039.txt", "    └── … 412 more"]
    # One more is shown rather than counted.
    assert file_tree("p", [f"{number:02}" for number in range(41)]).splitlines()[-1] == "└── 40"
    # A huge project is folded deeper but shows its folders.
    text = file_tree("big", map("/".join, product("abcdef", "klmnopqr", "stuv", (f"{n}.py" for n in range(50)))))
    assert text.count("\n") <= 401
    assert all(f"── {top}/" in text for top in "abcdef")
    assert " … 50 more\n" in text or " … 200 more\n" in text


def test_names_are_plain() -> None:
    text = file_tree("a\x1bb", ["x\x1b[31m.md", "\u202egpj.exe", "two\nlines/\ud800.md"])
    assert not set(text) & set("\x1b\u202e\ud800")
    assert len(text.splitlines()) == 5


@given(_paths)
def test_every_file_is_shown_or_counted(paths: list[str]) -> None:
    text = file_tree("p", paths)
    shown = [line for line in text.splitlines()[1:] if not line.endswith("/") and " more" not in line]
    assert bool(text) == bool(paths)
    assert len(shown) <= len(set(paths))
    if paths and "more" not in text:
        assert len(shown) == len(set(paths))
    assert text == file_tree("p", reversed(paths))
