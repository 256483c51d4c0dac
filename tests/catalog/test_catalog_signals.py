"""Signals of real project folders, within bounds, and the triggers they suggest."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.catalog import DetectionSignals, MarkdownFileContextProvider, collect_signals, derive_triggers
from ctxtui.catalog.detection.signals import READERS
from tests.cases import cases
from tests.conftest import Project

PYTHON = {
    "pyproject.toml": "[project]\n",
    "src/app/main.py": (
        '"""Doc.\n\nimport fake_in_docstring\n"""\nimport os, sys\nfrom fastapi import (\n    APIRouter,  # comment\n'
        "    FastAPI,\n)\nfrom .local import thing\n# import commented\napp = FastAPI(title='x')\n\n\n"
        "@app.get('/')\nasync def root() -> None:\n    df.groupby('a').agg(1)\n\n\nclass Out(BaseModel):\n    pass\n"
    ),
    "notebooks/a.ipynb": json.dumps(
        {"cells": [{"cell_type": "code", "source": ["import pandas as pd\n", "pd.DataFrame()"]}]}
    ),
    "alembic.ini": "",
    ".venv/lib/flask.py": "import flask\n",
    "env2/pyvenv.cfg": "",
    "env2/lib/x.py": "import django\n",
    "node_modules/a/index.js": "import 'left-pad'\n",
    ".hidden/x.py": "import hidden\n",
}
ANGULAR = {
    "package.json": json.dumps(
        {"dependencies": {"@angular/core": "^17", "primeng": "17"}, "devDependencies": {"jest": "29"}}
    ),
    "angular.json": "{}",
    "tsconfig.json": '{ "compilerOptions": { "strict": true } }',
    "tailwind.config.js": "module.exports = { plugins: [require('@tailwindcss/forms')] }\n",
    "src/app/app.component.ts": (
        "import {\n  Component,\n} from '@angular/core';\n"
        "import { Store } from \"@ngrx/store\";\nimport { x } from './local';\n"
        "@Component({\n  standalone: true,\n})\n"
        "export class AppComponent { s = new BehaviorSubject<User | null>(null); }\n"
    ),
    "src/app/app.component.html": '<p-table [value]="x"></p-table>\n@if (a) {}\n',
    "dist/main.js": "import 'built'\n",
}
DOTNET = {
    "App.sln": "",
    "src/App/App.csproj": (
        '<Project Sdk="Microsoft.NET.Sdk.Web">\n<TargetFramework>net8.0</TargetFramework>\n'
        '<PackageReference Include="Dapper" Version="2.1.0" />\n</Project>\n'
    ),
    "src/App/Controllers/HomeController.cs": (
        "using Microsoft.EntityFrameworkCore;\nusing static System.Math;\nglobal using Xunit;\n\n[ApiController]\n"
        "public class HomeController : ControllerBase { void A() { using var x = Open(); } }\n"
    ),
    "src/App/Pages/Index.razor": '@page "/"\n@using MudBlazor\n',
    "src/App/bin/Debug/x.cs": "using Built;\n",
    "src/App/appsettings.json": "{}",
}


def test_a_python_project(project: Project) -> None:
    signals = collect_signals(project(PYTHON))
    assert set(signals.imports) == {
        "from fastapi import APIRouter, FastAPI,",
        "import os, sys",
        "import pandas as pd",
    }
    assert signals.config_files == ("alembic.ini", "pyproject.toml")
    assert "src/app/main.py" in signals.file_patterns
    assert not any(name in " ".join(signals.file_patterns) for name in ("venv", "env2", "node_modules", "hidden"))
    for piece in ("async def", "@app.get(", "class Out(BaseModel):", "pd.DataFrame(", "df.groupby(", "FastAPI("):
        assert any(piece in code for code in signals.code_patterns), piece


def test_an_angular_project(project: Project) -> None:
    signals = collect_signals(project(ANGULAR))
    assert set(signals.imports) == {
        "import { Component, } from '@angular/core'",
        'import { Store } from "@ngrx/store"',
        "require('@tailwindcss/forms')",
    }
    assert set(signals.config_files) == {"package.json", "angular.json", "tsconfig.json", "tailwind.config.js"}
    for piece in ('"primeng": "17"', "standalone: true", "<p-table", "@if", "new BehaviorSubject<User | null>("):
        assert piece in signals.code_patterns, piece
    assert '"strict": true' in signals.code_patterns


def test_a_dotnet_project(project: Project) -> None:
    signals = collect_signals(project(DOTNET))
    assert set(signals.imports) == {
        "using Microsoft.EntityFrameworkCore;",
        "using static System.Math;",
        "global using Xunit;",
        "@using MudBlazor",
    }
    assert set(signals.config_files) == {"App.sln", "src/App/App.csproj", "src/App/appsettings.json"}
    for piece in ("[ApiController]", "<TargetFramework>net8.0</TargetFramework>", "@page"):
        assert piece in signals.code_patterns, piece


@pytest.mark.parametrize(
    ("files", "domain", "framework", "libraries", "expected"),
    [
        (
            PYTHON,
            "python",
            "fastapi",
            {"pydantic", "pandas"},
            {"python/fastapi_patterns", "python/datascience_patterns"},
        ),
        (
            ANGULAR,
            "angular",
            "angular",
            {"ngrx", "primeng", "tailwindcss"},
            {
                "angular/ngrx_patterns",
                "angular/rxjs_patterns",
                "angular/primeng_patterns",
                "angular/tailwind_patterns",
            },
        ),
        (
            DOTNET,
            "dotnet",
            None,
            {"ef core", "dapper"},
            {"dotnet/aspnet_patterns", "dotnet/ef_patterns", "dotnet/blazor_patterns"},
        ),
    ],
)
def test_signals_lead_to_a_detection(
    project: Project,
    forge: Path,
    files: dict[str, str],
    domain: str,
    framework: str | None,
    libraries: set[str],
    expected: set[str],
) -> None:
    result = MarkdownFileContextProvider(forge).detect_project_type(domain, collect_signals(project(files)))
    assert framework in (None, result.framework)
    assert libraries <= set(result.libraries)
    assert expected <= set(result.recommended_files)


def test_time_is_bounded(project: Project) -> None:
    root = project({f"d{number}/a.py": "import x\n" for number in range(50)})
    now = iter(range(10_000))
    signals = collect_signals(root, seconds=20, clock=lambda: float(next(now)))
    assert 0 < len(signals.file_patterns) < 50


def test_numbers_and_sizes_are_bounded(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from ctxtui.catalog.detection import signals as module

    root = project(
        {f"a{number}.py": f"import module{number}\n" for number in range(20)} | {"big.py": "import big\n" * 40_000}
    )
    assert "import big" not in collect_signals(root).imports
    monkeypatch.setattr(module, "_READ", 5)
    assert len(collect_signals(root).imports) == 5
    monkeypatch.setattr(module, "_FILES", 3)
    assert len(collect_signals(root).file_patterns) == 3
    monkeypatch.setattr(module, "_KEPT", 2)
    assert len(collect_signals(root).file_patterns) == 2


def test_files_near_the_top_come_first(project: Project) -> None:
    signals = collect_signals(project({"a/b/c/deep.py": "", "z.py": "", "a/mid.py": ""}))
    assert signals.file_patterns == ("z.py", "a/mid.py", "a/b/c/deep.py")


def test_links_and_special_files_are_not_followed(project: Project) -> None:
    root = project({"a.py": "import a\n"})
    (root.parent / "outside").mkdir()
    (root.parent / "outside" / "b.py").write_text("import b\n")
    os.symlink(root.parent / "outside", root / "linked")
    os.symlink(root.parent / "outside" / "b.py", root / "c.py")
    os.mkfifo(root / "pipe.py")
    assert collect_signals(root).imports == ("import a",)


def test_a_folder_that_is_none_has_no_signals(tmp_path: Path) -> None:
    assert collect_signals(tmp_path / "nowhere") == DetectionSignals((), (), (), ())


@given(st.sampled_from(sorted(READERS)), st.text(max_size=400))
def test_any_text_can_be_read(name: str, text: str) -> None:
    found = READERS[name](text)
    assert all("\n" not in each and len(each) <= 200 for each in (*found.imports, *found.code))


@cases(
    ("signals", "expected"),
    [
        ({"imports": ["from sqlalchemy.orm import Session"]}, ("sql_queries",)),
        ({"imports": ["import jwt"]}, ("auth_code",)),
        ({"imports": ["from fastapi.security import HTTPBearer"]}, ("auth_code",)),
        ({"imports": ["using Microsoft.EntityFrameworkCore.Design;"]}, ("sql_queries",)),
        ({"imports": ["import { HttpClient } from '@angular/common/http'"]}, ("http_calls",)),
        ({"file_patterns": ["app/migrations/0001.py"]}, ("schema_migration",)),
        ({"config_files": ["Dockerfile"]}, ("infrastructure",)),
        ({"imports": ["import os"], "file_patterns": ["main.py"]}, ()),
    ],
)
def test_triggers_are_derived(signals: dict[str, list[str]], expected: tuple[str, ...]) -> None:
    assert derive_triggers(DetectionSignals(**signals)) == expected
