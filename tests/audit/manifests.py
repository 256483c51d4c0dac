"""The manifests of a project, each with some names of commands."""

import json

PACKAGE = json.dumps(
    {
        "scripts": {"build": "x", "lint:fix": "x", "test": "x"},
        "devDependencies": {"@biomejs/biome": "1", "vitest": "1"},
    }
)
MANIFESTS = {
    "package.json": PACKAGE,
    "apps/web/package.json": '{"name": "web", "scripts": {"preview": "x"}}',
    "Makefile": ".PHONY: all\nall: out/a.o ## Everything\nNAME := x\n%-image:\n\techo\ninclude more.mk\n",
    "more.mk": "release: all\n",
    "justfile": "alias b := bake\nbake target='x':\n  echo\n",
    "Taskfile.yml": "tasks:\n  gen:\n    aliases: [g]\n",
    "composer.json": '{"scripts": {"stan": "x"}}',
    "tox.ini": "[tox]\nenvlist = py{310,311}-{unit,docs}\n[testenv:style]\n",
    "noxfile.py": "import nox\n@nox.session(name='types')\ndef f(s): ...\n@nox.session(python=['3.11'])\ndef tests(s): ...\n",
    "pyproject.toml": "[tool.poe.tasks]\nfmt = 'x'\n",
    "deno.json": '{"tasks": {"serve": "x"}}',
    ".pre-commit-config.yaml": "repos:\n- repo: local\n  hooks:\n  - id: ruff\n",
}
