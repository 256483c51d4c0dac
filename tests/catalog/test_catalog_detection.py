"""Method 5: detection from tables of many layouts, with an explanation."""

from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from ctxtui.catalog import DetectionResult, DetectionSignals, MarkdownFileContextProvider, Match
from tests.cases import cases
from tests.catalog.conftest import Doc, Make


def detect(root: Path, domain: str, **signals: Any) -> DetectionResult:
    return MarkdownFileContextProvider(root).detect_project_type(domain, DetectionSignals(**signals))


def found(result: DetectionResult) -> tuple[object, ...]:
    return result.framework, result.libraries, result.testing_framework, result.recommended_files


FASTAPI = "from fastapi import FastAPI"


@pytest.mark.parametrize(
    ("imported", "file_patterns", "libraries"),
    [
        ("from pydantic import BaseModel", ["main.py", "models.py", "routers/"], ("pydantic",)),
        ("from sqlalchemy import Column", ["app/main.py", "app/models/user.py"], ("sqlalchemy", "pydantic")),
    ],
    ids=["first", "workflow"],
)
def test_the_seeds_examples(forge: Path, imported: str, file_patterns: list[str], libraries: tuple[str, ...]) -> None:
    signals = {"file_patterns": file_patterns, "config_files": ["pyproject.toml"]}
    result = detect(forge, "python", imports=[FASTAPI, imported], **signals)
    assert found(result) == ("fastapi", libraries, "", ("python/fastapi_patterns",))


def test_it_explains_which_signal_matched_which_row(forge: Path) -> None:
    result = detect(forge, "python", imports=["from fastapi import APIRouter"])
    files = ("python/fastapi_patterns",)
    row = Match("from fastapi import APIRouter", FASTAPI, "fastapi", "Web Frameworks", "framework", files)
    assert result.explanation[0] == row


@pytest.mark.parametrize(
    ("signals", "framework", "libraries", "tests", "files"),
    [
        ({"imports": ["from django.http import JsonResponse"]}, "django", (), "", ["django_patterns"]),
        ({"imports": ["import django"], "file_patterns": ["manage.py"]}, "django", (), "", ["django_patterns"]),
        ({"imports": ["from django.db import models"]}, "django", ("django orm",), "", ["django_patterns"]),
        ({"imports": ["from django.test import Client"]}, "django", (), "django tests", ["django_patterns"]),
        ({"config_files": ["manage.py"]}, "django", (), "", ["django_patterns"]),
        ({"code_patterns": ["app = Flask(__name__)"]}, "flask", (), "", ["flask_patterns"]),
        ({"code_patterns": ["@app.route('/')"]}, "flask", (), "", ["flask_patterns"]),
        ({"imports": ["import pandas as pd"]}, "data science", ("pandas",), "", ["datascience_patterns"]),
        ({"file_patterns": ["notebooks/a.ipynb"]}, "data science", (), "", ["datascience_patterns"]),
        (
            {"imports": ["from sklearn.linear_model import Ridge"]},
            *("machine learning", ("sklearn",), "", ["ml_patterns", "datascience_patterns"]),
        ),
        (
            {"imports": [FASTAPI, "import torch.nn as nn", "import pytest"]},
            *("fastapi", ("pydantic", "torch"), "pytest"),
            ["fastapi_patterns", "ml_patterns", "datascience_patterns"],
        ),
        ({"code_patterns": ["model.fit(X)", "model.predict(X)"]}, "machine learning", (), "", None),
        ({"imports": ["import peewee"]}, "", ("peewee",), "", []),
        ({"imports": ["import unittest"]}, "", (), "unittest", []),
    ],
)
def test_python_projects(
    forge: Path, signals: Any, framework: str, libraries: tuple[str, ...], tests: str, files: list[str] | None
) -> None:
    result = detect(forge, "python", **signals)
    assert (result.framework, result.libraries, result.testing_framework) == (framework, libraries, tests)
    if files is not None:
        assert result.recommended_files == tuple(f"python/{name}" for name in files)


@pytest.mark.parametrize(
    "signals",
    [
        {"file_patterns": ["main.py", "app.py", "models/a.py", "data/b.csv", "templates/c.html", "static/d.css"]},
        {"config_files": ["pyproject.toml", "requirements.txt", "setup.py", "environment.yml"]},
        {"code_patterns": ["async def", "async def handler():"], "file_patterns": ["main.py", "routers/x.py"]},
        {"file_patterns": ["settings.py", "migrations/0001.py"]},
        {"code_patterns": ["model.fit(X)"]},
        {"imports": ["from pydantic import BaseModel"]},
        {"imports": ["import djangorestish", "import flask_like", "from . import django"]},
        {"imports": ["import os", "import sys"]},
        {},
    ],
)
def test_generic_signs_never_decide(forge: Path, signals: dict[str, Any]) -> None:
    assert found(detect(forge, "python", **signals)) == ("", (), "", ())


@pytest.mark.parametrize(
    ("signals", "framework", "libraries", "files"),
    [
        ({"config_files": ["package.json"]}, "", (), []),
        ({"config_files": ["package.json", "angular.json"]}, "angular", (), []),
        ({"imports": ["import { Component } from '@angular/core'"]}, "angular", (), []),
        ({"imports": ["import { Store } from '@ngrx/store'"]}, "", ("ngrx",), ["ngrx_patterns", "rxjs_patterns"]),
        ({"code_patterns": ['"@ngrx/effects": "^17.0.0"']}, "", ("ngrx",), ["ngrx_patterns", "rxjs_patterns"]),
        ({"imports": ["import { x } from '@datorama/akita'"]}, "", ("akita",), ["ngrx_patterns"]),
        (
            {"code_patterns": ["new BehaviorSubject<User>(u)"]},
            *("", ("service-based state",), ["service_patterns", "rxjs_patterns"]),
        ),
        (
            {"code_patterns": ["new BehaviorSubject(1)"], "imports": ["import { Store } from '@ngrx/store'"]},
            *("", ("ngrx",), ["ngrx_patterns", "rxjs_patterns"]),
        ),
        ({"code_patterns": ['"primeng": "^17"']}, "", ("primeng",), ["primeng_patterns"]),
        ({"code_patterns": ["<p-table"]}, "", ("primeng",), ["primeng_patterns"]),
        ({"config_files": ["tailwind.config.js"]}, "", ("tailwindcss",), ["tailwind_patterns"]),
        ({"code_patterns": ['class="flex row container"', "bootstrap: [AppComponent]"]}, "", (), []),
        ({"imports": ["import { MatButton } from '@angular/material/button'"]}, "angular", ("angular material",), []),
    ],
)
def test_angular_projects(
    forge: Path, signals: dict[str, Any], framework: str, libraries: tuple[str, ...], files: list[str]
) -> None:
    result = detect(forge, "angular", **signals)
    assert (result.framework, result.libraries) == (framework, libraries)
    assert result.recommended_files == tuple(f"angular/{name}" for name in files)


@pytest.mark.parametrize(
    ("domain", "patterns", "expected"),
    [
        ("angular", ["standalone: true"], "Standalone components supported"),
        ("angular", ["@NgModule({"], "Classic NgModule architecture"),
        ("angular", ["@NgModule({", "standalone: true"], "Standalone components supported"),
        ("dotnet", ['<PackageReference Include="MediatR" Version="12" />'], "CQRS/Mediator pattern"),
    ],
)
def test_architecture_is_what_rows_say_of_it(forge: Path, domain: str, patterns: list[str], expected: str) -> None:
    assert detect(forge, domain, code_patterns=patterns).architecture == expected


XUNIT = ['<PackageReference Include="xunit" Version="2" />', '<PackageReference Include="Microsoft.NET.Test.Sdk" />']


@pytest.mark.parametrize(
    ("signals", "framework", "libraries", "tests", "files"),
    [
        ({"code_patterns": ["[ApiController]"]}, "asp.net core web api", (), "", ["aspnet_patterns"]),
        ({"imports": ["using Microsoft.EntityFrameworkCore;"]}, "", ("ef core",), "", ["ef_patterns"]),
        ({"imports": ["using System.Data.Entity;"]}, "", ("entity framework 6",), "", ["ef_patterns"]),
        ({"file_patterns": ["Pages/Index.razor"]}, "blazor server or webassembly", (), "", ["blazor_patterns"]),
        ({"code_patterns": ['<PackageReference Include="Serilog" />']}, "", ("serilog",), "", []),
        ({"code_patterns": XUNIT}, "", (), "xunit", []),
        ({"code_patterns": XUNIT[:1]}, "", (), "", []),
        ({"file_patterns": ["Program.cs", "App.csproj"]}, "", (), "", []),
    ],
)
def test_where_tables_name_no_files_the_index_does(
    forge: Path, signals: dict[str, Any], framework: str, libraries: tuple[str, ...], tests: str, files: list[str]
) -> None:
    result = detect(forge, "dotnet", **signals)
    assert (result.framework, result.libraries, result.testing_framework) == (framework, libraries, tests)
    assert result.recommended_files == tuple(f"dotnet/{name}" for name in files)


def test_a_domain_without_a_detection_file_detects_nothing(make: Make, doc: Doc) -> None:
    """The seed's error table: no detection file for domain."""
    made = make({"x/a.md": doc("x/a")})
    assert made.provider.detect_project_type("x", DetectionSignals(imports=["import flask"])) == DetectionResult()
    assert made.codes == ["no-detection-file"]
    assert made.provider.detect_project_type("y", DetectionSignals()) == DetectionResult()
    assert made.codes[1:] == ["unknown-domain"]


def test_a_domain_whose_folder_no_walk_enters_detects_without_an_error(make: Make, doc: Doc) -> None:
    rules = "# Detection\n\n| Framework | Key Imports |\n|---|---|\n| **Flask** | `from flask import Flask` |\n"
    made = make({"build/a.md": doc("build/a"), "build/context_detection.md": rules, "x/a.md": doc("x/a")})
    signals = DetectionSignals(imports=["from flask import Flask"])
    assert made.provider.detect_project_type("build", signals).recommended_files == ()


def test_a_name_with_the_ending_twice_stands_for_no_other_file(make: Make, doc: Doc) -> None:
    rules = "# Detection\n\n| Framework | Key Imports |\n|---|---|\n| **Flask** | `from flask import Flask` |\n"
    made = make({"x/flask.md": doc("x/flask"), "x/flask.md.md": "# Copy\n", "x/context_detection.md": rules})
    signals = DetectionSignals(imports=["from flask import Flask"])
    assert made.provider.detect_project_type("x", signals).recommended_files == ("x/flask",)


LAYOUTS = [
    "| Framework | Key Imports | Load |\n|---|---|---|\n| **Flask** | `from flask import Flask` | `flask.md` |\n",
    "|Load these files|Stack|Import|\n|:-|:-:|-:|\n|[flask](flask.md)|Flask|`import flask`|\n",
    "| Signal | Context file |\n|---|---|\n| `flask` | `flask.md` |\n",
    "| If you see | Framework | Then load |\n|--|--|--|\n"
    "| `Flask(__name__)` or `from flask` | Flask (micro) | flask.md |\n",
    "- **Flask**: `from flask import` → `flask.md`\n- **Django**: `manage.py` → `gone.md`\n",
    "### Flask\n\n- **Imports**: `from flask import Flask`\n- **Files**: `wsgi.py`\n- **Load**: `flask.md`\n",
    "Indicator | Interpretation | What to Load Next\n---|---|---\n"
    "`from flask import Flask` | Flask in use | `flask.md`\n",
]


@cases("layout", LAYOUTS)
def test_layouts(make: Make, doc: Doc, layout: str) -> None:
    made = make({"py/context_detection.md": f"# D\n\n## Web\n\n{layout}", "py/flask.md": doc("py/flask")})
    signals = DetectionSignals(imports=["from flask import Flask"], code_patterns=["app = Flask(__name__)"])
    result = made.provider.detect_project_type("py", signals)
    assert result.recommended_files == ("py/flask",)
    assert "flask" in (result.framework, *result.libraries)
    assert made.provider.detect_project_type("py", DetectionSignals(imports=["import os"])).recommended_files == ()


HEAD = "| Library | Spot it | Load |\n|---|---|---|\n"


@cases(
    ("row", "signals", "holds"),
    [
        ("`@x/y` in `package.json`", {"config_files": ["package.json"]}, False),
        ("`@x/y` in `package.json`", {"imports": ["import a from '@x/y'"]}, True),
        ("`cool.py` with `MAGIC_ON`", {"file_patterns": ["cool.py"]}, False),
        ("`cool.py` with `MAGIC_ON`", {"file_patterns": ["cool.py"], "code_patterns": ["MAGIC_ON = 1"]}, True),
        ("`alpha` + `beta`", {"imports": ["import alpha"]}, False),
        ("`alpha` + `beta`", {"imports": ["import alpha", "import beta"]}, True),
        ("`alpha` or `beta`", {"imports": ["import beta"]}, True),
        ("`alpha.go()`, no `beta.go()`", {"code_patterns": ["alpha.go(1)"]}, True),
        ("`alpha.go()`, no `beta.go()`", {"code_patterns": ["alpha.go(1)", "beta.go(2)"]}, False),
        ("`deep/dir/**`", {"file_patterns": ["a/deep/dir/b.py"]}, True),
        ("`*.zap`", {"file_patterns": ["a/b.zap"]}, True),
        ("`zap.config.*`", {"config_files": ["zap.config.ts"]}, True),
        ("`Zaps/`", {"file_patterns": ["src\\Zaps\\b.cs"]}, True),
        ("`Zaps/`", {"file_patterns": ["src/Zap/b.cs"]}, False),
        ("`orm`", {"imports": ["import platform"], "code_patterns": ["perform(form)"]}, False),
        ("`[Zap]` attribute", {"code_patterns": ["[Zap(1)]"]}, True),
        ("`<zap-box>`", {"code_patterns": ['<zap-box class="a">']}, True),
        ("no code span", {"imports": ["import no"]}, False),
    ],
)
def test_signs(make: Make, doc: Doc, row: str, signals: dict[str, Any], holds: bool) -> None:
    table = f"# D\n\n{HEAD}| **Lib** | {row} | `lib.md` |\n"
    made = make({"d/context_detection.md": table, "d/lib.md": doc("d/lib")})
    result = made.provider.detect_project_type("d", DetectionSignals(**signals))
    assert result.recommended_files == (("d/lib",) if holds else ())


def test_combinations_hold_when_all_parts_do(make: Make, doc: Doc) -> None:
    table = (
        "# D\n\n| Framework | Key Imports | Load |\n|---|---|---|\n| Flask | `import flask` | `flask.md` |\n"
        "| Machine Learning | `import torch` | `ml.md` |\n\n"
        "| Combination | Example | Load |\n|---|---|---|\n| Flask + ML | a | `both.md` |\n"
    )
    files = {f"d/{name}.md": doc(f"d/{name}") for name in ("flask", "ml", "both")}
    detect = make({"d/context_detection.md": table, **files}).provider.detect_project_type
    signals = DetectionSignals(imports=["import flask", "import torch"])
    assert detect("d", signals).recommended_files == ("d/flask", "d/ml", "d/both")
    assert detect("d", DetectionSignals(imports=["import flask"])).recommended_files == ("d/flask",)


@cases("end", ["\n", "\r\n", "\r"])
def test_files_that_do_not_exist_are_told_once_for_each_row(make: Make, end: str) -> None:
    table = f"---\ntitle: D\n---\n# D\n\n{HEAD}| **Lib** | `import lib` | `gone.md` |\n"
    made = make({"d/context_detection.md": table.replace("\n", end).encode()})
    result = made.provider.detect_project_type("d", DetectionSignals(imports=["import lib"]))
    assert (result.libraries, result.recommended_files) == (("lib",), ())
    assert [(notice.code, notice.line) for notice in made.notices] == [("missing-target", 8)]


def test_tables_in_fences_and_without_spans_say_nothing(make: Make, doc: Doc) -> None:
    table = f"# D\n\n```\n{HEAD}| Lib | `import lib` | `lib.md` |\n```\n\n| .NET | C# |\n|---|---|\n| 8 | 12 |\n"
    made = make({"d/context_detection.md": table, "d/lib.md": doc("d/lib")})
    assert made.provider.detect_project_type("d", DetectionSignals(imports=["import lib"])) == DetectionResult()


def test_detection_works_on_files_without_metadata(footers: Path) -> None:
    assert detect(footers, "python", imports=["from flask import Flask"]).framework == "flask"


def test_many_signals_take_no_long(forge: Path) -> None:
    provider = MarkdownFileContextProvider(forge)
    signals = DetectionSignals(
        imports=[f"import module{number}.part" for number in range(5000)],
        file_patterns=[f"src/dir{number % 100}/file{number}.py" for number in range(5000)],
        code_patterns=[f"call{number}(argument)" for number in range(5000)],
    )
    start = perf_counter()
    for domain in ("python", "angular", "dotnet"):
        provider.detect_project_type(domain, signals)
    assert perf_counter() - start < 5
