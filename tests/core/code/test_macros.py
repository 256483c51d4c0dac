"""Macros and conditions of a preprocessor: what a grammar cannot read is no reason to lose symbols."""

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.text.code.languages import LANGUAGES
from ctxtui.core.text.code.macros import without_macros
from tests.cases import cases
from tests.core.code.test_code_parts import assert_partition, document, slugs

PIECES = ["A_B", "A_B(x)", *"\n };é", "class ", "namespace a {", "int f() {", "#if A\n", "#else\n", "#endif\n"]


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_what_is_read_has_the_same_places(pieces: list[str]) -> None:
    text = "".join(pieces)
    data = text.encode()
    for language in LANGUAGES:
        read, _ = without_macros(language, data)
        assert [len(line) for line in read.split(b"\n")] == [len(line) for line in data.split(b"\n")]
    assert_partition(document("cpp", text))


@cases(
    ("ending", "text", "names"),
    [
        ("cpp", "LIB_BEGIN_NAMESPACE\nnamespace detail {\nclass a {\n};\n}\n", ["detail", "detail.a"]),
        ("cpp", "LIB_EXPORT class store {\n  int a;\n};\n", ["store"]),
        ("cpp", "class LIB_API store {\n  int a;\n};\n", ["store"]),
        ("cpp", "LIB_DECLARATION\nclass store\n{\n  void a() LIB_NOEXCEPT {\n  }\n};\n", ["store", "store.a"]),
        ("cpp", "LIB_CONSTEXPR LIB_INLINE auto f(int a) -> int {\n  return a;\n}\n", ["f"]),
        ("c", "LIB_API const char *name(void) {\n  return 0;\n}\n", ["name"]),
        ("c", "LIB_BEGIN_DECLS\nLIB_INLINE LIB_API int f(int a) {\n  return a;\n}\n", ["f"]),
        ("c", "FILE *open_it(void) {\n  return 0;\n}\nUINT_32 get(void) {\n  return 0;\n}\n", ["open_it", "get"]),
        ("c", "#ifdef A\nvoid a() {\n}\n#else\nvoid b() {\n}\n#endif\n", ["a", "b"]),
        ("cs", "#if A\ninterface I : IA\n#else\ninterface I\n#endif\n{\n  void Write();\n}\n", ["I", "I.Write"]),
    ],
)
def test_symbols_behind_macros_and_in_conditions_are_found(ending: str, text: str, names: list[str]) -> None:
    assert [slug for slug in slugs(ending, text) if "(" not in slug] == names


def test_a_macro_belongs_to_what_it_is_before() -> None:
    found = document("cpp", "int a;\n\nLIB_DECLARATION\nLIB_API void f() {\n  g();\n}\n")
    assert found.own_text(found.find("f")[0]) == "LIB_DECLARATION\nLIB_API void f() {\n  g();\n}\n"
