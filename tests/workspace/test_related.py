"""Related files: what specifiers mean in real layouts, tests, documents, and that nothing leads out of the project."""

import json
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui import Workspace
from ctxtui.core.base.cancel import Stopped
from ctxtui.core.base.errors import NotFound
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.workspace.links import related_links
from ctxtui.workspace.related import related as graph_module
from ctxtui.workspace.related.related import graph_of, related
from tests.cases import cases
from tests.conftest import Project

Files = Mapping[str, str | bytes]


def found(root: Path, path: str) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for row in related(Workspace.open(root), path):
        kinds.setdefault(row.kind, []).append(row.id)
    return kinds


def imports(root: Path, path: str) -> list[str]:
    return list(graph_of(Workspace.open(root)).imports[path])


PACKAGE = {
    "src/shop/__init__.py": "from .orders import Orders\n",
    "src/shop/orders.py": "from .items import price\nfrom shop import money\nimport json, requests\n",
    "src/shop/items/__init__.py": "",
    "src/shop/items/price.py": "from ..money import Money\n",
    "src/shop/money.py": "class Money: pass\n",
    "tests/test_orders.py": "from shop.orders import Orders\nfrom helpers import make\n",
    "tests/helpers.py": "import shop.orders as orders\n",
    "tests/test_money.py": "from shop import Orders\n",
    "docs/guide.md": "Orders are in `src/shop/orders.py`, prices in price.py; not in reorders.py.\n",
    "CHANGELOG.md": "- `src/shop/orders.py` is faster\n",
    "notes.md": "See [money](src/shop/money.py).\n",
    "docs/api.rst": ".. automodule:: shop.items.price\n\nand shop.money.Money, shop.orders2\n",
}


def test_all_kinds_of_a_file_each_once(project: Project) -> None:
    root = project(PACKAGE)
    assert found(root, "src/shop/orders.py") == {
        "imports": ["src/shop/items/price.py", "src/shop/money.py"],
        "imported by": ["src/shop/__init__.py"],
        "test": ["tests/test_orders.py", "tests/helpers.py"],
        "document": ["docs/guide.md"],
    }
    # A package without text says nothing; a module of it is found by its name in the import.
    assert found(root, "src/shop/items/price.py")["document"] == ["docs/api.rst", "docs/guide.md"]
    assert found(root, "src/shop/money.py")["test"] == ["tests/test_money.py"]
    assert found(root, "src/shop/money.py")["document"] == ["notes.md"]
    wanted = {"imports": ["src/shop/orders.py"], "imported by": ["tests/test_orders.py"]}
    assert found(root, "tests/helpers.py") == wanted
    rows = related(Workspace.open(root), "src/shop/orders.py")
    assert [row.is_named for row in rows if row.kind == "test"] == [True, False]
    assert {row.id: row.tokens for row in rows} == {row.id: get_counter().count(str(PACKAGE[row.id])) for row in rows}


def test_a_section_of_a_file_and_a_document_can_be_asked_about(project: Project) -> None:
    workspace = Workspace.open(project(PACKAGE | {"a.md": "see notes.md\n"}))
    assert [row.id for row in related(workspace, "notes.md")] == ["a.md"]
    assert related(workspace, "src/shop/money.py#Money")
    with pytest.raises(NotFound):
        related(workspace, "src/shop/gone.py")


APART = {"one/src/a/__init__.py": "x=1\n", "two/src/b/__init__.py": "", "two/src/b/m.py": "import a\n"}


@cases(
    ("files", "path", "expected"),
    [
        # The nearest root counts, and the standard library is nobody's file.
        ({"a/u.py": "x=1\n", "b/u.py": "x=1\n", "b/m.py": "import u\n"}, "b/m.py", ["b/u.py"]),
        ({"json.py": "x=1\n", "m.py": "import json, sys\n"}, "m.py", []),
        # Relative imports make a package.
        ({"p/types.py": "x=1\n", "p/m.py": "from . import types\nimport types\n"}, "p/m.py", ["p/types.py"]),
        # Two packages of one repository.
        (APART, "two/src/b/m.py", ["one/src/a/__init__.py"]),
        # Fixtures, namespaces, stubs, and what is beyond the root.
        ({"tests/fixtures/yaml/__init__.py": "x=1\n", "src/m.py": "import yaml\n"}, "src/m.py", []),
        ({"src/ns/x/y.py": "z=1\n", "src/ns/m.py": "from ns.x import y\n"}, "src/ns/m.py", ["src/ns/x/y.py"]),
        ({"a.pyi": "x: int\n", "a.py": "x=1\n", "m.py": "import a\n"}, "m.py", ["a.py"]),
        ({"p/__init__.py": "from ........ import n\n"}, "p/__init__.py", []),
    ],
)
def test_python_modules(project: Project, files: Files, path: str, expected: list[str]) -> None:
    assert imports(project(files), path) == expected


CONFIG = """{
  // paths of this project
  "extends": "./base.json",
  "compilerOptions": { "paths": { "@/*": ["src/*"], "one": ["./src/one.ts",], }, },
}"""
EXPORTS = {".": {"import": "./dist/index.js"}, "./sub/*": "./dist/sub/*.mjs", "./*": "./dist/index.js"}
SCRIPTS = {
    "package.json": json.dumps({"name": "root", "imports": {"#in/*": "./src/*.ts"}}),
    "tsconfig.json": CONFIG,
    "base.json": '{"extends": "./tsconfig.json", "compilerOptions": {"baseUrl": "."}}',
    "src/one.ts": "export {};\n",
    "src/two.tsx": "export {};\n",
    "src/style.css": "a {}\n",
    "src/dir/index.ts": "export {};\n",
    "packages/kit/package.json": json.dumps({"name": "@x/kit", "exports": EXPORTS}),
    "packages/kit/src/index.ts": "export {};\n",
    "packages/kit/src/sub/deep.ts": "export {};\n",
    "packages/kit/src/part.ts": "export {};\n",
    "packages/old/package.json": json.dumps({"name": "old", "main": "lib/main.js"}),
    "packages/old/lib/main.js": "module.exports = 1;\n",
}


@cases(
    ("specifier", "expected"),
    [
        ("./one", "src/one.ts"),
        ("./one.js", "src/one.ts"),
        ("./two.jsx", "src/two.tsx"),
        ("./dir", "src/dir/index.ts"),
        ("./dir/", "src/dir/index.ts"),
        ("./style.css?inline", "src/style.css"),
        ("@/two", "src/two.tsx"),
        ("one", "src/one.ts"),
        ("src/dir/index", "src/dir/index.ts"),
        ("#in/one", "src/one.ts"),
        ("@x/kit", "packages/kit/src/index.ts"),
        ("@x/kit/sub/deep", "packages/kit/src/sub/deep.ts"),
        ("@x/kit/part", "packages/kit/src/part.ts"),
        ("old", "packages/old/lib/main.js"),
        ("react", None),
        ("/etc/passwd", None),
        ("./gone", None),
        ("../../../../etc/passwd", None),
    ],
)
def test_script_specifiers(project: Project, specifier: str, expected: str | None) -> None:
    root = project(SCRIPTS | {"src/app.ts": f"import '{specifier}';\n"})
    assert imports(root, "src/app.ts") == ([expected] if expected else [])


def test_tests_of_scripts_are_known_by_name_or_import(project: Project) -> None:
    files = {
        **dict.fromkeys(("src/cart.ts", "other/cart.ts"), "export {};\n"),
        **dict.fromkeys(("src/cart.test.ts", "src/use.ts"), "import './cart';\n"),
        "src/__tests__/cart.ts": "import '../cart';\n",
        "e2e/all.ts": "import '../src/cart';\n",
    }
    tests = ["src/__tests__/cart.ts", "src/cart.test.ts", "e2e/all.ts"]
    assert found(project(files), "src/cart.ts") == {"imported by": ["src/use.ts"], "test": tests}
    assert found(project(files), "other/cart.ts") == {}


def test_a_name_that_two_files_have_names_none(project: Project) -> None:
    root = project({"a/x.py": "1\n", "b/x.py": "1\n", "n.md": "x.py and b/x.py\n", "b/r.md": "x.py\n"})
    assert found(root, "a/x.py") == {}
    assert sorted(found(root, "b/x.py")["document"]) == ["b/r.md", "n.md"]


def test_what_tutorials_name_is_not_a_file_of_the_project(project: Project) -> None:
    files = {
        "lib/main.py": "1\n",
        "examples/one/shop.py": "1\n",
        "docs/guide.md": "write main.py and shop.py\n",
        "lib/README.md": "main.py begins\n",
        "examples/README.md": "one/shop.py, or shop.py\n",
        "docs/exact.md": "lib/main.py, examples/one/shop.py\n",
    }
    root = project(files)
    assert sorted(found(root, "lib/main.py")["document"]) == ["docs/exact.md", "lib/README.md"]
    assert sorted(found(root, "examples/one/shop.py")["document"]) == ["docs/exact.md", "examples/README.md"]


def test_a_test_is_for_the_file_in_the_same_place_of_the_other_tree(project: Project) -> None:
    files = {
        "lib/util.ts": "export {};\n",
        "lib/deep/util.ts": "export {};\n",
        "lib/__tests__/deep/util.spec.ts": "it();\n",
        "lib/__tests__/far/util.spec.ts": "it();\n",
        "pkg/_private.py": "x = 1\n",
        "tests/test_private.py": "from pkg import _private\n",
    }
    root = project(files)
    assert found(root, "lib/util.ts") == {}
    assert found(root, "lib/deep/util.ts") == {"test": ["lib/__tests__/deep/util.spec.ts"]}
    assert [row.is_named for row in related(Workspace.open(root), "pkg/_private.py")] == [True]


@cases(
    ("path", "test"),
    [
        ("tree.go", "tree_test.go"),
        ("internal/bytesconv.go", "internal/bytesconv_test.go"),
        ("src/main/java/shop/Orders.java", "src/test/java/shop/OrdersTest.java"),
        ("src/main/java/shop/Orders.java", "src/test/java/shop/TestOrders.java"),
        ("src/main/java/shop/Orders.java", "src/test/java/shop/OrdersIT.java"),
        ("src/main/kotlin/Orders.kt", "src/test/kotlin/OrdersTest.kt"),
        ("okio/src/commonMain/kotlin/okio/Buffer.kt", "okio/src/commonTest/kotlin/okio/BufferTest.kt"),
        ("src/Serilog/Core/Logger.cs", "test/Serilog.Tests/Core/LoggerTests.cs"),
        ("src/Polly.Core/Registry.cs", "test/Polly.Core.Tests/RegistryTests.cs"),
        ("Source/Core/Session.swift", "Tests/SessionTests.swift"),
        ("Sources/Session.swift", "AppTests/SessionTests.swift"),
        ("src/Orders.php", "tests/OrdersTest.php"),
        ("lib/shop/orders.rb", "spec/shop/orders_spec.rb"),
        ("lib/orders.rb", "test/test_orders.rb"),
        ("lib/orders.rb", "test/orders_test.rb"),
        ("src/time.rs", "tests/time.rs"),
        ("src/time.rs", "tests/test_time.rs"),
        ("src/args.cc", "test/args-test.cc"),
        ("include/fmt/args.h", "test/args-test.cc"),
        ("src/pointer.hpp", "tests/src/unit-pointer.cpp"),
        ("lib/orders.ex", "test/orders_test.exs"),
        ("lib/orders.dart", "test/orders_test.dart"),
        ("orders.py", "tests/test_orders.py"),
        ("src/orders.ts", "src/orders.test.ts"),
    ],
)
def test_tests_are_called_after_files_in_every_language(project: Project, path: str, test: str) -> None:
    beside = {"latest.java": "x\n", "LatestNews.java": "x\n", "Contests/a.cs": "x\n", "README.md": "x\n"}
    root = project({path: "x\n", test: "y\n"} | beside)
    assert [(row.id, row.kind, row.is_named) for row in related(Workspace.open(root), path)] == [(test, "test", True)]
    assert found(root, "latest.java") == {}


def test_a_test_is_for_the_header_and_the_code_and_for_the_nearest_of_two(project: Project) -> None:
    wanted = {
        "include/fmt/args.h": ["test/args-test.cc"],
        "src/args.cc": ["test/args-test.cc"],
        "core/src/main/java/b/Orders.java": ["core/src/test/java/b/OrdersTest.java"],
        "two/tree.go": ["two/tree_test.go"],
    }
    tests = [path for paths in wanted.values() for path in paths]
    files = dict.fromkeys([*wanted, *tests, "core/src/main/java/a/Orders.java", "one/tree.go"], "x\n")
    root = project(files)
    kinds = {path: found(root, path) for path in files}
    assert {path: each["test"] for path, each in kinds.items() if "test" in each} == wanted


def test_large_data_and_ignored_files_stay_out(project: Project) -> None:
    near = dict.fromkeys(("made_pb2.py", "near.py"), "x = 1\n") | {
        "secret.py": "import near\n",
        ".gitignore": "secret.py\n",
    }
    root = project({".git/HEAD": "ref: refs/heads/main\n", "m.py": "import secret, made_pb2, near\n", **near})
    assert found(root, "m.py") == {"imports": ["near.py"]}
    assert found(root, "near.py") == {"imported by": ["m.py"]}


def test_a_link_out_of_the_project_is_not_followed(project: Project) -> None:
    outside = project({"far.py": "x = 1\n"})
    root = project({"m.py": "import far\nfrom . import inner\n", "deep/real.py": "x = 1\n"})
    (root / "far.py").symlink_to(outside / "far.py")
    (root / "inner.py").symlink_to(root / "deep" / "real.py")
    assert all(not id_.startswith("far") for ids in found(root, "m.py").values() for id_ in ids)


_SPECIFIERS = st.one_of(
    st.sampled_from(
        [
            *(
                "../../../etc/passwd",
                "..",
                ".",
                "./",
                "/",
                "//",
                "a/../../..",
                "%2e%2e/x",
                "\0",
                "a" * 5_000,
                "#",
                "@",
            ),
            *("@/", "*", "./*", "__proto__", "constructor", "C:\\x", "file:///etc/passwd", "./m", "../a.py"),
        ]
    ),
    st.text(st.characters(exclude_characters="'\n\\", exclude_categories=["Cs"]), max_size=40),
    st.text(st.sampled_from("./@#*$a"), max_size=12),
)


@given(specifiers=st.lists(_SPECIFIERS, min_size=1, max_size=5), config=st.lists(_SPECIFIERS, max_size=3))
def test_no_specifier_leads_out_and_imports_go_both_ways(project: Project, specifiers: list, config: list) -> None:
    paths = {each: config or ["*"] for each in [*specifiers, "*"]}
    settings = {"extends": config, "compilerOptions": {"paths": paths, "baseUrl": ".."}}
    files = {
        "src/a.ts": "".join(f"import '{each}';\n" for each in specifiers),
        "src/m.ts": "import './a';\n",
        "src/tsconfig.json": json.dumps(settings),
        "package.json": json.dumps({"name": specifiers[0], "exports": paths, "imports": paths, "main": config}),
        "p/m.py": f"from ........ import n\nfrom .. import q\nimport a.b\nfrom .{'.' * 300} import x\n",
    }
    workspace = Workspace.open(project(files))
    known = graph_of(workspace)
    pairs = {(path, target) for path, targets in known.imports.items() for target in targets}
    assert pairs == {(path, target) for target, sources in known.importers.items() for path in sources}
    assert {target for _, target in pairs} <= set(workspace.by_path)
    assert ("src/m.ts", "src/a.ts") in pairs
    for path, target in pairs:
        assert target in {row.id for row in related(workspace, path) if row.kind == "imports"}
        assert path in {row.id for row in related(workspace, target)}


def test_only_changed_files_are_read_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(PACKAGE)
    workspace = Workspace.open(root)
    related(workspace, "src/shop/money.py")
    (root / "src/shop/money.py").write_text("from shop import orders\nx = 1\n")
    read: list[str] = []
    again = workspace.reload()
    document = again.reader.document
    monkeypatch.setattr(again.reader, "document", lambda each: read.append(each.path) or document(each))
    graph_of(again)
    assert read == ["src/shop/money.py"]
    assert "src/shop/orders.py" in graph_of(again).imports["src/shop/money.py"]
    assert "src/shop/orders.py" not in graph_of(workspace).imports["src/shop/money.py"]


def test_a_second_start_parses_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(PACKAGE)
    first = graph_of(Workspace.open(root))
    monkeypatch.setattr("ctxtui.core.text.code.imports.find_imports", Mock(side_effect=AssertionError))
    assert graph_of(Workspace.open(root)).imports == first.imports


def test_a_check_ends_the_work(project: Project) -> None:
    workspace = Workspace.open(project(PACKAGE))
    with pytest.raises(Stopped):
        related(workspace, "notes.md", check=Mock(side_effect=[None, None, Stopped]))
    assert related(workspace, "src/shop/money.py")


def test_without_a_grammar_tests_and_documents_are_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_module, "can_read_imports", lambda _path: False)
    wanted = {"test": ["tests/test_orders.py"], "document": ["docs/guide.md"]}
    assert found(project(PACKAGE), "src/shop/orders.py") == wanted


META = "---\ntitle: {title}\ntype: pattern\nloadingStrategy: onDemand\nestimatedTokens: 9\ncrossDomainTriggers: {triggers}\n---\n"
CROSS = (
    "| Primary Domain | Trigger Condition | Secondary Context to Load | Relevance Score |\n|---|---|---|---|\n"
    "| python/ | SQL queries or ORM usage | `security/guide.md` | 0.9 |\n"
)


def _leads(root: Path, path: str) -> list[tuple[str, str | None, str]]:
    workspace = Workspace.open(root)
    return [(each.label, each.target, each.reason) for each in related_links(workspace, workspace.by_path[path])]


def _catalog(triggers: str, body: str = "# A\n") -> dict[str, str]:
    return {
        "lib/cross_domain.md": CROSS,
        "lib/python/index.md": "# Python\n",
        "lib/python/a.md": META.format(title="A", triggers=triggers) + body,
        "lib/security/guide.md": META.format(title="Guide", triggers="[]") + "# Guide\n## Rules\n",
    }


def test_a_trigger_names_a_file_or_a_row_of_the_table(project: Project) -> None:
    found = _leads(project(_catalog("[security/guide, sql_queries, moon_phase]")), "lib/python/a.md")
    assert [lead[:2] for lead in found] == [("security/guide", "security/guide"), ("moon_phase", None)]
    ((label, target, reason),) = _leads(project(_catalog("[sql_queries]")), "lib/python/a.md")
    assert (label, target) == ("sql_queries", "security/guide")
    assert "0.9" in reason


def test_a_link_that_is_there_twice_counts_where_it_is_first(project: Project) -> None:
    root = project({"AGENTS.md": "[b](b.md)\n\n[c](c.md)\n\n[again](b.md)\n", "b.md": "x", "c.md": "x"})
    assert [lead[:2] for lead in _leads(root, "AGENTS.md")] == [("b", "b.md"), ("c", "c.md")]


def test_broken_links_are_told_apart_by_their_targets(project: Project) -> None:
    body = "[here](gone1.md), [here](gone2.md), [there](gone1.md)\n\n[here](../a.md), [here](../b.md)\n"
    gone = [f"line 1: gone{number}.md does not exist" for number in (1, 2)]
    reasons = [reason for _, _, reason in _leads(project({"AGENTS.md": body}), "AGENTS.md")]
    assert reasons == [*gone, *["line 3: leads out of the project"] * 2]


def test_links_lead_to_documents_and_their_sections(project: Project) -> None:
    body = "[g](../security/guide.md#rules) [n](none.md) [o](../../../out.md) [x](../../x.bin) [self](a.md)\n"
    guide, *broken = _leads(project({**_catalog("[]", body), "x.bin": "\0"}), "lib/python/a.md")
    assert guide[:2] == ("g", "security/guide#rules")
    assert [lead[:2] for lead in broken] == [("n", None), ("o", None), ("x", None)]
    whys = ("does not exist", "out of the project", "not a context file")
    assert [why for why, (_, _, reason) in zip(whys, broken, strict=True) if why not in reason] == []


def test_a_folder_means_its_index_and_an_unknown_anchor_the_file(project: Project) -> None:
    root = project({"docs/index.md": "# Docs\n", "a.md": "[d](docs) [e](docs/index.md#none)\n"})
    assert [target for _, target, _ in _leads(root, "a.md")] == ["docs/index.md"]
