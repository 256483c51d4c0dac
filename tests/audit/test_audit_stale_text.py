"""Text that the project has outgrown: drawn trees, scripts, permissions, hooks, paths of one machine."""

from __future__ import annotations

import json
import posixpath
import time
from collections.abc import Iterable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.audit.rules.references.folder_trees import drawings
from ctxtui.audit.types import Finding, Fix
from tests.audit.auditing_helpers import audited, found, one
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.conftest import Project

_FILES = dict.fromkeys(("src/app.py", "src/db/base.py", "src/db/rows.py", "docs/guide.md", "setup.py"), "")
_DRAWN = """\
├── src/
│   ├── app.py        # entry
│   │                 #   and more of it
│   └── db/           # storage
│       ├── base.py
│       └── gone.py   # rows
├── docs/
│   └── guide.md
└── setup.py
"""
_INDENTED = "src/\n  app.py      # entry\n  db/\n    base.py\n    gone.py   # rows\ndocs/\n  guide.md\nsetup.py\n"


def _drawn(
    project: Project, drawing: str = _DRAWN, intro: str = "## Layout", files: dict[str, str] | None = None
) -> list[Finding]:
    text = f"# Shop\n\n{intro}\n\n```\n{drawing}```\n"
    return found(project({**_FILES, "CLAUDE.md": text, **(files or {})}), "missing-path")


@cases(
    "drawing",
    [
        _DRAWN,
        _DRAWN.replace("src/", "📁 src/").replace("gone.py", "📄 gone.py").replace("db/", "🗄️ db/"),
        f"shop/\n{_DRAWN}",
        f".\n{_DRAWN}",
        _INDENTED,
        _DRAWN.replace("├──", "|--").replace("└──", "`--"),
    ],
)
def test_a_path_of_a_drawn_tree_that_does_not_exist_is_found(project: Project, drawing: str) -> None:
    (finding,) = _drawn(project, drawing)
    assert finding.fact == "draws `src/db/gone.py`, which does not exist"
    assert (finding.severity, finding.path) == ("info", "CLAUDE.md")
    assert drawing.splitlines()[(finding.line or 0) - 6].split()[-3:] == ["gone.py", "#", "rows"]


@cases(
    "drawn",
    [
        {"intro": "## Proposed layout"},
        {"intro": "A new project looks as follows:"},
        {"intro": "Always draw trees as follows:"},
        {"intro": "Expected layout:"},
        {"drawing": _DRAWN.replace("# rows", "# DELETED")},
        {"files": {".gitignore": "gone.py\n"}},
        {"drawing": _DRAWN.replace("# rows", "# planned")},
        {"drawing": _DRAWN.replace("# rows", "(not yet implemented)")},
        {"drawing": _DRAWN.replace("gone.py ", "[id].py ")},
        {"drawing": _DRAWN.replace("# rows", "# 행 (M4)")},
        {"drawing": _DRAWN.replace("└── gone.py   # rows", "├── a-1.py\n│       └── a-2.py")},
        {"drawing": _DRAWN.replace("gone.py ", "others  ")},
        {"drawing": _DRAWN.replace("gone.py ", "v1-v3/  ")},
        {"drawing": _DRAWN.replace("gone.py ", "rows.py ")},
        {"drawing": "src/<name>/\n" + _DRAWN},
        {"drawing": "skill-name/\n" + _DRAWN},
        {"drawing": _DRAWN.replace("gone.py ", "row-name/")},
        {"drawing": "├── a/\n├── b/\n├── c/\n├── d/\n└── setup.py\n"},
    ],
)
def test_a_drawing_of_something_else_is_none_of_this_project(project: Project, drawn: dict[str, Any]) -> None:
    assert _drawn(project, **drawn) == []


def test_files_for_several_agents_that_lack_the_same_are_one_finding(project: Project) -> None:
    text = "# {}\n\nRows are in `src/gone.py`{}.\n\n```sh\npython src/load.py\n```\n\n```\n" + _DRAWN + "```\n"
    files = {**_FILES, "AGENTS.md": text.format("Codex", ""), "GEMINI.md": text.format("Gemini", "")}
    told = found(project(files), "missing-path")
    assert all([place.path for place in each.places] == ["AGENTS.md", "GEMINI.md"] for each in told)
    named = "names `src/gone.py`, which does not exist"
    ran = "runs `python src/load.py`, but src/load.py does not exist"
    assert sorted(each.fact for each in told) == ["draws `src/db/gone.py`, which does not exist", named, ran]
    more = {**files, "GEMINI.md": text.format("Gemini", " and `src/away.py`")}
    facts = [each.fact for each in found(project(more), "missing-path") if "names" in each.fact]
    assert sorted(facts) == [named, "names paths that do not exist, such as `src/away.py`"]


@cases(
    ("text", "fact", "is_known"),
    [
        ("Rows are in `src/gone.py`.", "names `src/gone.py`, which does not exist", True),
        ("Rows are in `src/away/`.", "names `src/away/`, which does not exist", True),
        ("```sh\npython src/gone.py\n```", "runs `python src/gone.py`, but src/gone.py does not exist", True),
        (f"```\n{_DRAWN.replace('gone.py', 'lost.py')}```", "draws `src/db/lost.py`, which does not exist", True),
        ("Rows are in `src/never.py`.", "names `src/never.py`, which does not exist", False),
    ],
)
def test_a_path_that_git_knows_is_a_warning_at_start(project: Project, text: str, fact: str, is_known: bool) -> None:
    repo = Repo(project({**_FILES, "CLAUDE.md": f"# A\n\n{text}\n", ".claude/commands/a.md": f"# A\n\n{text}\n"}))
    repo.commit(dict.fromkeys(("src/gone.py", "src/away/a.py", "src/away/b.py", "src/db/lost.py"), "x\n"))
    repo.commit({"src/away/a.py": None})
    gone = repo.commit(dict.fromkeys(("src/gone.py", "src/away/b.py", "src/db/lost.py")))
    (repo.root / "src/away").rmdir()
    repo.commit({"src/app.py": "y\n"})
    subject = fact.split("`")[1].split()[-1]
    told = {each.path: each for each in found(repo.root, "missing-path") if each.subject == subject}
    assert told["CLAUDE.md"].severity == ("warning" if is_known else "info")
    assert told["CLAUDE.md"].fact.startswith(f"{fact}; commit {gone[:7]} moved or removed it" if is_known else fact)
    assert all(each.severity == "info" for path, each in told.items() if path != "CLAUDE.md")


def test_a_tree_may_show_a_folder_of_the_project_and_what_moved_is_named(project: Project) -> None:
    files = {**{f"web/{path}": "" for path in _FILES}, "old/gone.py": ""}
    (finding,) = found(project({**files, "CLAUDE.md": f"# Web\n\n```text\nweb/\n{_DRAWN}```\n"}), "missing-path")
    there = "in web/, where most of the drawing is; old/gone.py does"
    assert finding.fact == f"draws `src/db/gone.py`, which does not exist {there}"


def test_a_tree_of_any_of_several_folders_may_show_what_one_has(project: Project) -> None:
    files = {f"shops/{shop}/{path}": "" for path in _FILES for shop in "ab"}
    files |= dict.fromkeys(("shops/a/src/db/one.py", "shops/a/src/db/two.py"), "")
    drawing = _DRAWN.replace("└── gone.py", "├── one.py\n│       ├── two.py\n│       └── gone.py")
    files["CLAUDE.md"] = f"# Shops\n\n```\nshop/\n{drawing}```\n"
    for gone, told in (("shops/b/src/db/gone.py", []), ("gone/src/db/gone.py", ["src/db/gone.py"])):
        assert [each.subject for each in found(project({**files, gone: ""}), "missing-path")] == told


_names = st.text(st.sampled_from("abcxyz"), min_size=1, max_size=4)
_trees = st.recursive(
    st.just(None), lambda inner: st.dictionaries(_names, inner, min_size=1, max_size=4), max_leaves=20
).filter(lambda tree: isinstance(tree, dict))


@given(_trees, st.booleans())
@settings(max_examples=100)
def test_any_drawn_tree_is_read_as_it_was(tree: dict[str, object], is_boxed: bool) -> None:
    paths: list[str] = []

    def lines(folder: dict[str, object], above: str, indent: str) -> list[str]:
        drawn = []
        for place, (name, inner) in enumerate(folder.items()):
            is_last, is_folder = place == len(folder) - 1, isinstance(inner, dict)
            paths.append(f"{above}{name}" if is_folder else f"{above}{name}.md")
            box = ("└── " if is_last else "├── ") if is_boxed else ""
            drawn.append(f"{indent}{box}{name}{'/' if is_folder else '.md'}")
            if isinstance(inner, dict):
                deeper = ("    " if is_last else "│   ") if is_boxed else "  "
                drawn += lines(inner, f"{above}{name}/", indent + deeper)
        return drawn

    block = "\n".join(lines({**tree, "last": {}}, "", ""))
    assert [each.path for drawing in drawings(f"```\n{block}\n```\n") for each in drawing.branches] == paths


def test_code_draws_a_tree_only_with_lines() -> None:
    assert list(drawings(f"```yaml\n{_INDENTED}```\n")) == []
    ((_, branches, _),) = drawings(f"# Layout\n\n```python\n{_DRAWN}```\n")
    lines = _DRAWN.splitlines()
    assert [posixpath.basename(each.path) in lines[each.line - 4] for each in branches] == [True] * len(branches)


@cases(
    ("command", "written"),
    [
        ("python tools/gone.py --all", "python tools/gone.py"),
        ("uv run python tools/gone.py > out.json", "uv run python tools/gone.py"),
        ("uv run tools/gone.py", "uv run tools/gone.py"),
        ("cd docs && node tools/gone.mjs", ""),
        ("bash ./tools/gone.sh", "bash ./tools/gone.sh"),
        ("./tools/gone.sh && make", "./tools/gone.sh"),
        ("python tools/there.py", ""),
        ("python other/gone.py", ""),
        ("python tools/your_script.py", ""),
        ("python -m tools.gone", ""),
        ("pip install -r dev.txt", "pip install -r dev.txt"),
        ("pip3 install -q -r tools/there.py", ""),
        ("pwsh ./gone.ps1", "pwsh ./gone.ps1"),
        ("./gone.sh", "./gone.sh"),
        ("./program", ""),
        ("wget https://example.org/gone.sh\n./gone.sh", ""),
        ("python build/gone.py", ""),
    ],
)
def test_a_script_that_a_text_runs_has_to_exist(project: Project, command: str, written: str) -> None:
    root = project(
        {"CLAUDE.md": f"# A\n\n```sh\n{command}\n```\n", "tools/there.py": "", "docs/a.md": "", "build/a": ""}
    )
    facts = [each.fact for each in found(root, "missing-path")]
    name = written.split()[-1].removeprefix("./") if written else ""
    assert facts == ([f"runs `{written}`, but {name} does not exist"] if written else [])


@cases(
    ("pattern", "is_told"),
    [
        ("src/pay/**", True),
        ("src/pay/*.ts", True),
        ("src/pay/**/*.ts", True),
        ("src/api/**", False),
        ("*/pay/**", False),
        ("dist/pay/**", False),
    ],
)
def test_a_pattern_for_files_of_a_folder_that_is_gone_is_told(project: Project, pattern: str, is_told: bool) -> None:
    root = project({"CLAUDE.md": f"# A\n\n- `{pattern}`: payments\n", "src/api/get.ts": "", "dist/a.js": ""})
    assert [each.fact for each in found(root, "missing-path")] == ["names `src/pay/`, which does not exist"] * is_told


@cases(
    ("command", "missing"),
    [
        ("cd web/app && python src/gone.py", "web/app/src/gone.py"),
        ("cd web/app && python there.py && python gone.py", "web/app/gone.py"),
        ("cd web && cd app && python gone.py", ""),
        ("cd /tmp && cd web && python gone.py", ""),
        ("ssh host; cd web && python gone.py", ""),
        ("cd ../other\ncd web && python gone.py", ""),
        ("(cd web && python gone.py)", ""),
        ("cd web/app && dart run gone.dart", "web/app/gone.dart"),
        ("cd web/app && go run ./gone.d/x", ""),
        ("cd web/app && go build && ./gone", ""),
        ("cd web/app && python there.py && python build/gone.py", ""),
        ("cd .. && python gone.py", ""),
        ("cd $HOME && python web/gone.py", ""),
        ("cd dist && python gone.py", ""),
        ("python gone.py", ""),
    ],
)
def test_a_script_is_looked_for_in_the_folder_that_its_line_enters(
    project: Project, command: str, missing: str
) -> None:
    root = project({"CLAUDE.md": f"# A\n\n```sh\n{command}\n```\n", "web/app/there.py": "", "web/app/src/a.py": ""})
    facts = [each.fact for each in found(root, "missing-path")]
    assert facts == [f"runs `{command.rpartition(' && ')[2]}`, but {missing} does not exist"] * bool(missing)


@cases(("name", "told"), [("api_types_rules.mdc", True), ("api_types.mdc", False), ("api_types_rules.ts", False)])
def test_a_rule_that_another_one_names_has_to_exist(project: Project, name: str, told: bool) -> None:
    rule = f"---\nglobs: '*.ts'\n---\n\nStatus (see `{name}`).\n"
    findings = found(
        project({".cursor/rules/a.mdc": rule, ".cursor/rules/api_types.mdc": "x\n", "a.ts": ""}), "missing-path"
    )
    assert [each.subject for each in findings] == [name] * told


def test_a_list_of_the_files_beside_a_text_names_only_those(project: Project) -> None:
    rows = "".join(f"| `{name}_state.dart` | x |\n" for name in ("cart_page", "shop_page", "gone_page"))
    files = {"lib/cart_page_state.dart": "", "lib/shop_page_state.dart": "", "CLAUDE.md": "x\n"}
    text = f"# A\n\nFiles:\n\n| File | About |\n|---|---|\n{rows}"
    for folder, told in (("lib", ["gone_page_state.dart"]), ("docs", [])):
        findings = found(project({**files, f"{folder}/CLAUDE.md": text}), "missing-path")
        assert [each.subject for each in findings] == told


@cases(
    ("text", "told"),
    [
        ("Nothing may import `src/gone.ts` yet.\n\nSums are in `src/gone.ts`.", ["src/gone.ts"]),
        ("- **Repository pattern** — `src/stores/` for rows", ["src/stores/"]),
        ("Review how rows are kept in `src/stores/` before building pages.", ["src/stores/"]),
        ("Read `samples/shop/gone/` first.", ["samples/shop/gone/"]),
        ("Read `src/sample/gone.ts` first.", []),
        ("Put new ones into `src/stores/`.", []),
        ("## Example 1\n\nFile: `src/stores/`", []),
        ("## row-lib\n\nRows are in `src/stores/`.", []),
        ("## shop\n\nRows are in `src/stores/`.", ["src/stores/"]),
        ("Rows are in `src/rows/gone.ts`. Others must not be removed.", ["src/rows/gone.ts"]),
        ("Others stay. Do not import `src/rows/gone.ts`. Rows are typed.", []),
        ("You may change files only under:\n\n- the folder of **rows** (create more):\n  - `src/gone/rows/`", []),
        ("Read `docs/a-b.md` first.", []),
        ("| What | Branch prefix |\n|---|---|\n| tests | `src/row/` |", []),
        ("| What | Folder |\n|---|---|\n| tests | `src/row/` |", ["src/row/"]),
        ("Use `./src/all.sh` to test.", ["src/all.sh"]),
    ],
)
def test_what_a_sentence_claims_of_a_path(project: Project, text: str, told: list[str]) -> None:
    files = {"src/rows/a.ts": "", "samples/shop/a.ts": "", "docs/a\u2011b.md": "x\n", "CLAUDE.md": f"# A\n\n{text}\n"}
    findings = found(project(files), "missing-path")
    assert [each.subject for each in findings] == told
    assert all(each.fact.startswith("runs `./") == ("./" in text) for each in findings)


@cases(
    ("text", "files", "hint"),
    [
        ("Calls are in `web/lib/api.ts`.", ("web/lib/api/get.ts", "app/lib/api.ts"), "web/lib/api/"),
        ("Calls are in `web/lib/api.ts`.", ("web/lib/api",), "web/lib/api"),
        ("All is built by `web/lib/api.bat`.", ("web/lib/api/get.ts",), ""),
        # In a folder side by side, the same name is another file.
        ("Sums are in `app/rent/sum_of_all.rb`.", ("app/rent/cache.rb", "app/balance/sum_of_all.rb"), ""),
        (
            "Sums are in `app/rent/sum_of_all.rb`.",
            ("app/rent/cache.rb", "app/balance/sum_of_all.rb", "demo/sum_of_all.rb"),
            "",
        ),
        (
            "Run `python tools/weekly_report.py`.",
            ("tools/a.py", "scripts/weekly_report.py"),
            "scripts/weekly_report.py",
        ),
    ],
)
def test_what_moved_or_is_a_folder_is_named(project: Project, text: str, files: tuple[str, ...], hint: str) -> None:
    finding = one(project({"CLAUDE.md": f"# A\n\n{text}\n", **dict.fromkeys(files, "")}), "missing-path")
    assert finding.remedy.hint == hint
    written = [step.after for step in finding.remedy.steps if isinstance(step, Fix)]
    assert written == [text.replace(finding.subject, hint)] * bool(hint)


@cases(
    ("text", "is_told"),
    [
        ("## Important files\n\n- `src/gone.py`: the entry\n", True),
        ("## Imported files\n\n- `src/gone.csv`: the entry\n", False),
        ("## References (read before writing)\n\n- `src/far/gone.py`\n", True),
        ("Create these files:\n\n- `src/far/gone.py`\n", False),
        ("- Repository DI: `src/far/gone.py`\n", True),
        ("See the other repo: `src/far/gone.py`.\n", False),
        ("See [`far/gone.py`](src/app.py) in [src/gone.py](src/app.py).\n", False),
        ("Tests should live in `src/far/`.\n", False),
        ("Push to a `src/far/` branch.\n", False),
        ("A PR `src/far/*` is merged by itself.\n", False),
        ("The data is in `src/far/gone.csv`.\n", False),
        ("It is in `far/gone.py`.\n", False),
        ("It is in `rows/shop_of_apps.py`.\n", True),
        ("It is in `rows/gone.py`.\n", False),
        ("- `src/lib/gone.py` decides on the rows of all shops when a task moves\n", True),
        ("- Create `src/lib/gone.py`.\n", False),
        ("Styles in `src/` are compiled to `src/gone.py`.\n", False),
        ("Read `.github/aw/gone.md`.\n", False),
        ("Rows are read by `load_rows_of.py`.\n", True),
        ("Names are snake case, such as `load_rows_of.py`.\n", False),
        ("Rows are read by `shop_of_apps.py`.\n", False),
        ("Rows are read by `rows.py`.\n", False),
        ("## Repository layout\n\n- `src/gone.py`: the entry\n", True),
        ("## Files of another repository\n\n- `src/gone.py`: the entry\n", False),
        ("Follow the patterns established in `src/gone.py`.\n", True),
        ("Files have the pattern of `src/gone.py`.\n", True),
        ("Files match a pattern: `src/gone.py`.\n", False),
        ("Every repo MUST have `src/gone.py`.\n", False),
        ("Record decisions in `src/gone.py`.\n", False),
        ("If `src/gone.py` exists, it is read.\n", False),
        ("Read `src/gone.py`; if that file is missing, go on.\n", False),
        ("Name files: `src/gone.py`.\n", False),
        ("If your project uses `src/gone.py`, read it.\n", False),
        ("Projects that check more have `src/gone.py`.\n", False),
        ("`src/gone.py`는 만들지 않습니다.\n", False),
        ("`src/gone.py` 不存在。\n", False),
        ("删除 `src/gone.py`。\n", False),
        ("Não há `src/gone.py`.\n", False),
        ("`src/gone.py` ist geplant.\n", False),
        ("`src/gone.py` liest die Zeilen.\n", True),
        ("**Examples**:\n\n- `src/app.py`: the entry\n- `src/gone.py`: the rows\n", True),
        ("**Examples**:\n\n- `src/other.py`: the entry\n- `src/gone.py`: the rows\n", False),
        ("Examples to avoid:\n\n- `src/app.py`: the entry\n- `src/gone.py`: the rows\n", False),
        ("- Setup: `shop.setup.js`\n", True),
        ("- Setup: `next.config.js`\n", False),
        ("See `.env.example` for all variables.\n", True),
        ("Paths, as in `src/X.py`.\n", False),
        ("It replaces the now-retired `src/gone.py`.\n", False),
        ("`src/far/gone.py` is a local workspace.\n", False),
        ("Look whether `src/gone.py` is needed.\n", False),
        ("`src/gone.py` is there only while the shop is open.\n", False),
        ("It is in `src/app.h/.py`.\n", False),
        ("Branch prefix: always use `row/`.\n", False),
        ("- Branches: `docs/`, `fix/`, `srcs/`\n", False),
        ("Read on when any of these is there:\n\n- `src/gone/`\n", False),
        ("1. Look\n\n   Read these when present:\n   - `src/gone/`\n", False),
        ("New rows go in `src/lib/gone.py`.\n", False),
        ("Tests end with `.rows.test.py`.\n", False),
        ("1. Polling (first in the retired\n   `src/gone.py`, then elsewhere) runs.\n", False),
        ("1. Polling (first in\n   `src/gone.py`, then elsewhere) runs.\n", True),
        ("`lib/` means `node_modules/lib/`, so read `lib/gone.py`.\n", False),
    ],
)
def test_words_around_a_path_say_whether_it_should_be_there(project: Project, text: str, is_told: bool) -> None:
    there = ("app.py", "lib/Shop_of_apps.py", "rows/all.py")
    others = (
        "lib/a.py",
        "shop.setup.ts",
        "lib/a.rows.test.py",
        ".github/aw/a.json",
        *(f"src/{each}" for each in there),
    )
    root = project({"CLAUDE.md": f"# A\n\n{text}", **dict.fromkeys(others, "")})
    name = text.rpartition("`")[0].rpartition("`")[2]
    assert [each.subject for each in found(root, "missing-path")] == [name] * is_told


@cases("piece", ["`src/gone.py` ", "`gone.py` (40 lines) ", "pytest -q ", "`npm run biuld` ", "<<<<<<< a\n=======\n"])
def test_a_text_of_thousands_of_pieces_is_read_in_time(project: Project, piece: str) -> None:
    """Each took minutes where a rule read the rest of the text again for every piece."""
    scripts = '{"scripts": {"build": "tsc"}}'
    root = project({"CLAUDE.md": f"# A\n\n{piece * 8_000}\n", "src/app.py": "", "package.json": scripts})
    began = time.process_time()
    rules = ["missing-path", *["missing-command"] * ("npm" in piece)]
    assert all(each.path == "CLAUDE.md" for each in audited(root, rules).findings)
    assert time.process_time() - began < 20


def test_a_template_names_the_paths_of_other_projects(project: Project) -> None:
    files = {"CLAUDE.md": "x\n", "src/app.py": ""}
    for folder in ("Shop.Template", "shop"):
        files |= {f"{folder}/CLAUDE.md": f"# {folder}\n\nIt is in `src/gone.py`.\n", f"{folder}/rows.py": ""}
    assert one(project(files), "missing-path").path == "shop/CLAUDE.md"


def test_a_script_for_hooks_that_nothing_names_never_runs(project: Project) -> None:
    hook = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": ".claude/hooks/stop.sh"}]}]}}
    settings = {".claude/settings.json": json.dumps(hook)}
    scripts = {"stop.sh": ". helper_lib.sh\n", "helper_lib.sh": "true\n", "guard.sh": "exit 1\n"}
    hooks = {f".claude/hooks/{name}": text for name, text in scripts.items()}
    hooks["CLAUDE.md"] = "Hooks are in `.claude/hooks/guard.sh`.\n"
    finding = one(project({**hooks, **settings}), "never-loaded")
    assert (finding.path, finding.severity) == (".claude/hooks/guard.sh", "info")
    assert finding.fact == "nothing runs this script: no entry of `hooks` in .claude/settings.json does"
    # Everybody may have other settings.
    assert found(project({**hooks, ".gitignore": "settings.json\n"}), "never-loaded") == []
    assert "there is no .claude/settings.json" in one(project(hooks), "never-loaded").fact
    hooks["CLAUDE.md"] = "Run `bash .claude/hooks/guard.sh <N>`, and `stop.sh` by hand.\n"
    assert found(project({**hooks, **settings, "docs/a.md": ""}), "never-loaded") == []


@cases(
    ("line", "told"),
    [
        ("Use `/Users/ada/shop/tools`.", "/Users/ada/"),
        ("cd C:\\Users\\ada\\shop", "C:\\Users\\ada\\"),
        ("See (/home/ada/shop).", "/home/ada/"),
        ("Keep notes in `/home/ada/shop`. Do not create it.", "/home/ada/"),
        ("Use /Users/you/shop.", ""),
        ("Copy /home/ubuntu/shop to /Users/ada/shop.", "/Users/ada/"),
        ("Look in `D:\\Users\\ada\\shop`.", "D:\\Users\\ada\\"),
        ('HOME = "/home/ada/shop"', ""),
        ("/home/ada/shop ← BLOCKED", ""),
        ("Use /home/ubuntu/shop.", ""),
        ("For example /home/ada/shop.", ""),
        ("Error: git init failed in /home/ada/shop.", ""),
        ("Use app/[id]/home/parts/a.ts.", ""),
        ("See https://example.org/home/ada/x.", ""),
        ("Screenshots are in `D:\\lightshot`.", "D:\\lightshot"),
        ("Run `cd /Volumes/SSD-01/work/shop`.", "/Volumes/SSD-01"),
        ("Write no absolute path such as `D:\\lightshot`.", ""),
        ("Look there: `ssh beelink ls /home/ada/shop`.", ""),
        ("It matches `a:\\d+` and `C:\\Windows\\System32`.", ""),
    ],
)
def test_a_path_of_one_machine_is_a_note(project: Project, line: str, told: str) -> None:
    findings = found(project({"CLAUDE.md": f"# A\n\n{line}\n"}), "machine-path")
    assert [each.subject for each in findings] == [told] * bool(told)


def test_each_place_of_a_folder_of_one_machine_is_told(project: Project) -> None:
    text = "Use /home/ada/a and /home/bea/b.\n\nThen /home/ada/c, and /home/ada/d.\n"
    finding = one(project({"CLAUDE.md": text}), "machine-path")
    assert finding.fact == "names folders of one machine in 3 places"
    places = [(1, "/home/ada/"), (1, "/home/bea/"), (3, "/home/ada/")]
    assert [(each.line, each.subject) for each in finding.places] == places


def test_a_variable_is_no_part_of_a_permission(project: Project) -> None:
    settings = json.dumps({"permissions": {"allow": ["Bash(/opt/work/shop/tools/lint.sh:*)"]}})
    finding = one(project({".claude/settings.json": settings, "tools/lint.sh": ""}), "machine-path")
    assert (finding.remedy.words, finding.remedy.steps) == ("write its path from the project", ())


@cases(
    ("command", "named"),
    [
        ("/data/work/shop/.claude/hooks/lint.sh", "/data/work/shop/.claude/hooks/lint.sh"),
        ("bash $HOME/shop/.claude/hooks/lint.sh --all", "$HOME/shop/.claude/hooks/lint.sh"),
        ("$CLAUDE_PROJECT_DIR/.claude/hooks/lint.sh", ""),
        ("/usr/bin/env python3", ""),
    ],
)
def test_a_hook_names_a_file_of_the_project_from_the_project(project: Project, command: str, named: str) -> None:
    hook = {"hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": command}]}]}}
    files = {"CLAUDE.md": "# A\n", ".claude/settings.json": json.dumps(hook), ".claude/hooks/lint.sh": "true\n"}
    findings = found(project(files), "machine-path")
    told = f"names `{named}`, which is .claude/hooks/lint.sh on one machine"
    assert [each.fact for each in findings] == [told] * bool(named)
    fixed = [step.after for each in findings for step in each.remedy.steps if isinstance(step, Fix)]
    assert all("$CLAUDE_PROJECT_DIR/.claude/hooks/lint.sh" in each for each in fixed)
    assert len(fixed) == bool(named)


@cases(("path", "is_told"), [(".claude/settings.json", True), (".claude/settings.local.json", False)])
def test_a_permission_for_the_folder_of_one_machine_is_a_note(project: Project, path: str, is_told: bool) -> None:
    settings = {"permissions": {"allow": ["Bash(ls:*)", "Bash(rm -r /Users/ada/shop/build)"]}}
    files = {"CLAUDE.md": "# A\n", path: json.dumps(settings, indent=2)}
    told = [(each.path, each.line, each.subject) for each in found(project(files), "machine-path")]
    assert told == [(path, 5, "/Users/ada/")] * is_told


@cases(
    ("text", "lines"),
    [
        ("Naïve caf\ufffd.\n", [1]),
        ("# A\n\nOne \ufffd\ntwo \ufffd\n", [3]),
        ("A replacement character is \ufffd.\n", []),
        ("`\ufffd` is code.\n\n```\n\ufffd\n```\n", []),
    ],
)
def test_characters_lost_before_are_found(project: Project, text: str, lines: list[int]) -> None:
    assert [each.line for each in found(project({"CLAUDE.md": text}), "not-text")] == lines


@cases(
    ("text", "is_told"),
    [("Strictly follow AGENTS.md\n", True), ("@AGENTS.md\n", False), (f"See AGENTS.md.\n{'More. ' * 200}\n", False)],
)
def test_words_import_nothing(project: Project, text: str, is_told: bool) -> None:
    findings = found(project({"CLAUDE.md": text, "AGENTS.md": "# Rules\n\nBe kind.\n"}), "shadowed")
    assert [each.remedy.words for each in findings] == (["write `@AGENTS.md`"] if is_told else [])


def test_a_color_of_an_agent_is_one_that_it_knows(project: Project) -> None:
    agent = "---\nname: {0}\ndescription: Reviews. Use it often.\ncolor: {1}\n---\nReview.\n"
    files = {f".claude/agents/{color}.md": agent.format(color, color) for color in ("blue", "treasure-gold")}
    assert one(project(files), "unknown-name").fact == "Claude Code does not know the color `treasure-gold`"


@cases(
    ("said", "is_told"),
    [
        ("**tRPC 11.15**", True),
        ("tRPC 11.18", False),
        ("tRPC 11", False),
        ("Zod 4 is like Zod 3", False),
        ("Zod 3", True),
        ("Node 20", True),
        ("**Node.js**: >=20.11.1", True),
        ("`Node.js` version (>=20.11.1)", True),
        ("**Node.js**: 22", False),
        ("`--module node18`", False),
        ("Go 1.24.0", True),
        ("Go ≥ 1.24. Module: shop", True),
        ("Go 1.26", False),
        ("go 1 by 1", False),
        ("Go 1.24+", True),
        ("Go 1.24+ rules", False),
        ("Go 1.24+/1.25+ rules", False),
        ("Routes (Go 1.24+)", False),
        ("Use Go 1.24 routes", False),
        ("Works in Chrome 110+, Firefox 115+ and Node.js 20+", False),
    ],
)
def test_a_version_below_the_one_of_the_manifest_is_told(project: Project, said: str, is_told: bool) -> None:
    dependencies = {"@trpc/server": "^11.17.0", "zod": "^4.4.3"}
    manifest = json.dumps({"dependencies": dependencies, "engines": {"node": ">=22.6.0"}})
    manifests = {"package.json": manifest, "go.mod": "module shop\n\ngo 1.26.1\n"}
    assert bool(found(project({"CLAUDE.md": f"# A\n\n- {said}\n", **manifests}), "conflicting-text")) == is_told


_KEY = "sbp_" + "0d5e8c1b7a9f4e2d6c3b8a1f5e7d9c0b4a2f6e8d"


@cases(
    ("path", "is_told"),
    [
        *((path, True) for path in (".mcp.json", ".cursor/mcp.json", ".claude/settings.json", ".vscode/mcp.json")),
        *((path, True) for path in (".factory/mcp.json", "crush.json")),
        # Those of the program itself are not for this audit.
        *((path, False) for path in ("settings.json", "tests/fixtures/.mcp.json", "src/config.toml")),
    ],
)
def test_a_credential_in_the_settings_of_an_agent_is_found(project: Project, path: str, is_told: bool) -> None:
    settings = json.dumps({"env": {"SUPABASE_ACCESS_TOKEN": _KEY}})
    findings = found(project({"CLAUDE.md": "# A\n", path: settings}), "secret")
    assert [(each.path, each.severity, each.line) for each in findings] == [(path, "error", 1)] * is_told
    assert _KEY not in repr(findings)


@cases(
    ("url", "is_told"),
    [
        ("mongodb+srv://anna:kT7rainy9@cluster0.wubbv.mongodb.net/shop", True),
        ("postgres://anna:kT7rainy9@localhost:5432/shop", False),
        ("postgres://user:password1@db.abcd.supabase.co/shop", False),
        ("mongodb+srv://anna:${PASSWORD}@cluster0.wubbv.mongodb.net/shop", False),
    ],
)
def test_a_password_of_a_hosted_database_is_found(project: Project, url: str, is_told: bool) -> None:
    settings = json.dumps({"servers": {"db": {"command": "npx", "args": ["mongo-server", url]}}})
    assert bool(found(project({"CLAUDE.md": "# A\n", ".vscode/mcp.json": settings}), "secret")) == is_told


def test_an_address_of_a_contract_is_no_token(project: Project) -> None:
    text = "# A\n\ncurl 'https://a.example/x?token_address=0x6982508145454Ce325dDbE47a25d4ec3d2311933'\n"
    assert found(project({"CLAUDE.md": text}), "secret") == []


_PROMPT = {".claude/agents/a.md": "# Prompt\n"}


@cases(
    ("files", "severity"),
    [
        (_PROMPT, "error"),
        ({".claude/agents/_archived/a.md": "# Prompt\n"}, "info"),
        ({**_PROMPT, ".claude/agents/b.md": "---\nname: b\ndescription: d\n---\nRead a.md.\n"}, "info"),
        ({**_PROMPT, "CLAUDE.md": "Role: Read('.claude/agents/b.md')\n"}, "info"),
        ({**_PROMPT, "CLAUDE.md": "Agents are in `.claude/agents/`.\n"}, "error"),
        # What another agent alone drops.
        (
            {
                ".claude/agents/a.md": "---\nname: a\ndescription: Reviews: often.\n---\nReview.\n",
                ".github/copilot-instructions.md": "x\n",
            },
            "warning",
        ),
    ],
)
def test_what_is_kept_or_read_needs_no_frontmatter(project: Project, files: dict[str, str], severity: str) -> None:
    finding = one(project({"CLAUDE.md": "# A\n", **files}), "frontmatter-rejected")
    assert (finding.severity, finding.agent == "copilot-cli") == (severity, severity == "warning")


def test_a_retired_skill_is_not_to_be_moved_back(project: Project) -> None:
    skill = "---\nname: a\ndescription: Does it. Use it for that.\n---\nDo.\n"
    files = {"CLAUDE.md": "# A\n", ".claude/skills/b/SKILL.md": skill.replace("a", "b", 1)}
    assert one(project({**files, ".claude/skills/more/a/SKILL.md": skill}), "wrong-place")
    assert found(project({**files, ".claude/skills/deprecated/a/SKILL.md": skill}), "wrong-place") == []


_DOCS = {f"docs/{name}.md": "" for name in ("auth", "build", "deploy", "errors", "queues")}
_LIST = "".join(f"- [{name}](docs/{name}.md)\n" for name in ("auth", "build", "deploy", "errors"))


_LEFT_OUT = "names {} files in docs/ and leaves out queues.md"


@cases(
    ("text", "files", "told"),
    [
        (f"## Documents\n\n{_LIST}", (), _LEFT_OUT.format("4 of the 5")),
        (
            f"## Documents\n\n{_LIST}- [plan](docs/plan-work.md)\n",
            ("docs/plan-work.md", "docs/readme.md"),
            _LEFT_OUT.format("5 of the 6"),
        ),
        (
            "## Documents\n\n```\ndocs/\n├── auth.md\n├── build.md\n├── deploy.md\n└── errors.md\n# For example\n```\n",
            (),
            _LEFT_OUT.format("4 of the 5"),
        ),
        (
            "## Packages in `libs/`\n\n| `api` | `db` |\n| `ui`, `web` | `jobs` |\n",
            [f"libs/{name}/package.json" for name in ("api", "db", "ui", "web", "jobs", "mail")],
            "names 5 of the 6 packages in libs/ and leaves out mail",
        ),
    ],
)
def test_a_list_that_leaves_one_out_is_found(project: Project, text: str, files: Iterable[str], told: str) -> None:
    finding = one(project({**_DOCS, **dict.fromkeys(files, "{}"), "AGENTS.md": f"# Shop\n\n{text}"}), "wrong-index")
    assert (finding.fact, finding.line, finding.severity) == (told, 3, "info")


def test_lists_that_leave_out_others_do_not_speak_for_each_other(project: Project) -> None:
    other = {"sub/CLAUDE.md": f"## Documents\n\n{_LIST.replace('auth', 'queues')}"}
    finding = one(project({**_DOCS, "CLAUDE.md": f"## Documents\n\n{_LIST}", **other}), "wrong-index")
    assert finding.fact == "names nearly all files in docs/ and leaves out others, such as queues.md"


@cases(
    ("text", "files"),
    [
        (f"## Key documents\n\n{_LIST}", ()),
        (f"## Documents\n\nRead these first:\n\n{_LIST}", ()),
        (f"## Documents\n\n{_LIST}- …\n", ()),
        (f"## Documents\n\n{_LIST}\nWorkers are in `docs/queues.md`.\n", ()),
        (f"## Documents\n\n{_LIST}\n## Workers\n\nSee docs/queues.md.\n", ()),
        (f"## Documents\n\n{_LIST}", ("jobs", "mail")),
        (f"## Documents\n\n{_LIST.replace('docs/', '')}", ()),
        # Readmes, templates and years need not be listed.
        (f"## Documents\n\n{_LIST}- [queues](docs/queues.md)\n", ("README", "template", "2026-05-notes")),
    ],
)
def test_a_choice_and_a_list_of_all_are_not_told(project: Project, text: str, files: tuple[str, ...]) -> None:
    more = {f"docs/{name}.md": "" for name in files}
    assert found(project({**_DOCS, **more, "AGENTS.md": f"# Shop\n\n{text}"}), "wrong-index") == []


@cases(
    ("name", "text", "is_read"),
    [
        ("docs/guide.md", "Read `docs/guide.md` before you start.", True),
        ("docs/guide.md", "Read the [guide](docs/guide.md#first) before you start.", True),
        ("docs/guide.md", "Read the guide before you start.", False),
        ("docs/CHANGELOG.md", "Read `docs/CHANGELOG.md` before you start.", False),
        ("docs/adr/0007-rows.md", "Read `docs/adr/0007-rows.md` before you start.", False),
        ("docs/requirements/rows.md", "Read `docs/requirements/rows.md` before you start.", False),
        ("tests/fixtures/guide.md", "Read `tests/fixtures/guide.md` before you start.", False),
    ],
)
def test_a_text_that_an_agents_text_names_is_read_too(project: Project, name: str, text: str, is_read: bool) -> None:
    files = {"src/db/base.py": "", name: "# Guide\n\nRows live in `src/db/gone.py`.\n"}
    findings = found(project({**files, "AGENTS.md": f"# Shop\n\n{text}\n"}), "missing-path")
    assert [(each.path, each.line, each.severity) for each in findings] == [(name, 3, "info")] * is_read


def test_a_text_that_an_agent_reads_and_another_names_is_told_once(project: Project) -> None:
    files = {"src/db/base.py": "", "CLAUDE.md": "# Shop\n\nRows live in `src/db/gone.py`.\n"}
    (finding,) = found(project({**files, "AGENTS.md": "# Shop\n\nRead `CLAUDE.md`.\n"}), "missing-path")
    assert (finding.path, finding.count) == ("CLAUDE.md", 1)


@cases(
    ("text", "subject", "remedy"),
    [
        ("If `.github/TEMPLATE.md` exists, fill it in.\n", ".github/TEMPLATE.md", "write `.github/template.md`"),
        ("See `packages/kit/START.md` for all steps.\n", "packages/kit/START.md", ""),
        ("It is in `src/gone.py::load_all()`.\n", "src/gone.py", ""),
    ],
)
def test_a_path_is_told_whatever_stands_around_it(project: Project, text: str, subject: str, remedy: str) -> None:
    root = project({"CLAUDE.md": f"# A\n\n{text}", ".github/template.md": "x\n", "src/app.py": ""})
    finding = one(root, "missing-path")
    assert (finding.subject, finding.remedy.words) == (subject, remedy)


@cases("text", ["See `src/Order.ts`.\n", "Write `.github/Template.md`, not `.github/template.md`.\n"])
def test_a_path_in_another_case_may_be_meant(project: Project, text: str) -> None:
    files = {
        "kit/AGENTS.md": f"# A\n\n{text}",
        "kit/src/Order.ts": "",
        "src/order.ts": "",
        ".github/template.md": "x\n",
    }
    assert found(project(files), "missing-path") == []
