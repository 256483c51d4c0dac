"""Rendering templates: what they may do, and what stops those that want more, with one line that names the place."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event

import pytest

from ctxtui.core import ContextError
from ctxtui.core.base.cancel import Stopped
from ctxtui.core.payload import template_child as child
from ctxtui.core.payload.template_render import Limits, Template, render
from tests.cases import cases
from tests.core.texts import refused

BLOCKS = [{"path": "a.md", "text": "a ``` b\n````\n<x> & 'y'\n"}, {"path": "b.py", "text": "x = 1\n"}]
VARIABLES = {"project": "acme", "blocks": BLOCKS, "budget": None, "odd": "\ud800x"}
MB = 1024 * 1024
SMALL = Limits(seconds=2.0, memory=256 * MB, output=MB)


def rendered(text: str, limits: Limits = SMALL) -> str:
    return render(Template("t.j2", text), VARIABLES, limits=limits)


@cases(
    ("text", "told"),
    [
        ("{{ project }}\n", "acme\n"),
        ("{% for b in blocks %}{{ loop.index }} {{ b.path }}\n{% endfor %}", "1 a.md\n2 b.py\n"),
        ("{{ blocks[0].text|fence('md') }}", "`````md\na ``` b\n````\n<x> & 'y'\n`````"),
        ("{{ 'x'|fence }}", "```\nx\n```"),
        ("{{ blocks[0].text|xml }}", "a ``` b\n````\n&lt;x&gt; &amp; &#x27;y&#x27;\n"),
        ("{{ '<' }}{{ budget }}{{ 2 ** 3 }}{{ 'ab' * 2 }}{{ [0] * 2 }}", "<8abab[0, 0]"),
        ("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(1) }}\n\n", "<1>\n\n"),
        ("{{ 'a b c'|wordwrap(1) }} {{ blocks|map(attribute='path')|join(',') }}", "a\nb\nc a.md,b.py"),
        ("{{ '\\u00e9\\n' }}{{ ['é']|tojson }}", 'é\n["\\u00e9"]'),
        ("", ""),
        ("{{ '漢字' }}\u2028😀{{ odd|length }}", "漢字\u2028😀2"),
    ],
)
def test_templates_are_jinja(text: str, told: str) -> None:
    assert rendered(text) == told


SQUARES = "{% set n = namespace(x=3) %}{% for i in range(40) %}{% set n.x = n.x * n.x %}{% endfor %}"
# What the sandbox, or the environment in it, refuses.
REFUSED = [
    ("{{ 'a' * 10**9 }}", 1, "`*` would make more"),
    ("\n{{ [0] * 10**9 }}", 2, "`*` would make more"),
    ("{{ 10 ** (10 ** 8) }}", 1, "`**` would make more"),
    (SQUARES, 1, "`*` would make more"),
    ("{% for i in range(10**9) %}{% endfor %}", 1, "Range too big"),
    ("{% for i in range(99999) %}{{ 'a' * 999 }}{% endfor %}", None, "longer than 1,048,576 bytes"),
    ("{% macro f(n) %}\n{{ f(n) }}{% endmacro %}{{ f(1) }}", 2, "nested too deeply"),
    (f"{{{{ {'(' * 5000}1{')' * 5000} }}}}", None, "nested too deeply"),
    ("{% for i in [1] %}" * 30 + "{% endfor %}" * 30, None, "nested too deeply"),
    ("{{ ''.__class__ }}", 1, "'__class__' of 'str' object is unsafe"),
    ("{{ project|attr('__class__') }}", 1, "'__class__' of 'str' object is unsafe"),
    ("{{ '{0.__class__}'.format(project) }}", 1, "'__class__' of 'str' object is unsafe"),
    ("{{ project.format.__globals__ }}", 1, "'__globals__'"),
    ("{{ range.__globals__ }}", 1, "'__globals__'"),
    ("{{ self.__init__ }}", 1, "'__init__'"),
    ("{{ cycler.__init__.__globals__.os }}", 1, "'__init__'"),
    ("{{ blocks.append(1) }}", 1, "'append' of 'list' object is unsafe"),
    ("{{ blocks[0].update({}) }}", 1, "'update' of 'dict' object is unsafe"),
    ("{% include '/etc/passwd' %}", 1, "`include` needs another file"),
    ("\n{% if false %}{% extends 'a' %}{% endif %}", 2, "`extends` needs another file"),
    ("{% import 'a' as a %}", 1, "`import` needs another file"),
    ("{% from 'a' import b %}", 1, "`from … import` needs another file"),
    ("\n{{ nope }}", 2, "'nope' is undefined"),
    ("{{ blocks[0].nope }}", 1, "no attribute 'nope'"),
    ("{{ range }}", 1, "a function cannot be printed"),
    ("{{ [1, 2]|random }}", 1, "No filter named 'random'"),
    ("{{ lipsum() }}", 1, "'lipsum' is undefined"),
    ("{{ '\\ud800' }}", None, "half of a character"),
    ("{{ 1 / 0 }}", 1, "division by zero"),
    ("\n{% if %}", 2, "Expected an expression"),
    ("{% do 1 %}", 1, "unknown tag 'do'"),
    ("{{ blocks|map('attr')|list }}", 1, "missing 1 required"),
]


@pytest.mark.parametrize(("text", "line", "reason"), REFUSED, ids=[text.strip()[:40] for text, *_ in REFUSED])
def test_what_the_sandbox_refuses_is_told_with_its_line(text: str, line: int | None, reason: str) -> None:
    answer, pieces = child.attempt({"text": text, "variables": VARIABLES, "output": MB})
    assert pieces == []
    assert answer["line"] == line
    assert reason in answer["error"]


# What the process is stopped at by its limits.
LIMITED = [
    ("\n\n{{ '%1000000000d'|format(1) }}", 3),
    ("{{ '{:>1000000000}'.format(1) }}", 1),
    ("{{ 'x'|center(10**9) }}", 1),
    ("{% set n = namespace(x='aaaaaaaa') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}", 1),
]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, the system does not limit memory")
@pytest.mark.parametrize(("text", "line"), LIMITED)
def test_what_needs_too_much_memory_is_stopped(text: str, line: int) -> None:
    with pytest.raises(ContextError, match=f"^t.j2:{line}: it needs too much memory$"):
        rendered(text)


def test_an_error_is_one_line_that_names_template_and_line() -> None:
    with refused() as told:
        render(Template("my\ntemplate.j2", "\n{{ blocks['\x1b[31m'] }}"), VARIABLES)
    assert told.value.message.startswith("my template.j2:2: ")
    assert told.value.message.isprintable()
    assert told.value.hint


ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


@pytest.mark.parametrize(("text", "line"), [(f"\n{ENDLESS}", 2), ("\n\n{{ [1]|slice(10**9)|list }}", 3)])
def test_what_takes_too_long_is_stopped(text: str, line: int) -> None:
    start = time.monotonic()
    with pytest.raises(ContextError, match=f"t.j2:{line}: it takes too long"):
        rendered(text, Limits(seconds=0.5, memory=512 * MB))
    assert time.monotonic() - start < 5


def test_the_parent_never_holds_what_a_template_makes() -> None:
    """The limit is the child's; a parent that read on would be larger by what it read."""
    resource = pytest.importorskip("resource")
    rendered("x")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ContextError, match="longer than 33,554,432 bytes"):
        rendered("{% for i in range(99999) %}{{ 'a' * 999 }}{% endfor %}", Limits(output=32 * MB))
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < 16 * MB


def test_work_that_nobody_wants_ends() -> None:
    left = Event()

    def check() -> None:
        if left.is_set():
            raise Stopped
        left.set()

    start = time.monotonic()
    with pytest.raises(Stopped):
        render(Template("t.j2", f"{ENDLESS}{{# again #}}"), VARIABLES, check)
    assert time.monotonic() - start < 5


@pytest.mark.skipif(os.name != "posix", reason="a signal of POSIX")
def test_ctrl_c_is_left_to_the_one_that_started_it() -> None:
    command = [sys.executable, "-I", child.__file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        text = "{% for i in range(20000) %}{{ 'done' }}{% endfor %}"
        order = {"text": text, "variables": {}, "seconds": 30, "memory": 512 * MB, "output": MB}
        process.stdin.write(json.dumps(order).encode())
        process.stdin.close()
        assert process.stdout.readline() == b'{"size": 80000}\n'
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == b"done" * 20_000
        assert process.wait(10) == 0


def test_nothing_of_a_project_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the folder one works in nor the environment says what the process runs."""
    for name in ("jinja2", "json", "html", "sitecustomize", "usercustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\nraise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "json.py"))
    assert rendered("{{ project }} alone") == "acme alone"
    assert not (tmp_path / "mark").exists()


def _replace_python(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "python3").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "python3").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python3"))


@pytest.mark.skipif(os.name != "posix", reason="links and scripts of POSIX")
def test_jinja_is_found_where_this_python_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for packages of the user alone, which an isolated Python does not see."""
    monkeypatch.setattr(sys, "executable", str(Path(sys.executable).resolve()))
    assert rendered("{{ project }} elsewhere") == "acme elsewhere"
    _replace_python(tmp_path, "exit 1", monkeypatch)
    with refused("unavailable", match="does not start here"):
        rendered("{{ project }} nowhere")


@pytest.mark.skipif(os.name != "posix", reason="scripts of POSIX")
@pytest.mark.parametrize("said", ["", '{"size": 9}\nhalf', '{"si'])
def test_half_an_answer_is_none(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process can be killed at any time, also by others."""
    _replace_python(tmp_path, f"cat > /dev/null\nprintf '{said}\\n'", monkeypatch)
    with pytest.raises(ContextError, match="was stopped"):
        rendered(f"{{{{ project }}}} {said}")


def test_jinja_is_for_the_process_alone() -> None:
    """The one that starts it only looks where Jinja2 is."""
    code = (
        "import sys\nfrom ctxtui.core.payload.template_render import Template, render\n"
        "assert render(Template('t', '{{ x }}'), {'x': 1}) == '1'\nassert 'jinja2' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
