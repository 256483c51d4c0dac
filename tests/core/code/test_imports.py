"""Imports of code files: what is written, wherever it is written, and nothing for what cannot be read."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.digest import text_digest
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.code.imports import MAX_NAME, Import, find_imports, imports_of, known_imports
from ctxtui.core.text.code.languages import LANGUAGES, Language, language_of
from tests.cases import cases

PYTHON = """\
import a.b as c, d
from . import x, y as z
from ..p.q import (
    r,
    s as t,
)
from u import *
if TYPE_CHECKING:
    from .v import w
def f():
    import g
    \"\"\"import no\"\"\"
# import never
"""
SCRIPT = """\
import a, { b as c } from './x';
import './s.css';
export * from './y';
export { z } from "./z";
const q = require('r'), no = f('never');
const w = await import(`lit`);
import('x', { with: {} });
import(`./${a}`);
// import 'comment'
const s = "import 'text'";
"""
TYPED = """\
import type { T } from './t';
import fs = require('fs');
let u: import('./u').U;
export type { V } from './v';
"""


def found(ending: str, text: str) -> tuple[Import, ...]:
    return find_imports(language_of(f"a.{ending}"), text)  # type: ignore[arg-type]


def modules(ending: str, text: str) -> list[str]:
    return [each.module for each in found(ending, text)]


def test_imports_of_python_have_names_levels_and_lines() -> None:
    assert found("py", PYTHON) == (
        Import("a.b", line=1),
        Import("d", line=1),
        Import("", ("x", "y"), 1, 2),
        Import("p.q", ("r", "s"), 2, 3),
        *(Import("u", ("*",), 0, 7), Import("v", ("w",), 1, 9)),
        Import("g", line=11),
    )


@cases("ending", ["js", "jsx", "mjs", "ts", "tsx", "mts"])
def test_imports_of_scripts_are_literal_specifiers(ending: str) -> None:
    assert modules(ending, SCRIPT) == ["./x", "./s.css", "./y", "./z", "r", "lit", "x"]


@pytest.mark.parametrize("ending", ["ts", "tsx", "vue", "svelte"])
def test_types_are_imported_too_and_of_components_only_by_scripts(ending: str) -> None:
    around = "<p>import './no'</p>\n<script lang=\"ts\">\n{}</script>\n<i>import './neither'</i>\n"
    text = TYPED if ending.startswith("ts") else around.format(TYPED)
    assert modules(ending, text) == ["./t", "fs", "./u", "./v"]


def test_other_languages_import_nothing_and_too_long_names_and_broken_code_are_left_out(tmp_path: Path) -> None:
    assert imports_of("a.go", 'import "fmt"\n', b"1" * 16, Cache(tmp_path)) == ()
    assert modules("py", f"import {'a' * (MAX_NAME + 1)}\nimport b\nfrom . import (((\nimport c\n")[0] == "b"
    assert modules("js", "import './a';\n}}} import from ;\nimport './b'") == ["./a", "./b"]


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each.imports], ids=lambda each: each.name)
@given(text=st.text(st.sampled_from("import from require('\"`./\\${}\n\0\ud800é*a,")))
def test_any_text_can_be_asked(language: Language, text: str) -> None:
    assert all(1 <= each.line <= text.count("\n") + 1 for each in find_imports(language, text))


def test_what_is_found_is_kept_by_its_content_unless_it_is_a_secret(tmp_path: Path) -> None:
    cache, digest, secret = Cache(tmp_path), text_digest(PYTHON), "import 'AKIAIOSFODNN7EXAMPLF';\n"
    found = imports_of("a.py", PYTHON, digest, cache)
    assert len(imports_of("a.js", secret, text_digest(secret), cache)) == 1
    cache.flush()
    assert known_imports("b/c.pyi", digest, Cache(tmp_path)) == found
    assert known_imports("a.ts", digest, Cache(tmp_path)) is None
    assert known_imports("a.js", text_digest(secret), Cache(tmp_path)) is None
