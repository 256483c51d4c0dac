"""The GitHub Action: its scripts, run under bash with what a runner gives them."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.text.data.yaml import load_yaml
from tests import warm
from tests.audit.repositories import Repo
from tests.ci.conftest import REJECTED
from tests.conftest import REPOSITORY, Project
from tests.vendors import Vendors, serving

PLACE = Path(".github") / "actions" / "audit"
ACTION: dict[str, Any] = load_yaml((REPOSITORY / PLACE / "action.yml").read_text("utf-8"))[0]
INSTALL, AUDIT, COMMENT = ACTION["runs"]["steps"]
# Whatever a shell would make of it, it would write a file.
ATTACK = "x$(touch pwned)`touch pwned`; touch pwned # '; touch pwned #\" ; touch pwned #\ntouch pwned\n"
_INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")


@dataclass
class Job:
    """What a job shows after a step: exit status, log, summary and outputs of the action."""

    status: int
    log: str
    summary: str
    outputs: dict[str, str]


def run_step(step: Mapping[str, Any], folder: Path, temp: Path, environment: Mapping[str, str], **inputs: str) -> Job:
    """Run the script of a step as a runner does, in a checked out folder."""
    temp.mkdir(exist_ok=True)
    given = {name: each.get("default", "") for name, each in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    files = {name: temp / name.lower() for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    for file in files.values():
        file.write_text("")
    own = {name: _INPUT.sub(lambda match: given[match[1]], value) for name, value in step["env"].items()}
    runner = {"RUNNER_TEMP": str(temp), **{name: str(file) for name, file in files.items()}}
    script = temp / "script.sh"
    script.write_text(step["run"])
    shell, known = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)], {**environment, **runner, **own}
    done = subprocess.run(shell, cwd=folder, env=known, capture_output=True, text=True, check=False, timeout=600)
    summary, said = (file.read_text("utf-8") for file in files.values())
    outputs = dict(line.split("=", 1) for line in said.splitlines())
    assert set(outputs) <= set(ACTION["outputs"])
    return Job(done.returncode, done.stdout + done.stderr, summary, outputs)


Audit = Callable[..., Job]


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """Runs the step that audits, with the package as it is installed for the tests."""

    def run(folder: Path, **inputs: str) -> Job:
        temp = tmp_path / "runner"
        installed = temp / "ctxtui-venv"
        if not installed.exists():
            (installed / "bin").mkdir(parents=True)
            for name in ("pyvenv.cfg", "lib", "bin/python"):
                (installed / name).symlink_to(Path(sys.prefix, name))
            (installed / "bin" / "ctxtui").symlink_to(warm.program())
        return run_step(AUDIT, folder, temp, os.environ, **inputs)

    return run


def test_inputs_reach_the_scripts_as_environment_variables_only() -> None:
    steps = ACTION["runs"]["steps"]
    assert not any("${{" in step["run"] for step in steps)
    used = [value for step in steps for value in step["env"].values()]
    assert set(used) == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    for name, output in ACTION["outputs"].items():
        assert output["value"] == f"${{{{ steps.audit.outputs.{name} }}}}"


def test_the_manual_has_the_inputs_and_outputs_of_the_action() -> None:
    page = (REPOSITORY / "ctxtui" / "docs" / "ci.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (?:`(.*?)`)?", page, re.MULTILINE)
    assert rows == [(name, each["default"]) for name, each in ACTION["inputs"].items()]
    (outputs,) = re.findall(r"^Outputs are .*?\.$", page, re.MULTILINE | re.DOTALL)
    assert re.findall(r"`([a-z]+)`", outputs) == list(ACTION["outputs"])


def test_a_finding_fails_the_job_and_is_in_the_summary_and_the_sarif(audit: Audit, project: Project) -> None:
    root = project(REJECTED)
    job = audit(root, sarif="found.sarif")
    assert job.status == 1
    assert job.summary.startswith("### Context of project1: 2 findings")
    assert "imports gone.md, which does not exist" in job.summary
    assert {"status": "1", "errors": "1", "warnings": "1", "infos": "0"}.items() <= job.outputs.items()
    assert len(json.loads(Path(job.outputs["report"]).read_text())["result"]["findings"]) == 2
    (run,) = json.loads((root / "found.sarif").read_text())["runs"]
    assert sorted(each["ruleId"] for each in run["results"]) == ["broken-import", "frontmatter-rejected"]


@pytest.mark.heavy
def test_a_job_passes_if_nothing_is_as_severe_as_asked(audit: Audit, project: Project) -> None:
    job = audit(project({"CLAUDE.md": REJECTED["CLAUDE.md"]}))
    assert (job.status, job.outputs["status"], job.outputs["warnings"]) == (0, "0", "1")


@pytest.mark.heavy
def test_changes_and_accepted_findings_and_more_options(audit: Audit, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "project")
    repo.commit(REJECTED)
    repo.commit({"CLAUDE.md": f"{REJECTED['CLAUDE.md']}Be brief.\n"})
    accepted = audit(repo.root, args="--write-baseline\n  accepted.json   --model  gpt-5")
    assert "$ a request" in accepted.summary
    job = audit(repo.root, path=".", since="HEAD~1", baseline="accepted.json", fail_on="info", args="--model gpt-5")
    assert (job.status, job.outputs["errors"]) == (0, "0")
    assert re.search(r"Since `HEAD~1` \([0-9a-f]{8}\): \+\d+ tokens", job.summary)


@pytest.mark.heavy
def test_an_audit_that_cannot_be_done_says_so(audit: Audit, project: Project) -> None:
    job = audit(project(REJECTED), path="gone")
    assert (job.status, job.outputs) == (2, {"status": "2"})
    assert "gone" in job.log
    assert "ended with exit status 2" in job.summary


@pytest.mark.heavy
@pytest.mark.parametrize("name", [name for name in ACTION["inputs"] if name != "version"])
def test_no_input_is_a_command(audit: Audit, project: Project, name: str) -> None:
    root = project(REJECTED)
    audit(root, **{name.replace("-", "_"): ATTACK})
    assert not (root / "pwned").exists()


@pytest.mark.heavy
def test_nothing_in_the_repository_is_run_or_told_to_the_runner(audit: Audit, project: Project) -> None:
    names = ("json.py", "secrets.py", "pathlib.py", "collections.py", "yaml.py")
    modules = dict.fromkeys(names, "raise SystemExit('run')\n")
    named = {f"::error::{name}.md": b"\xff\xfe\x00" for name in "ab"}
    job = audit(project({**REJECTED, **modules, **named}))
    assert job.outputs["status"] == "1"
    begin, *_, end = [line for line in job.log.splitlines() if line.startswith("::") and "error" not in line]
    token = begin.removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert end == f"::{token}::"


@dataclass
class Api:
    """The comments of a pull request, as the API of a code host gives and takes them."""

    server: Vendors
    comments: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        _, headers, sent = self.server.seen[-1]
        assert headers["authorization"] == "Bearer t0ken"
        if self.server.methods[-1] == "GET":
            page = int(path.rpartition("=")[2])
            return 200, {}, json.dumps(self.comments[(page - 1) * 100 : page * 100]).encode()
        if self.status != 200:
            return self.status, {}, b"{}"
        if self.server.methods[-1] == "POST":
            self.comments.append({"id": len(self.comments), "user": {"type": "Bot"}, **sent})
        else:
            self.comments[int(path.rpartition("/")[2])].update(sent)
        return 200, {}, b"{}"


@pytest.fixture
def api() -> Iterator[Api]:
    with serving() as server:
        served = Api(server)
        server.answer = served.answer
        yield served


@pytest.fixture
def comment(audit: Audit, api: Api, tmp_path: Path) -> Callable[..., Job]:
    """Runs the steps that audit and comment on a pull request, or on another event."""

    def run(folder: Path, event: str = '{"pull_request": {"number": 7}}') -> Job:
        audit(folder, since="base", comment="true")
        (tmp_path / "event.json").write_text(event)
        places = {"ACTION_PATH": str(REPOSITORY / PLACE), "EVENT_PATH": str(tmp_path / "event.json")}
        told = {**places, "API_URL": api.server.url, "REPOSITORY": "acme/shop"}
        environment = {**os.environ, **{f"GITHUB_{name}": value for name, value in told.items()}}
        return run_step(COMMENT, folder, tmp_path / "runner", environment, token="t0ken")

    return run


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a finding, and a branch for a change."""
    repo = Repo(tmp_path / "project")
    repo.commit(REJECTED)
    repo.git("branch", "base")
    return repo


def test_one_comment_is_updated_in_place(comment: Callable[..., Job], api: Api, repo: Repo) -> None:
    assert "nothing changes, so no comment" in comment(repo.root).log
    # Neither a person who imitates the comment nor a deleted account makes it another's.
    imitated = {"body": "<!-- ctxtui audit . -->\n", "user": {"type": "User"}}
    api.comments += [{"id": number, **imitated} for number in range(99)]
    api.comments += [{"id": 99, "body": None, "user": None}, {"id": 100, "body": "LGTM", "user": {"type": "Bot"}}]
    repo.commit({"CLAUDE.md": "# Project\n\nRead @lost.md first, and be brief.\n"})
    assert (comment(repo.root).status, len(api.comments)) == (0, 102)
    mark, *lines = api.comments[-1]["body"].splitlines()
    assert (mark, len(lines) <= 40) == ("<!-- ctxtui audit . -->", True)
    assert re.search(r"\| Claude Code \| \d+ \| \d+ \| \+(\d) \| `CLAUDE.md` \+\1 \|", "\n".join(lines))
    heads = [each.removeprefix("#### ") for each in lines if each.startswith("####")]
    assert heads == ["At the start", "New findings: 1", "Mended findings: 1"]
    assert any(each.endswith(" → correct the path, or remove the import") for each in lines)
    repo.commit({"CLAUDE.md": REJECTED["CLAUDE.md"]})
    assert "comment updated" in comment(repo.root).log
    assert (len(api.comments), api.comments[-1]["body"]) == (102, f"{mark}\nNothing changes what agents load.")
    assert (api.server.methods[-1], api.server.seen[-1][0]) == ("PATCH", "/repos/acme/shop/issues/comments/101")


@pytest.mark.heavy
def test_a_comment_that_cannot_be_posted_fails_no_job(comment: Callable[..., Job], api: Api, repo: Repo) -> None:
    repo.commit({"CLAUDE.md": "Be brief.\n"})
    assert comment(repo.root, '{"ref": "refs/heads/main"}').log == "no pull request, so no comment\n"
    for api.status, why in ((403, "the token may not write, as for a fork"), (500, "500 Internal Server Error")):
        job = comment(repo.root)
        assert (job.status, job.log) == (0, f"::warning::no comment ({why}); the summary of the job has the report\n")
    api.server.url = "http://127.0.0.1:1"
    assert (comment(repo.root).status, "::warning::no comment (URLError)" in comment(repo.root).log) == (0, True)


@pytest.mark.heavy
def test_what_is_installed_is_the_source_that_the_action_is_part_of(
    published: Repo, installing: dict[str, str], project: Project, tmp_path: Path
) -> None:
    root = project({**REJECTED, "venv.py": "raise SystemExit('run')\n", "pip.py": "raise SystemExit('run')\n"})
    environment = installing | {"GITHUB_ACTION_PATH": str(published.root / PLACE)}
    installed = run_step(INSTALL, root, tmp_path / "runner", environment)
    assert installed.status == 0, installed.log
    job = run_step(AUDIT, root, tmp_path / "runner", environment)
    assert (job.status, job.outputs["errors"]) == (1, "1")
    for attack in ("--version", ATTACK, f"0{ATTACK}"):
        assert run_step(INSTALL, root, tmp_path / "runner", environment, version=attack).status != 0
    assert not (root / "pwned").exists()


def test_results_are_not_written_through_a_link(audit: Audit, project: Project, tmp_path: Path) -> None:
    root = project(REJECTED)
    (root / "found.sarif").symlink_to(tmp_path / "keys")
    job = audit(root, sarif="found.sarif")
    assert job.status == 2
    assert "found.sarif is a link" in job.log
    assert not (tmp_path / "keys").exists()
