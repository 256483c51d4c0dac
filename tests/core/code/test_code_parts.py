"""Symbols of code files as parts: what they are, that they add up, and what is left of broken and hostile code."""

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.target import Target
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.reader import Reader
from ctxtui.core.text.code.languages import LANGUAGES, has_grammar, language_of
from ctxtui.core.text.decode import decode
from ctxtui.core.text.markdown.document import PREAMBLE, Document
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.core.tokens.spans import join_all
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.conftest import REPOSITORY, Asked, Project
from tests.core.texts import ENCODINGS

SHOPS = Path(__file__).parent / "shops"
EXAMPLES = sorted(file.stem for file in SHOPS.glob("*.txt"))
ENDINGS = [ending for ending in EXAMPLES if has_grammar(f"a.{ending}")]


def document(ending: str, text: str) -> Document:
    return Document(f"orders.{ending}", text, Stamp(1, 1, len(text)), digest_of(text.encode("utf-8", "replace")))


def shop(ending: str) -> str:
    return (SHOPS / f"{ending}.txt").read_text("utf-8")


def shown(found: Document) -> str:
    """The parts with the lines from which and to which they go, nested parts included."""
    return "".join(
        f"{'  ' * part.level}{part.slug} {part.line + 1}-{found.text.count(chr(10), 0, part.end)} {part.name}\n"
        for part in found.parts
    )


def slugs(ending: str, text: str) -> list[str]:
    return [part.slug for part in document(ending, text).parts]


def assert_partition(found: Document) -> None:
    assert "".join(map(found.own_text, found.parts)) == found.text
    assert len({part.slug for part in found.parts}) == len(found.parts)
    for part in found.parts:
        assert part.start <= part.own_end <= part.end
        if part.parent is not None:
            outer = found.parts[part.parent]
            assert outer.start < part.start
            assert part.end <= outer.end


def assert_exact(found: Document, names: Sequence[str] = ENCODINGS) -> None:
    """The parts divide the text and add up to it, and so do their texts when they are put together."""
    assert_partition(found)
    for counter in map(get_counter, names):
        reader = Reader(Root("."), Ledger(None, "here"))
        own = reader.part_tokens(found, counter)
        assert sum(own) == counter.count(found.text)
        assert min(own) >= 0
        sizes = (reader.span(found, counter, part.start, part.own_end) for part in found.parts)
        assert join_all(counter, sizes).units == counter.units(found.text)


def test_every_language_has_an_example() -> None:
    assert {language_of(f"a.{ending}") for ending in EXAMPLES} == set(LANGUAGES)
    assert {each for each in LANGUAGES if not each.is_extra} <= {language_of(f"a.{ending}") for ending in ENDINGS}


@cases("ending", ENDINGS)
def test_symbols_are_parts_that_add_up_to_the_file_however_its_lines_end(ending: str) -> None:
    found = document(ending, shop(ending))
    assert_exact(found)
    assert shown(found) == (SHOPS / f"{ending}.parts").read_text("utf-8")
    of_windows = document(ending, shop(ending).replace("\n", "\r\n"))
    assert [part.slug for part in of_windows.parts] == [part.slug for part in found.parts]
    assert_exact(of_windows, ["o200k_base"])


_GLUE = st.sampled_from([*"\n\n/*{}()<>;,:#@'\" \t\\é😀\r\ufeff\0", "\r\n", "//", "/*", "*/", '"""', "    ", "\n/"])
CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60), _GLUE), min_size=1, max_size=12)


def changed(ending: str, changes: Sequence[tuple[float, int, str]]) -> str:
    """An example without some pieces and with others."""
    text = shop(ending)
    for share, lost, glue in changes:
        place = int(share * len(text))
        text = text[:place] + glue + text[place + lost * (lost > 40) :]
    return text


@pytest.mark.parametrize("ending", ENDINGS)
@given(changes=CHANGES)
def test_broken_code_is_divided_exactly(ending: str, changes: list[tuple[float, int, str]]) -> None:
    assert_exact(document(ending, changed(ending, changes)))


def test_symbols_around_broken_code_stay() -> None:
    assert {"a", "c"} <= set(slugs("py", "def a():\n    pass\n\nx = = 1 )\n\ndef c():\n    pass\n"))
    assert {"a", "c"} <= set(slugs("js", "function a() {}\n\nfunction b() {\n  let = = ;\n}\n\nfunction c() {}\n"))


def test_offsets_are_characters() -> None:
    texts = ["# 😀 é 漢字\ndef é():\n    return '😀'\n\n", "# 漢\ndef b():\n    pass\n"]
    found = document("py", "".join(texts))
    assert list(map(found.own_text, found.parts)) == texts


def test_code_between_symbols_is_a_part_with_the_comment_above_it() -> None:
    constants = "# Why.\nLIMIT = 3\nREST = 4\n\n"
    texts = ["def a():\n    pass\n\n# loose\n\n", constants, "def b():\n    pass\n\n\n", "run()\n"]
    found = document("py", "".join(texts))
    named = {part.slug: part.name for part in found.parts if "(" in part.slug}
    assert named == {"(code)": "LIMIT = 3", "(code-2)": "run()"}
    assert list(map(found.own_text, found.parts)) == texts


@cases(
    ("ending", "above", "is_its"),
    [
        *(("py", "# Why.\n", True), ("py", "# Why.\n# And how.\n", True), ("rs", "/// Why.\n", True)),
        *(("py", "# Loose.\n\n", False), ("py", "x = 1  # Of x.\n", False), ("py", "#!/usr/bin/env python\n", False)),
        ("rs", "//! About the file.\n", False),
    ],
)
def test_comments_directly_above_belong_to_a_symbol(ending: str, above: str, is_its: bool) -> None:
    code = {"py": "@cache\ndef a():\n    pass\n", "rs": "fn a() {\n}\n"}[ending]
    found = document(ending, f"{above}{code}")
    assert found.own_text(found.parts[-1]) == (above if is_its else "") + code


def test_what_is_inside_a_function_or_shares_a_line_is_no_part_of_its_own() -> None:
    assert slugs("py", "def a():\n    def b():\n        pass\n    class C:\n        pass\n") == ["a"]
    assert slugs("js", "function a(){} function b(){}\nclass C { d() {} e() {} }\n") == ["a", "C"]
    assert slugs("js", "x=1;" + "function a(){};" * 5_000) == [PREAMBLE]


@cases(
    ("name", "found"),
    [
        ("Orders.cancel", ["Orders.cancel"]),
        ("Orders/cancel", ["Orders.cancel"]),
        ("cancel", ["Orders.cancel", "Shop.cancel"]),
        ("ship", ["Orders.ship", "Orders.ship-1"]),
        ("Orders.ship-1", ["Orders.ship-1"]),
        *(("SHOP", ["Shop"]), ("__init__", ["Shop.__init__"]), ("init", ["init"]), ("rders.cancel", [])),
        ("(preamble)", []),
    ],
)
def test_symbols_are_found_by_the_ends_of_their_paths(name: str, found: list[str]) -> None:
    orders = "class Orders:\n    def cancel(self): ...\n    def ship(self): ...\n    def ship(self, to): ...\n"
    shops = "class Shop:\n    def __init__(self): ...\n    def cancel(self): ...\ndef init(): ...\n"
    assert [part.slug for part in document("py", orders + shops).find(name)] == found


@pytest.mark.parametrize(
    "text",
    [
        "/**/function a(){}\n" * 10_000,
        "function a(){\n" * 5_000,
        "class A{\n" * 5_000,
        "/*" * 50_000,
        "(" * 20_000,
        "\n" * 100_000 + "function a(){}",
        "// a\n" * 20_000 + "function a(){}\n",
        "function " + "a" * 100_000 + "(){}\n",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_code_takes_no_long_time(text: str) -> None:
    start = process_time()
    found = document("js", text)
    assert sum(len(part.slug) for part in found.parts) < 2 * len(text) + 1_000
    assert_exact(found, ["o200k_base"])
    assert process_time() - start < 10


def test_code_is_not_parsed_until_its_parts_are_asked_for() -> None:
    code = (
        "import sys\n"
        "from ctxtui.core.disk.content import Stamp\n"
        "from ctxtui.core.text.markdown.document import Document\n"
        "Document('a.md', '# A', Stamp(1, 1, 1)).parts, Document('a.py', 'def a(): ...', Stamp(1, 1, 1)).notices\n"
        "print('tree_sitter' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False"]


@pytest.fixture
def without(tmp_path: Path) -> dict[str, str]:
    """An environment in which all packages are installed except the grammars."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for entry in Path(pytest.__file__).parents[1].iterdir():
        if not entry.name.startswith(("tree_sitter", "__editable__", "_ctxtui")) and entry.suffix != ".pth":
            (packages / entry.name).symlink_to(entry)
    return os.environ | {"PYTHONPATH": f"{REPOSITORY}{os.pathsep}{packages}"}


Ask = Callable[..., subprocess.CompletedProcess[str]]
RECIPE = "picks:\n- id: a.py\n  sections: [a]\n- id: c.rb\n  sections: [c]\n- b.py\n"


@pytest.fixture
def ask(tmp_path: Path, without: dict[str, str]) -> Ask:
    """`ctxtui` without grammars, in a repository whose last commit has files in two languages."""
    repo, files = Repo(tmp_path / "r"), {"a.py": "def a():\n    pass\n", "c.rb": "def c\nend\n"}
    repo.commit(files | {"b.py": "def b():\n    pass\n", ".ctxtui/recipes/all.yaml": RECIPE})
    repo.write({path: f"{text}\n\n# more\n" for path, text in files.items()})

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-S", "-m", "ctxtui", *words, "-C", str(repo.root)]
        return subprocess.run(command, capture_output=True, text=True, env=without, check=False)

    return run


NO_PYTHON = "no symbols for .py files: tree-sitter-python cannot be loaded here"
NO_RUBY = "no symbols for .rb files: install ctxtui[languages] the way you installed ctxtui"


def test_without_grammars_users_learn_why_there_are_no_sections_when_they_look_for_them(ask: Ask) -> None:
    shown = ask("show", "a.py", "b.py")
    assert (shown.returncode, shown.stderr.count(NO_PYTHON)) == (0, 1)
    assert NO_RUBY in ask("show", "c.rb").stderr
    assert NO_PYTHON in ask("show", "a.py", "--section", "a").stderr
    for words in (("ls",), ("build", "--pick", "a.py")):
        quiet = ask(*words)
        assert (quiet.returncode, NO_PYTHON in quiet.stderr) == (0, False)
    # What is sent whole for want of a grammar is told.
    changed = ask("build", "--changed-sections", "HEAD")
    assert changed.returncode == 0
    assert f"1 file is sent whole, {NO_PYTHON}" in changed.stderr
    assert f"1 file is sent whole, {NO_RUBY}: c.rb" in changed.stderr
    outlined = ask("build", "--outline", "c.rb")
    assert (outlined.returncode, NO_RUBY in outlined.stderr) == (2, True)
    assert NO_RUBY in ask("build", "--changed-sections", "HEAD", "--json").stdout
    # A section of a recipe that no grammar finds is not called gone.
    for line in ("build -r all", "check all"):
        run = ask(*line.split())
        told = run.stdout + run.stderr
        assert f"a.py#a cannot be found: {NO_PYTHON}" in told, line
        assert f"c.rb#c cannot be found: {NO_RUBY}; it is left out" in told
        assert "gone" not in told
    assert NO_RUBY in ask("build", "-r", "all", "--json").stdout


def test_a_wheel_of_another_platform_is_as_good_as_none(ask: Ask, without: dict[str, str]) -> None:
    packages = Path(without["PYTHONPATH"].rpartition(os.pathsep)[2])
    for name in ("tree_sitter", "tree_sitter_python"):
        (packages / name).mkdir()
        (packages / name / "__init__.py").write_text("raise ImportError('wrong ELF class')\n", "utf-8")
    for words in (("show", "a.py"), ("build", "--outline", "a.py")):
        run = ask(*words)
        assert NO_PYTHON in run.stderr, words
        assert run.returncode in (0, 2, 3), run.stderr
    assert ask("build", "--pick", "a.py").returncode == 0


def test_real_modules_are_divided_exactly() -> None:
    for file in sorted((REPOSITORY / "ctxtui").rglob("*.py"))[::23]:
        assert_exact(document("py", file.read_text("utf-8")), ["o200k_base"])


def real_code(corpora: Path) -> Iterator[tuple[str, str]]:
    """The endings and the texts of two thousand files."""
    files = [file for file in sorted(corpora.rglob("*")) if language_of(file.name) and file.is_file()]
    if not files:
        pytest.skip("no code in the corpora")
    for file in files[:2_000]:
        yield file.suffix[1:], decode(file.read_bytes(), file.name)[0]


def test_real_code_is_divided_exactly(corpora: Path) -> None:
    for ending, text in real_code(corpora):
        assert_exact(document(ending, text))


@cases(
    ("ending", "text"),
    [
        *(("cs", "a<b<c<" * 20_000), ("java", "a<;" * 20_000), ("ts", "a<{}," * 20_000), ("cpp", "a::<" * 20_000)),
        ("cs", "a</*>}*/" * 5_000),
    ],
)
def test_code_that_would_take_gigabytes_or_minutes_has_no_sections_and_says_so(ending: str, text: str) -> None:
    start = process_time()
    found = document(ending, text)
    assert found.notices == ()
    assert [part.slug for part in found.parts] == [PREAMBLE]
    assert [notice.code for notice in found.notices] == ["too-complex-to-outline"]
    assert process_time() - start < 5


@cases(
    ("ending", "unit"),
    [
        *(("py", "("), ("c", "("), ("js", "{"), ("go", "{"), ("js", "`${"), ("js", "/["), ("py", "not "), ("c", "*")),
        *(("rs", "&"), ("cpp", "#if A\n"), ("cpp", "namespace a {\n")),
    ],
)
def test_what_nothing_closes_takes_no_more_than_its_share(ending: str, unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = process_time()
        assert document(ending, text).parts
        return process_time() - start

    seconds(1_000)
    # Four times the text would take sixteen times as long; what takes some hundredths of a second is none of it.
    assert seconds(160_000) < 8 * max(0.05, seconds(40_000))


def test_a_signal_is_heard_while_a_parser_looks_far_ahead() -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(KeyboardInterrupt):
            # Another text each time: what is known is not parsed again.
            deque((document("js", f"{'/[' * 20_000}{number}").parts for number in range(1_000)), maxlen=0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_many_angle_brackets_of_real_code_are_no_reason_to_give_up() -> None:
    line = "  if (a < {0} && b << {0} <= c) {{ d = '<<<'; /* <<< */ e = new List<int>({0}); }}\n"
    lines = "".join(map(line.format, range(900)))
    text = f"class A {{\n  void first() {{}}\n\n  void b() {{\n{lines}  }}\n}}\n"
    assert slugs("cs", text)[:3] == ["A", "A.first", "A.b"]


def test_show_says_that_sections_are_given_up(project: Project, asked: Asked) -> None:
    root = project({"a.cs": "a<" * 20_000})
    assert "a.cs: too complex to show its sections" in asked("show", "a.cs", "-C", str(root)).err
    assert "too-complex-to-outline" in asked("show", "a.cs", "--json", "-C", str(root)).out


def test_what_modern_typescript_declares_with_calls_and_objects_is_a_symbol() -> None:
    text = """export const Type = make("Type", (inst) => {
  const inner = () => 1;
  return inner;
});
const Button = memo(forwardRef((props, ref) => {
  return null;
}));
export const api = {
  get(x: string) {
    return x;
  },
  put: async (y: string) => {
    return y;
  },
};
res.contentType = res.type = function type(kind) {
  return kind;
};
export declare namespace Space {
  interface Point {}
}
declare module "other" {
  interface Place {}
}
declare global {
  interface Window {}
}
class Shop {
  size = 0;

  // Formats it.
  format(): string;
  format(digits: number): string;
  format(digits?: number) {
    return String(digits);
  }
}
export default defineConfig({
  setup() {
    return 1;
  },
});
"""
    found = document("ts", text)
    assert [part.slug for part in found.parts if "(" not in part.slug] == [
        *"Type Button api api.get api.put contentType Space Space.Point other other.Place".split(),
        *"global global.Window Shop Shop.format default default.setup".split(),
    ]
    overloaded = found.own_text(found.find("Shop.format")[0]).lstrip()
    assert overloaded.startswith("// Formats it.\n  format(): string;\n  format(digits: number)")
    assert_partition(found)


@cases(
    ("ending", "text", "last"),
    [
        ("rs", "use a;\n\n/// doc\n#[test]\n#[cfg(unix)] // not on windows\nfn f() {\n}\n", "f"),
        ("cs", "class A\n{\n  int b;\n\n  // doc\n  [Fact] // why\n  public void F()\n  {\n  }\n}\n", "A.F"),
        ("ts", "const b = 1;\n\n// doc\n@injectable() // why\n@other()\nclass F {\n  a = 1;\n}\n", "F"),
        ("cpp", "int a;\n\n/*! doc\n */\n//! more\nint f() {\n  return 1;\n}\n", "f"),
        ("c", "int a;\n\n/* doc */\n#define SIZE 10\nint f(void) {\n  return SIZE;\n}\n", "f"),
    ],
)
def test_all_that_is_directly_above_a_symbol_belongs_to_it(ending: str, text: str, last: str) -> None:
    found = document(ending, text)
    shown = found.own_text(found.find(last)[0])
    assert "doc" in shown
    assert all(word in shown for word in text.split("\n\n")[1].split())


def test_methods_of_an_anonymous_class_are_below_their_constant() -> None:
    text = """class Adapters {
  static final Adapter<URI> ADDRESS =
      new Adapter<URI>() {
        @Override
        public void write(URI value) {
          out(value);
        }
      };
  enum Kind {
    ONE {
      void run() {
        go();
      }
    }
  }
}
"""
    names = "Adapters Adapters.ADDRESS Adapters.ADDRESS.write Adapters.Kind Adapters.Kind.ONE Adapters.Kind.ONE.run"
    assert [slug for slug in slugs("java", text) if "(" not in slug] == names.split()


def test_every_part_can_be_picked_by_its_slug() -> None:
    rows = ",\n".join(f'    "{number}": 1' for number in range(40))
    found = slugs("json", f'{{\n  "https://a.org/": {{\n{rows}\n  }},\n  "/": {{\n{rows}\n  }}\n}}\n')
    assert {"https://a.org", "-"} <= set(found)
    assert [Target.parse(f"a.json#{slug}") for slug in found] == [("a.json", slug) for slug in found]
