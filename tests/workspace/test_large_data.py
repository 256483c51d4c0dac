"""Large data that nobody sends: told by name and size, left out of folders, counted only for those who ask."""

import subprocess
from itertools import product
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from ctxtui import Workspace
from ctxtui.core.disk.root import Root
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.session.dashboard import largest_files
from ctxtui.session.figures import figures, totals
from ctxtui.workspace.counting import count_all, uncounted
from ctxtui.workspace.plain_files import LARGE, large_reasons
from tests.cases import cases
from tests.conftest import Project

FOLDERS = ("src/", "tests/", "tests/cassettes/")
FILES = {
    "AGENTS.md": "# Rules\n",
    "src/main.py": "print('hello')\n",
    "src/api_pb2.py": "DESCRIPTOR = 1\n",
    "package-lock.json": '{"lockfileVersion": 3}\n',
    "tests/test_a.py": "def test_a(): pass\n",
    "tests/cassettes/a.yaml": "interactions: []\n",
}
LARGE_FILES = ["package-lock.json", "src/api_pb2.py", "tests/cassettes/a.yaml"]


def opened(root: Path) -> Workspace:
    return Workspace.open(root, on_notice=lambda _notice: None)


def large_of(root: Path) -> dict[str, str]:
    return {each.path: each.large for each in opened(root).references if each.large}


@cases(
    ("path", "reason"),
    [
        *((name, "lock file") for name in "package-lock.json web/pnpm-lock.yaml Cargo.lock go.sum uv.lock".split()),
        *((name, "cassette") for name in ("tests/cassettes/x/a.yaml", "tests/cassettes/a.json")),
        *((name, "snapshot") for name in ("web/__snapshots__/a.test.ts.snap", "tests/__snapshots__/a.txt", "a.ambr")),
        *((name, "minified") for name in ("dist/app.min.js", "dist/app.MIN.CSS")),
        ("dist/app.js.map", "source map"),
        *((name, "generated") for name in "a_pb2.py api/a.pb.go lib/a.g.dart api/zz_generated.x.go".split()),
        *((name, None) for name in "package.json lock.md cassettes.yaml cassettes/README.md mapping.py".split()),
        *((name, None) for name in ("snap", "admin.js")),
    ],
)
def test_names_tell_large_data(project: Project, path: str, reason: str | None) -> None:
    assert large_of(project({path: "x\n"})) == ({path: reason} if reason else {})


def test_a_file_of_more_than_a_megabyte_is_large_data(project: Project) -> None:
    assert large_of(project({"just.txt": "x" * LARGE, "more.txt": "x" * (LARGE + 1)})) == {"more.txt": "over 1 MB"}


def test_context_is_never_large_data(project: Project) -> None:
    large = "word " * (LARGE // 5 + 1)
    entry = "---\nentryId: a\ncategory: Decision\ncreatedAt: '2026-01-01T00:00:00Z'\n---\n"
    metadata = "---\nid: python/{}\ntitle: T\ntype: pattern\nestimatedTokens: 9\nloadingStrategy: onDemand\n---\n"
    files = {
        **dict.fromkeys(("AGENTS.md", "cassettes/CLAUDE.md", ".context/TASKS.md"), large),
        "__snapshots__/a.md": entry + large,
        "library/loading_protocol.md": "# Protocol\n",
        "library/python/index.md": metadata.format("index"),
        "library/python/a.md": metadata.format("a") + large,
    }
    references = opened(project(files)).references
    assert {each.source for each in references} == {"agents", ".context", "entries", "catalog"}
    assert not any(each.large for each in references)


@cases(
    ("attributes", "found"),
    [
        ("src/*.py linguist-generated", {"src/a.py"}),
        ("src/*.py  text eol=lf linguist-generated=true\n# *.txt linguist-generated", {"src/a.py"}),
        ("*.py linguist-generated\nsrc/a.py -linguist-generated", {"b.py"}),
        ("[attr]x linguist-generated\n!b.py linguist-generated\n\n[ linguist-generated", set()),
        ("* text", set()),
        ('"src/a*.py" text linguist-generated\n"b.py', {"src/a.py"}),
        ("\ufeff*.py linguist-generated", {"src/a.py", "b.py"}),
    ],
)
def test_a_project_declares_what_is_generated(project: Project, attributes: str, found: set[str]) -> None:
    root = project({".gitattributes": attributes, "src/a.py": "a\n", "b.py": "b\n", "c.txt": "c\n"})
    assert large_of(root) == dict.fromkeys(found, "generated")


def test_a_project_declares_what_is_not_generated_but_not_that_it_is_small(project: Project) -> None:
    attributes = "*.js -linguist-generated\nyarn.lock linguist-generated=false\n"
    root = project({".gitattributes": attributes, "a.min.js": "x", "yarn.lock": "x", "b.min.js": "x" * (LARGE + 1)})
    assert large_of(root) == {"b.min.js": "over 1 MB"}


def test_the_last_word_about_a_file_counts_as_for_git(project: Project) -> None:
    words = [
        f"{sign}linguist-generated{value}" for sign in ("", "-", "!") for value in ("", "=true", "=false", "=yes")
    ]
    lines, names = list[str](), list[str]()
    for number, (first, second) in enumerate(product(words, (*words, "text"))):
        names += [f"{number}.a.min.js", f"{number}.b.min.js"]
        lines += [f"{number}.?.min.js {first}", f"{number}.a.min.js {second}", f"{number}.b.* {first} {second}"]
    root = project({".gitattributes": "\n".join(lines)})
    subprocess.run(["git", "init", "-q", root], check=True)
    command = ["git", "-C", str(root), "check-attr", "-z", "--stdin", "linguist-generated"]
    told = subprocess.run(command, input="\0".join(names), capture_output=True, text=True, check=True).stdout
    reason = large_reasons(Root(root).read)
    wanted = {"unspecified": "minified", **dict.fromkeys(("unset", "false"))}
    assert [reason(name, 1) for name in names] == [wanted.get(said, "generated") for said in told.split("\0")[2::3]]


@given(st.lists(st.text(st.sampled_from('a*?[]!/\\"# .^{}é\0\ud7ff'), max_size=12), max_size=6))
def test_no_attributes_of_a_project_do_harm(tmp_path: Path, patterns: list[str]) -> None:
    (tmp_path / ".gitattributes").write_text("".join(f"{each} linguist-generated\n" for each in patterns), "utf-8")
    reason = large_reasons(Root(tmp_path).read)
    assert {reason(path, 1) for path in ("a", "a/a.py", "é b.md")} <= {None, "generated"}


def test_it_stays_in_its_folder(project: Project) -> None:
    workspace = opened(project(FILES))
    below = {id_: [child.id for child in workspace.find(id_).children] for id_ in ("", *FOLDERS)}
    assert below == {
        "": ["AGENTS.md", "package-lock.json", "src/", "tests/"],
        "src/": ["src/api_pb2.py", "src/main.py"],
        "tests/": ["tests/cassettes/", "tests/test_a.py"],
        "tests/cassettes/": ["tests/cassettes/a.yaml"],
    }


def test_a_drawing_is_large_data_unless_it_is_as_small_as_written_ones(project: Project) -> None:
    files = {"logo.SVG": "x" * 50_001, "icon.svg": "<svg/>", "words.md": "x" * 50_001, "plan.drawio": "x" * 60_000}
    assert large_of(project(files)) == {"logo.SVG": "drawing", "plan.drawio": "drawing"}
    kept = project({**files, ".gitattributes": "*.SVG -linguist-generated\n"})
    assert large_of(kept) == {"plan.drawio": "drawing"}


@given(st.text(max_size=30), st.integers(0, LARGE))
def test_a_small_file_has_the_reason_of_its_name_alone(tmp_path: Path, path: str, size: int) -> None:
    reason = large_reasons(Root(tmp_path).read)
    assume(not path.lower().endswith((".svg", ".eps", ".drawio", ".excalidraw")))
    assert reason(path, size) == reason(path, 0)
    assert reason(path, LARGE + 1) == (reason(path, size) or "over 1 MB")


def test_it_is_counted_on_request_only(project: Project) -> None:
    workspace, counter = opened(project(FILES)), get_counter()

    def known() -> set[str]:
        return {each.path for each in workspace.references if workspace.reader.known_entry(each, counter)}

    count_all(workspace, counter)
    assert known() == FILES.keys() - LARGE_FILES
    assert [each.path for each in uncounted(workspace, workspace.references, counter)] == LARGE_FILES
    count_all(workspace, counter, only=[workspace.require("package-lock.json")])
    assert known() == FILES.keys() - set(LARGE_FILES[1:])
    count_all(workspace, counter, with_large=True)
    assert known() == FILES.keys()
    assert not uncounted(workspace, workspace.references, counter)


def test_an_empty_file_has_no_tokens_to_ask_for(project: Project) -> None:
    workspace, counter = opened(project({"yarn.lock": "", "go.sum": "x\n"})), get_counter()
    assert not count_all(workspace, counter)
    assert [each.path for each in uncounted(workspace, workspace.references, counter)] == ["go.sum"]
    total = totals(workspace, counter)[""]
    assert (total.files, total.counted, total.large, total.left, total.data) == (2, 1, 1, 2, 2)


def test_totals_name_what_is_counted_and_the_bytes_that_are_left(project: Project) -> None:
    workspace, counter = opened(project(FILES)), get_counter()
    count_all(workspace, counter)
    tokens = {path: counter.count(text) for path, text in FILES.items()}
    left = sum(len(FILES[path]) for path in LARGE_FILES)
    found = totals(workspace, counter)
    assert found[""].tokens == sum(tokens[path] for path in FILES.keys() - LARGE_FILES)
    assert (found[""].left, found[""].is_counted, found[""].percent, found[""].is_left) == (left, True, 100, False)
    recorded = found["tests/cassettes/"]
    assert (recorded.tokens, recorded.left, recorded.is_left) == (0, len(FILES["tests/cassettes/a.yaml"]), True)
    count_all(workspace, counter, with_large=True)
    found = totals(workspace, counter)
    assert (found[""].tokens, found[""].left, found[""].data) == (sum(tokens.values()), 0, len(LARGE_FILES))


def test_a_pick_counts_it_and_the_totals_follow(project: Project) -> None:
    workspace = opened(project(FILES))
    count_all(workspace, get_counter())
    session = workspace.session().pick("package-lock.json")
    after = figures(session, known=figures(workspace.session()))
    assert after.layout.tokens == session.payload().tokens == get_counter().count(session.payload().text)
    assert after.totals["package-lock.json"].tokens == get_counter().count(FILES["package-lock.json"])
    assert after.totals[""].large == len(LARGE_FILES) - 1


def test_it_is_not_among_the_files_to_begin_with(project: Project) -> None:
    workspace = opened(project({"yarn.lock": "x " * 500, "a.py": "print()\n"}))
    count_all(workspace, get_counter(), with_large=True)
    assert [each.reference.id for each in largest_files(workspace, totals(workspace, get_counter()))] == ["a.py"]


@cases(
    ("folder", "expected"),
    [
        ("tests/", ["tests/test_a.py"]),
        ("tests/cassettes/", ["tests/cassettes/a.yaml"]),
        ("", ["AGENTS.md", "src/main.py", "tests/test_a.py"]),
    ],
)
def test_a_pick_of_a_folder_leaves_it_out_if_it_can(project: Project, folder: str, expected: list[str]) -> None:
    session = opened(project(FILES)).session()
    for picked in (session.pick(folder), session.toggle(folder), session.mark_rows([folder], True)):
        assert [pick.id for pick in picked.picks] == expected
        assert picked.state(folder) == "all"
    assert session.pick_in_order([*session.workspace.by_id]).drop(folder).state(folder) == "none"


def test_a_pin_of_a_folder_pins_all_that_is_picked_in_it(project: Project) -> None:
    session = opened(project(FILES)).session().pick("src/api_pb2.py")
    for pinned in (True, False):
        session = session.pin("src/", pinned)
        assert {pick.id: pick.pinned for pick in session.picks} == {"src/api_pb2.py": pinned, "src/main.py": pinned}
