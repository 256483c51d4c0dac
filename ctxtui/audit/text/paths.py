"""The paths in code spans of a text, and how clearly its sentences say that the project has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ctxtui.audit.text.facts import LONGEST, outside_code, sentence_around, split_lines
from ctxtui.audit.text.words import FOREIGN_HEDGES, FOREIGN_MAKING, says

# A path to a file with an extension, or to a folder with a final slash or a pattern for its files, or the name of a
# file, alone in its code span, perhaps with lines or a name in it.
_CODE = r"\.(?:cs?|cpp|dart|exs?|go|hpp?|java|jsx?|kt|mdc?|php|py|rb|rs|scala|sql|svelte|swift|tsx?|vue)"
_SPAN = re.compile(
    r"(?<!`)`((?:\./)?[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*(?:/|/[A-Za-z0-9_.-]*\.[A-Za-z]{1,5})"
    r"|[A-Za-z0-9.][\w.-]*\.[A-Za-z]{1,5}|\.env\.(?:dist|example|sample|template))"
    r"(?:(?<=/)\*\*?(?:/\*)?(?:\.[A-Za-z]{1,5})?|:\d+(?:-\d+)?|::[\w:]+(?:\(\))?)?`(?!`|\]\()"
)
IS_CODE = re.compile(f"{_CODE}$")
# A name that hardly is one of another project, and lines about the form of names.
_TELLING = re.compile(r"(?=.{12}).*(?:[a-z][A-Z]|[._-].*\.)|\.env\.")
_NAMING = re.compile(r"case\b|naming|convention|such a|called", re.IGNORECASE)
# Lines that show syntax, or talk about another place.
_NEVER = says(
    r"e\.g\.|i\.e\.|example|for instance|such as|optional|(?:if|when)\s+(?:it|th(?:ey|ere|at|is)|present|exist|your)"
    r"|(?:other|another|external|separate|sibling|different|own|their|that|private|public) repo|\brepos\b"
    r"|repositories|repo(?:sitory)? (?:at|on|of|is|has|with)\b|\bno\b|\bnot\b|n['’]t\b|never|avoid|❌|imagine|suppose"
    r"|would|could|might|\bmay\b|no longer|missing|\bfuture\b|planned|gitignore|\bis (?:a )?local\b"
    r"|retired|is needed|only (?:if|when|while)|(?:if|when) any\b|consum"
    r"|-?style (?:file)?names?\b|\bname (?:the )?files\b|must have|mandatory"
    rf"|\b(?:each|every) (?:repo|package|service|project)\w*|inherit|\bprojects (?:that|with|requir)"
    rf"|{FOREIGN_HEDGES}"
)
# Real paths of a project are examples, too: a list of them counts if one of its paths is there.
_EXAMPLES = re.compile(r"\bexamples?\b", re.IGNORECASE)
# Words about a file that is no longer there, or soon will not be.
_PAST = r"remov|delet|renam|deprecat|legacy|\bold\b|former"
# Where files are to be put.
_GOES = r"\bgo(?:es)? (?:in|under)\b"
# Lines about temporary files, unless they say that the model reads or runs one.
_OTHERWISE = says(
    rf"\blike\b|should live|compile[ds]? to\b|{_GOES}"
    r"|creat|generat|\bwrit|\bwrote|\bsav|\brecord|\bstor(?:e[sd]?|ing)\b|\blogs? (?:at|in)\b"
    r"|\badd|\bnew file|\bputs?\b|\binto\b|\boutput|produc|\bbuild|\bemit|download|install|clone|copy"
    r"|copied|copies|mov(?:e|ing)|scrub|purg|\bwipe|previous|instead|→|->|=>"
    r"|\bimport(?:s|ed|ing)?\b|packag|\bnpm|\bpip|upstream|their|other|\btemplate|by convention|\bpattern|\bformat"
    rf"|\buser|target|\blogs? to\b|after running|{_PAST}|{FOREIGN_MAKING}"
)
# Sentences and headings over files of code that are not there yet, or elsewhere.
_ABOVE = says(
    r"creat|generat|output|produc|\badd|\bnew\b|scaffold|migrat|scrub|purg|\bwipe|\bmov(?:e|ing)|\btemplate|their|other"
    rf"|upstream|target|instead|install|download|user|after running|{_PAST}|{FOREIGN_MAKING}"
)
# Above a path to code, only words about the file itself count, and behind it only the nearest ones.
_MADE = says(
    rf"creat|generat|output|scaffold|\bmov(?:e|ing)|upstream|instead|\btheir|\bother|{_PAST}|{FOREIGN_MAKING}"
)
_NEAR = 40
# Sentences and headings about files that are gone, and the words next to those that are denied or not there yet.
_GONE = says(
    rf"{_PAST}|\bgone\b|früher|earlier|previous|obsolete|retire|supersed|replac(?:ed|es)\b|\bmov(?:ed|es)\b|no longer"
    r"|# (?:fixed|resolved)\b"
    r"|used to\b|\bw(?:as|ere)\b|\bhistory|archiv|change ?log|~~|取代|移除|更新日志|变更|gelöscht|entfernt"
)
_NOT_THERE = says(
    r"(?:\b(?:no|not|never|without|avoid|instead|unlike|nor|if|when|whether|optional(?:ly)?|new|fresh|into|include|your"
    r"|their|other|user['’]s|upstream|save|record|written (?:in)?to)\b|n['’]t\b"
    rf"|\b(?:creat|generat|write|writing|output|produc|add)|{_GOES}|{FOREIGN_HEDGES}|{FOREIGN_MAKING})[^.;|]*$"
)
_NOT_YET = re.compile(
    r"\W*(?:(?:do(?:es)?|is|are|will|may|gets?|can)\b.{0,15}\b(?:not|creat|generat|writ|made|produc)|\w+n['’]t\b"
    r"|\W?\bnew\b|\(?(?:optional|generated|created|if|when|once|only while|instead|rather)\b"
    rf"|{FOREIGN_HEDGES}|{FOREIGN_MAKING})",
    re.IGNORECASE,
)
# The label of an older path, and the head of a column with what a program writes.
_FORMER = re.compile(r"\b(?:former|previous|old)\w*(?: \w+)?:[\s*_]*$", re.IGNORECASE)
_OUTPUT = re.compile(r"\|[^|]*\boutput\b", re.IGNORECASE)
# A heading that is one compound name, such as that of a package.
_NAMED = re.compile(r"#+[ \t]+`?([a-z][a-z0-9]*(?:-[a-z0-9]+)+)/?`?\s*")
_DATED = re.compile(r"\W*\d{4}-\d\d-\d\d\b")
_CODE_SPAN = re.compile(r"`[^`]*`")
# Generic guides name shorter paths, such as `src/app.js`.
_DEEP = 2
_READ = re.compile(
    r"\b(?:run|execute|read|see|follow|source|patterns? (?:from|in|of|established in))(?: the)?[\s*_]*$",
    re.IGNORECASE,
)
# What a span names that is no path, in the words before or behind it.
_BRANCH = re.compile(r"\b(?:branch(?:es)?|prefix(?:es)?|PRs?)\b[^`.]{0,30}$", re.IGNORECASE)
_PREFIX = re.compile(r"\bbranch(?:es)?\b|\bprefix(?:es)?\b", re.IGNORECASE)
_RULER = re.compile(r"\s*\|[\s|:-]+")
_NO_PATH = re.compile(r"[`*_]*\s+(?:git )?(?:branch|prefix|namespace|label|tag)", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s|\s*\|")
# The end of a sentence, or of an independent clause.
_SENTENCE = re.compile(r"[.!?;:](?=[\s*_\"')]|$)")
_CLAUSE = re.compile(r"[.!?;:](?=[\s*_\"')]|$)|\s[-–—]+\s")


class PathMention(NamedTuple):
    """A path in a code span, its line, from 1, and the path as written.

    `is_open` says that the text sends the model to it, `is_asked` that the words right before it do. `over` is the
    line, from 1, above its list. `is_example` says that this line calls the list examples. `is_denied` says that the
    sentence makes no claim about a file. `may_be_gone` is false if the text itself says that the path is gone or made
    later. `within` is the name that its heading consists of, empty without one.
    """

    line: int
    written: str
    is_open: bool
    is_asked: bool
    over: int
    is_example: bool
    is_denied: bool
    may_be_gone: bool
    within: str


class _Line(NamedTuple):
    """A line with code spans: its number, from 1, the line as written, and its heading.

    `above` are the words over it that still apply (a list's head or an open sentence), `said` its own, both without
    paths. `start` and `end` complete its sentences on the lines around it. `over` and `is_example` are those of
    `PathMention`.
    """

    number: int
    written: str
    heading: str
    above: str
    said: str
    start: str
    end: str
    over: int
    is_example: bool


def path_mentions(text: str) -> Iterator[PathMention]:
    """The paths in code spans, and how clearly a sentence says that the project has them."""
    for number, line, heading, above, said, start, end, over, is_example in _lines_with_spans(text):
        # Read once for a line, which may name thousands of paths.
        whole = f"{above} {said}"
        is_never, is_naming = _NEVER(whole), _NAMING.search(whole) is not None
        is_plain = not _OTHERWISE(said)
        is_free = {True: is_plain and not _ABOVE(above), False: is_plain and not _OTHERWISE(above)}
        # A single word with a slash may be one of several beginnings in its line.
        is_prefix = {deep: _PREFIX.search(over_it) is not None for deep, over_it in ((True, above), (False, whole))}
        is_dated, named = _DATED.match(line) is not None, _NAMED.fullmatch(heading)
        is_past, is_row = is_dated or _GONE(f"{heading} {above}"), line.lstrip().startswith("|")
        for match in _SPAN.finditer(line):
            written = match[1].removeprefix("./")
            is_code, is_deep = IS_CODE.search(written) is not None, written.count("/") >= _DEEP
            if "/" not in written and (is_naming or not _TELLING.match(written)):
                continue
            lead = line[max(0, match.start() - LONGEST) : match.start()]
            is_branch = written.endswith("/") and (_BRANCH.search(lead) or is_prefix["/" in written[:-1]])
            if is_branch or _NO_PATH.match(line, match.end()):
                continue
            # Other sentences of the line do not matter for a path with its folders.
            is_never_here = is_never and (not is_deep or _NEVER(f"{above} {sentence_around(line, *match.span())}"))
            is_denied = is_dated or is_never_here or _EXAMPLES.search(heading) is not None
            is_asked = _READ.search(lead) is not None
            is_open = is_free[is_code] or is_asked
            if not is_open and is_deep and (is_code or written.endswith("/")):
                is_open = _is_claimed(line, match) and not _MADE(above)
            behind = f"{line[match.end() : match.end() + LONGEST]} {end}"
            is_past_here = (
                is_past or _FORMER.search(lead) is not None or (is_row and _OUTPUT.search(above) is not None)
            )
            may_be_gone = not is_past_here and _may_exist(f"{start} {lead}", behind)
            asked = number, written, is_open, is_asked, over, is_example, is_denied, may_be_gone
            yield PathMention(*asked, named[1] if named else "")


def _lines_with_spans(text: str) -> Iterator[_Line]:
    intro = before = opener = heading = ""
    over = indent = 0
    lines = split_lines(outside_code(text)) if _SPAN.search(text) else []
    for number, (line, after) in enumerate(zip(lines, [*lines[1:], ""], strict=False), 1):
        before, unfinished = line, _unfinished(before)
        if not line.strip():
            continue
        heading = line if line.startswith("#") else heading
        # A sentence above a list applies to its items, and a sentence may span lines.
        is_first = _ITEM.match(line) is not None
        is_item = is_first or line.startswith("  ")
        end = _SENTENCE.split(after)[0] if _unfinished(line) and not _ITEM.match(after) else ""
        depth = len(line) - len(line.lstrip())
        # An item that ends with a colon applies to the items within, and the head of a table to its rows.
        opener = opener if is_item and depth > indent else ""
        over_it = f"{intro} {opener} {'' if is_first else unfinished}" if is_item else unfinished
        if is_item and line.rstrip().endswith(":"):
            opener, indent = line, depth - (not is_first)
        elif line.lstrip().startswith("|") and _RULER.fullmatch(after):
            opener, indent = line, depth - 1
        intro, over = (intro, over) if is_item else (line, number)
        if _SPAN.search(line):
            above = _SPAN.sub("", over_it)
            is_example = is_item and _EXAMPLES.search(above) is not None
            above = _EXAMPLES.sub("", above) if is_example else above
            start = "" if is_first else unfinished
            yield _Line(number, line, heading, above, _SPAN.sub("", f"{line} {end}"), start, end, over, is_example)


def _is_claimed(line: str, match: re.Match[str]) -> bool:
    """Whether no word next to a path says that its file is elsewhere or not there yet."""
    lead = _SPAN.sub("", _CLAUSE.split(sentence_around(line, match.start(), len(line)))[-1])
    behind = _SPAN.sub("", sentence_around(line, 0, match.end()))[:_NEAR]
    return not (_OTHERWISE(lead) or _ABOVE(behind))


def _may_exist(before: str, behind: str) -> bool:
    """Whether no word around a path says that it is gone, denied or made later."""
    before, behind = _CODE_SPAN.sub("", before), _CODE_SPAN.sub("", behind)
    if _GONE(sentence_around(f"{before} {behind}", len(before), len(before))):
        return False
    lead = sentence_around(before, len(before), len(before))
    return not (_NOT_THERE(lead[-_NEAR:]) or _NOT_YET.match(behind[:_NEAR]))


def _unfinished(line: str) -> str:
    """The unfinished last sentence of a line, empty for headings and finished lines."""
    return "" if line.startswith("#") else _SENTENCE.split(line)[-1]


def is_code_name(name: str) -> bool:
    """Whether a name has an extension of code or Markdown, or is that of a file with variables."""
    return IS_CODE.search(name) is not None or name.startswith(".env.")
