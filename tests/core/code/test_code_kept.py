"""Marks of code are found once for all processes; what cannot be true of a text is found again."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.cache import Cache
from ctxtui.core.code.kept import Mark, find_marks, keep_marks, kept_as
from ctxtui.core.code.languages import LANGUAGES, language_of
from ctxtui.core.code.parts import code_marks
from ctxtui.core.digest import text_digest
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project
from tests.core.code.test_code_parts import ENDINGS, shop

PYTHON = LANGUAGES[0]
TEXT = "class A:\n    def b(self): ...\n\n\ndef c():\n    pass\n\n\nrun('\udc80')\n"


@pytest.fixture(scope="module")
def passes() -> Iterator[Cache]:
    with TemporaryDirectory() as folder:
        yield Cache(Path(folder))


@pytest.mark.parametrize("text", ["", TEXT, TEXT.replace("\n", "\r\n"), *map(shop, ENDINGS)])
@pytest.mark.parametrize("ending", ENDINGS)
def test_kept_marks_are_those_that_were_found(ending: str, text: str, passes: Cache) -> None:
    language = language_of(f"a.{ending}")
    assert language is not None
    marks, digest = code_marks(f"a.{ending}", text), text_digest(text)
    keep_marks(language, digest, marks, passes)
    assert find_marks(language, text, digest, passes) == marks


def test_a_second_process_parses_nothing(project: Project) -> None:
    root = project({f"orders.{ending}": shop(ending) for ending in ENDINGS})
    show = (
        "import sys\n"
        "from ctxtui.__main__ import main\n"
        f"main(['show', *{[f'orders.{ending}' for ending in ENDINGS]}, '-C', {str(root)!r}])\n"
        "print('tree_sitter' in sys.modules, file=sys.stderr)\n"
    )
    runs = [
        subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert [run.stderr.split()[-1] for run in runs] == ["True", "False"]
    assert runs[0].stdout == runs[1].stdout
    assert "cancel" in runs[0].stdout


def test_the_marks_of_a_few_symbols_are_a_few_bytes(passes: Cache) -> None:
    text = "".join(f"def function_{number}():\n    pass\n\n\n" for number in range(100))
    keep_marks(PYTHON, text_digest(text), code_marks("a.py", text), passes)
    kept = passes.find(str(kept_as("marks", PYTHON)), text_digest(text))
    assert kept is not None
    assert len(kept) < 25 * 100


_WORD = st.text(st.sampled_from("Ab.()-1 \t\n\x1f\ud800é"), max_size=6)
_MARKS = st.builds(Mark, st.integers(-9, len(TEXT) + 9), st.integers(-2, 40), _WORD, _WORD)


def assert_usable(marks: tuple[Mark, ...] | None) -> None:
    starts = [mark.start for mark in marks or ()]
    assert starts == sorted(set(starts))
    assert all(TEXT[start - 1 : start] in ("", "\n") and start < len(TEXT) for start in starts)
    assert len({mark.slug for mark in marks or ()}) == len(starts)
    assert all(1 <= mark.level <= 16 and mark.slug for mark in marks or ())


@given(marks=st.lists(_MARKS, max_size=5))
def test_marks_that_cannot_be_those_of_a_text_are_not_taken(marks: list[Mark], passes: Cache) -> None:
    keep_marks(PYTHON, text_digest(TEXT), marks, passes)
    assert_usable(find_marks(PYTHON, TEXT, text_digest(TEXT), passes))


@given(row=st.binary(max_size=40) | st.text("0123456789-\t\na.", max_size=40).map(str.encode))
def test_rows_of_any_bytes_are_no_marks(row: bytes, passes: Cache) -> None:
    passes.keep(str(kept_as("marks", PYTHON)), text_digest(TEXT), row)
    assert_usable(find_marks(PYTHON, TEXT, text_digest(TEXT), passes))


def test_damaged_rows_are_found_again(project: Project) -> None:
    root = project({"a.py": TEXT.replace("\udc80", "x")})
    workspace = Workspace.open(root)
    language, text = language_of("a.py"), workspace.document(workspace.by_id["a.py"]).text
    assert language is not None
    workspace.reader.passes.keep(str(kept_as("marks", language)), text_digest(text), b"1\t1\ta\t\n1\t9\tb\t")
    assert [part.slug for part in workspace.document(workspace.by_id["a.py"]).parts] == ["A", "A.b", "c", "(code)"]
