"""Marks of code are found once for all processes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ctxtui.core.base.digest import text_digest
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.code.cached import cache_kind, cached_result
from ctxtui.core.text.code.languages import language_of
from ctxtui.core.text.code.parts import read_marks
from tests.cases import cases
from tests.conftest import Project
from tests.core.code.test_code_parts import ENDINGS, shop

TEXT = "class A:\n    def b(self): ...\n\n\ndef c():\n    pass\n\n\nrun('\udc80')\n"


@pytest.fixture(scope="module")
def cache() -> Iterator[Cache]:
    with TemporaryDirectory() as folder:
        yield Cache(Path(folder))


@cases(
    ("ending", "text"),
    [(each, text) for each in ENDINGS for text in ("", TEXT, TEXT.replace("\n", "\r\n"), shop(each))],
)
def test_kept_marks_are_those_that_were_found(ending: str, text: str, cache: Cache) -> None:
    marks, digest = read_marks(f"a.{ending}", text).marks, text_digest(text)
    kind = cache_kind("marks", language_of(f"a.{ending}"))  # type: ignore[arg-type]
    assert cached_result(kind, digest, cache, lambda: marks) == marks
    assert cached_result(kind, digest, cache, lambda: None) == marks


def test_a_second_process_parses_nothing(project: Project) -> None:
    files = {f"orders.{ending}": shop(ending) for ending in ENDINGS}
    show = (
        "import sys\nfrom ctxtui.__main__ import main\n"
        f"main(['show', *{list(files)}, '-C', {str(project(files))!r}])\n"
        "print('tree_sitter' in sys.modules, file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", show]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2)]
    assert [run.stderr.split()[-1] for run in runs] == ["True", "False"]
    assert runs[0].stdout == runs[1].stdout
    assert "cancel" in runs[0].stdout
