"""`ctxtui skill install`: show the skill for an agent and its cost, and write it after the user confirms."""

from __future__ import annotations

import argparse
from typing import Any

from ctxtui.audit.fixes import Written, diff_of
from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import write_redacted
from ctxtui.cli.output.terminal import agreed
from ctxtui.cli.project import Narrator, budget_of, configured, narrated, open_configured
from ctxtui.cli.status import DONE, WRONG_USAGE
from ctxtui.core.base.errors import ContextError, NotFound, invalid
from ctxtui.core.base.wording import plural
from ctxtui.session.delivery import own_skill
from ctxtui.session.delivery.own_skill import SkillFile, SkillPath


@narrated
def run_skill(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Show the skill and its cost, and write it after a yes, or remove it. Returns the status of `_report`."""
    project, config = configured(arguments, narrator)
    paths = () if arguments.agent else open_configured(project, config, arguments, narrator).paths
    place = own_skill.place_for(arguments.agent, project, paths, arguments.at_home)
    found = own_skill.look(place)
    if arguments.remove:
        return _remove(place, found, arguments, narrator)
    counter = budget_of(config, arguments).counter
    cost = own_skill.cost_of(place, counter)
    others = () if arguments.at_home else own_skill.also_read_by(place)
    if not arguments.json:
        _show(place, found)
        narrator.say(
            f"{place.agent.name} pays {plural(cost.start, 'token')} for its name and description at every start, and"
            f" {cost.whole:,} when it uses it ({counter.name})"
        )
        if others:
            narrator.say(f"at this place it is also read by {', '.join(others)}")
    written = found.state != "same" and _is_agreed(found, f"Write {place.shown}", arguments, narrator)
    if written:
        own_skill.install(place, found)
    result = {
        **_file_json(place, found),
        "startTokens": cost.start,
        "tokens": cost.whole,
        "tokenizer": counter.name,
        "alsoReadBy": list(others),
        "text": own_skill.skill_text(),
        "written": written,
    }
    done = f"{place.shown} is {'written' if written else 'up to date'}"
    return _report(result, written or found.state == "same", done, arguments, narrator)


def _remove(place: SkillPath, found: SkillFile, arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Remove the skill after a yes. Raises NotFound without a file, ContextError for a file that the user changed."""
    if found.state == "absent":
        raise NotFound(f"{place.shown} does not exist", hint="ctxtui skill install writes it")
    if found.state == "changed":
        message = f"{place.shown} is not as ctxtui wrote it, and stays"
        raise invalid(message, hint="delete it yourself if nobody needs it")
    removed = _is_agreed(found, f"Remove {place.shown}", arguments, narrator)
    if removed:
        own_skill.remove(place, found)
    result = {**_file_json(place, found), "removed": removed}
    return _report(result, removed, f"{place.shown} is removed", arguments, narrator)


def _file_json(place: SkillPath, found: SkillFile) -> dict[str, Any]:
    return {"agent": place.agent.id, "path": place.shown, "state": found.state}


def _show(place: SkillPath, found: SkillFile) -> None:
    """Print the path of the skill, and its whole text or the diff to a file that differs."""
    text = own_skill.skill_text()
    if found.state == "changed":
        text = diff_of([Written(place.path, found.text.encode(), text.encode())])
    write_redacted(f"{place.shown}\n\n{text.rstrip()}\n")


def _is_agreed(found: SkillFile, question: str, arguments: argparse.Namespace, narrator: Narrator) -> bool:
    """Whether the user agrees. A file that ctxtui did not write needs an answer even with `--yes`."""
    if found.state != "changed":
        return bool(arguments.yes) or (not arguments.json and agreed(question, "--yes"))
    narrator.say("the file is not as ctxtui wrote it: its text would be lost")
    if arguments.json:
        return False
    try:
        return agreed(f"{question} over it", "")
    except ContextError as error:
        raise ContextError(error.category, error.message, hint="move the file away first") from error


def _report(
    result: dict[str, Any], is_done: bool, done: str, arguments: argparse.Namespace, narrator: Narrator
) -> int:
    """Say what was done and return the status. With --json, nothing done is wrong usage, because nobody was asked."""
    if arguments.json:
        print_json(result, narrator.notices)
    if is_done:
        narrator.say(done)
        return DONE
    change = "removed" if arguments.remove else "written"
    if not arguments.json:
        narrator.say(f"nothing is {change}")
        return DONE
    remedy = "without --json you are asked" if result["state"] == "changed" else "--yes answers yes"
    narrator.say(f"nothing is {change}: {remedy}")
    return WRONG_USAGE
