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
    ".hidden/x.py": "import hidden\n",
    "env2/pyvenv.cfg": "",
    "env2/lib/x.py": "import django\n",
    "node_modules/a/index.js": "import 'left-pad'\n",
}
DEPENDENCIES = {"dependencies": {"@angular/core": "^17", "primeng": "17"}, "devDependencies": {"jest": "29"}}
ANGULAR = {
    "package.json": json.dumps(DEPENDENCIES),
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
    imports = {"from fastapi import APIRouter, FastAPI,", "import os, sys", "import pandas as pd"}
    assert set(signals.imports) == imports
    assert signals.config_files == ("alembic.ini", "pyproject.toml")
    assert "src/app/main.py" in signals.file_patterns
    assert not any(name in " ".join(signals.file_patterns) for name in ("venv", "env2", "node_modules", "hidden"))
    for piece in ("async def", "@app.get(", "class Out(BaseModel):", "pd.DataFrame(", "df.groupby(", "FastAPI("):
        assert any(piece in code for code in signals.code_patterns), piece


def test_an_angular_project(project: Project) -> None:
    signals = collect_signals(project(ANGULAR))
    component, store = "import { Component, } from '@angular/core'", 'import { Store } from "@ngrx/store"'
    assert set(signals.imports) == {component, store, "require('@tailwindcss/forms')"}
    assert set(signals.config_files) == {"package.json", "angular.json", "tsconfig.json", "tailwind.config.js"}
    subject = "new BehaviorSubject<User | null>("
    for piece in ('"primeng": "17"', "standalone: true", "<p-table", "@if", subject, '"strict": true'):
        assert piece in signals.code_patterns, piece


def test_a_dotnet_project(project: Project) -> None:
    signals = collect_signals(project(DOTNET))
    imports = {"using Microsoft.EntityFrameworkCore;", "using static System.Math;", "global using Xunit;"}
    assert set(signals.imports) == imports | {"@using MudBlazor"}
    assert set(signals.config_files) == {"App.sln", "src/App/App.csproj", "src/App/appsettings.json"}
    for piece in ("[ApiController]", "<TargetFramework>net8.0</TargetFramework>", "@page"):
        assert piece in signals.code_patterns, piece


@pytest.mark.parametrize(
    ("files", "domain", "framework", "libraries", "expected"),
    [
        (PYTHON, "python", "fastapi", "pydantic pandas", "fastapi_patterns datascience_patterns"),
        (
            ANGULAR,
            *("angular", "angular", "ngrx primeng tailwindcss"),
            "ngrx_patterns rxjs_patterns primeng_patterns tailwind_patterns",
        ),
        (DOTNET, "dotnet", None, "ef_core dapper", "aspnet_patterns ef_patterns blazor_patterns"),
    ],
)
def test_signals_lead_to_a_detection(
    project: Project,
    forge: Path,
    files: dict[str, str],
    domain: str,
    framework: str | None,
    libraries: str,
    expected: str,
) -> None:
    result = MarkdownFileContextProvider(forge).detect_project_type(domain, collect_signals(project(files)))
    assert framework in (None, result.framework)
    assert set(libraries.split()) <= {name.replace(" ", "_") for name in result.libraries}
    assert {f"{domain}/{name}" for name in expected.split()} <= set(result.recommended_files)


def test_time_is_bounded(project: Project) -> None:
    root = project({f"d{number}/a.py": "import x\n" for number in range(50)})
    now = iter(range(10_000))
    assert 0 < len(collect_signals(root, seconds=20, clock=lambda: float(next(now))).file_patterns) < 50


def test_numbers_and_sizes_are_bounded(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from ctxtui.catalog.detection import signals as module

    files = {f"a{number}.py": f"import module{number}\n" for number in range(20)}
    root = project(files | {"big.py": "import big\n" * 40_000})
    assert "import big" not in collect_signals(root).imports
    monkeypatch.setattr(module, "_READ", 5)
    assert len(collect_signals(root).imports) == 5
    monkeypatch.setattr(module, "_FILES", 3)
    assert len(collect_signals(root).file_patterns) == 3
    monkeypatch.setattr(module, "_KEPT", 2)
    assert len(collect_signals(root).file_patterns) == 2


def test_files_near_the_top_come_first(project: Project) -> None:
    root = project({"a/b/c/deep.py": "", "z.py": "", "a/mid.py": ""})
    assert collect_signals(root).file_patterns == ("z.py", "a/mid.py", "a/b/c/deep.py")
    assert collect_signals(root / "nowhere") == DetectionSignals((), (), (), ())


def test_links_and_special_files_are_not_followed(project: Project) -> None:
    root, outside = project({"a.py": "import a\n"}), project({"b.py": "import b\n"})
    (root / "linked").symlink_to(outside)
    (root / "c.py").symlink_to(outside / "b.py")
    os.mkfifo(root / "pipe.py")
    assert collect_signals(root).imports == ("import a",)


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
