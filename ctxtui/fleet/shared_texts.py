"""Texts that many repositories of a fleet share, and their cost at agent starts."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from ctxtui.audit.prices import money
from ctxtui.fleet.results.read import KeptRun

# A text is shared if two repositories have it in a fleet of fewer repositories than this, else three.
_SMALL: Final = 10
# Shorter texts, such as common headings, were not copied.
_LEAST_TOKENS: Final = 20
_MOST: Final = 100
_PLACES: Final = 3
_STARTS: Final = 1_000


@dataclass(frozen=True, slots=True)
class SharedText:
    """A text in several repositories: first words, tokens, and numbers of repositories and files.

    `at_start` are its tokens in one start of each repository, `paid_in` counts the repositories with it at a start.
    `whole` says that the text is a whole file. `places` are the first places: repository name, path and line.
    `dollars` are for 1,000 starts in each repository, None if unknown.
    """

    head: str
    tokens: int
    repositories: int
    files: int
    paid_in: int
    at_start: int
    whole: bool
    places: tuple[tuple[str, str, int], ...]
    dollars: Decimal | None = None

    @property
    def first_words(self) -> str:
        """The first words, or the place of a text without readable words."""
        return self.head or self.places[0][1]


@dataclass(frozen=True, slots=True)
class SharedTexts:
    """The texts that at least `repositories` of a run share, those with most tokens at starts, and the number of all.

    `at_start` are the tokens of all of them in one start per repository, with overlaps counted once. `dollars` are
    for 1,000 such starts. `heading` names the model and the edition of its prices, empty without a model.
    """

    texts: tuple[SharedText, ...]
    count: int
    repositories: int
    at_start: int
    dollars: Decimal | None = None
    heading: str = ""


# Sets of repositories are compared by sums of two random numbers per repository. SQLite can add four million numbers
# of forty bits. Files are numbered by repository and path.
_FILES: Final = """
CREATE TEMP TABLE fleet_members (repository INTEGER PRIMARY KEY, name TEXT, one INTEGER, two INTEGER);
INSERT INTO fleet_members
    SELECT id, name, abs(random() % (1 << 40)), abs(random() % (1 << 40)) FROM repositories WHERE run = ?;
CREATE TEMP TABLE fleet_files (
    file INTEGER PRIMARY KEY, content INTEGER, repository INTEGER, path TEXT, start INTEGER);
INSERT INTO fleet_files (content, repository, path, start)
    SELECT content, repository, path, start FROM files JOIN fleet_members USING (repository) ORDER BY name, path;
CREATE INDEX temp.fleet_files_with ON fleet_files (content, repository);
"""
# Every content with its first file and its set of repositories.
_CONTENTS: Final = """
CREATE TEMP TABLE fleet_contents (
    content INTEGER PRIMARY KEY, file INTEGER, repositories INTEGER, one INTEGER, two INTEGER);
INSERT INTO fleet_contents
    SELECT content, min(file), count(*), sum(one), sum(two)
    FROM (SELECT content, repository, min(file) AS file FROM fleet_files GROUP BY content, repository)
    JOIN fleet_members USING (repository) GROUP BY content;
"""
# Texts of enough repositories, and their first place.
_TEXTS: Final = """
CREATE TEMP TABLE fleet_texts (text INTEGER PRIMARY KEY, repositories INTEGER, one INTEGER, two INTEGER);
INSERT INTO fleet_texts
    SELECT text, count(*), sum(one), sum(two) FROM (
        SELECT DISTINCT text, repository FROM fleet_files JOIN blocks USING (content))
    JOIN fleet_members USING (repository) GROUP BY text HAVING count(*) >= ?;
CREATE TEMP TABLE fleet_first (
    text INTEGER PRIMARY KEY, file INTEGER, position INTEGER, line INTEGER, tokens INTEGER, content INTEGER);
INSERT OR IGNORE INTO fleet_first
    SELECT text, file, position, line, tokens, content
    FROM fleet_contents CROSS JOIN blocks USING (content) JOIN fleet_texts USING (text) ORDER BY file, position;
CREATE UNIQUE INDEX temp.fleet_first_at ON fleet_first (file, position);
"""
# Texts that follow another text in each of their repositories.
_LINKS: Final = """
CREATE TEMP TABLE fleet_neighbors (before INTEGER, text INTEGER PRIMARY KEY, repositories INTEGER);
INSERT INTO fleet_neighbors
    SELECT a.text, b.text, s.repositories FROM fleet_first AS a
    JOIN fleet_first AS b ON b.file = a.file AND b.position = a.position + 1
    JOIN fleet_texts AS s ON s.text = a.text JOIN fleet_texts AS t ON t.text = b.text
    WHERE (s.repositories, s.one, s.two) = (t.repositories, t.one, t.two);
CREATE TEMP TABLE fleet_links (text INTEGER PRIMARY KEY);
INSERT INTO fleet_links
    SELECT text FROM (
        SELECT DISTINCT n.text, n.repositories, f.repository FROM fleet_contents AS c
        CROSS JOIN blocks AS b ON b.content = c.content JOIN fleet_neighbors AS n ON n.text = b.text
        JOIN blocks AS a ON a.content = b.content AND a.position = b.position - 1 AND a.text = n.before
        JOIN fleet_files AS f ON f.content = b.content)
    GROUP BY text HAVING count(*) = repositories;
"""
# A sequence of texts is one part. Parts of a copied file in the same repositories are `within` it.
_PARTS: Final = """
CREATE TEMP TABLE fleet_parts (text INTEGER PRIMARY KEY, part INTEGER);
INSERT INTO fleet_parts
    SELECT f.text, sum(l.text IS NULL) OVER (ORDER BY f.file, f.position)
    FROM fleet_first AS f LEFT JOIN fleet_links AS l ON l.text = f.text;
CREATE TEMP TABLE fleet_shared (
    part INTEGER PRIMARY KEY, text INTEGER, tokens INTEGER, repositories INTEGER, file INTEGER, position INTEGER,
    within INTEGER);
INSERT INTO fleet_shared
    SELECT part, f.text, p.tokens, t.repositories, f.file, f.position,
        (t.repositories, t.one, t.two) = (c.repositories, c.one, c.two)
    FROM (
        SELECT part, file, min(position) AS position, sum(tokens) AS tokens
        FROM fleet_parts JOIN fleet_first USING (text) GROUP BY part) AS p
    JOIN fleet_first AS f USING (file, position) JOIN fleet_texts AS t USING (text)
    JOIN fleet_contents AS c USING (content) WHERE p.tokens >= ?;
"""
# The tokens of a part in every file and start. An agent that loads less than the file loads its beginning.
_COSTS: Final = """
CREATE TEMP TABLE fleet_whole (content INTEGER PRIMARY KEY, tokens INTEGER);
INSERT INTO fleet_whole
    SELECT content, tokens FROM fleet_contents JOIN contents ON id = content WHERE repositories >= ? AND tokens >= ?;
CREATE TEMP TABLE fleet_paid (part INTEGER, content INTEGER, file INTEGER, repository INTEGER, tokens INTEGER);
INSERT INTO fleet_paid
    SELECT p.part, f.content, f.file, f.repository, max(0, min(b.tokens, f.start - b.before)) FROM (
        SELECT content, text, tokens, sum(tokens) OVER (PARTITION BY content ORDER BY position) - tokens AS before
        FROM fleet_contents CROSS JOIN blocks USING (content)) AS b
    JOIN fleet_parts AS p USING (text) JOIN fleet_shared USING (part) JOIN fleet_files AS f USING (content);
INSERT INTO fleet_paid
    SELECT -content, content, file, repository, max(0, min(tokens, start))
    FROM fleet_whole JOIN fleet_files USING (content);
INSERT INTO fleet_shared
    SELECT -content, NULL, tokens, repositories, file, -1, 0 FROM fleet_whole JOIN fleet_contents USING (content);
"""
# SQLite does not enforce types, so values from another program are cast.
_COUNT: Final = "SELECT count(*) FROM fleet_shared WHERE NOT within"
_AT_START: Final = """
SELECT CAST(coalesce(sum(tokens), 0) AS INTEGER) FROM fleet_paid
WHERE part < 0 OR content NOT IN (SELECT content FROM fleet_whole)
"""
_LARGEST: Final = """
SELECT part, text, CAST(tokens AS INTEGER), repositories, files, paid_in, CAST(at_start AS INTEGER)
FROM fleet_shared JOIN (
    SELECT part, count(DISTINCT file) AS files, count(DISTINCT CASE WHEN tokens THEN repository END) AS paid_in,
        sum(tokens) AS at_start
    FROM fleet_paid GROUP BY part) USING (part)
WHERE NOT within ORDER BY at_start DESC, tokens * repositories DESC, file, position LIMIT ?
"""
_PLACES_OF_TEXT: Final = """
SELECT CAST(name AS TEXT), CAST(path AS TEXT), CAST(line AS INTEGER), min((file << 32) + position) AS place
FROM blocks JOIN fleet_files USING (content)
JOIN fleet_members USING (repository) WHERE text = ? GROUP BY repository ORDER BY place LIMIT ?
"""
_PLACES_OF_FILE: Final = """
SELECT CAST(name AS TEXT), CAST(path AS TEXT), 1, min(file) AS place
FROM fleet_files JOIN fleet_members USING (repository)
WHERE content = ? GROUP BY repository ORDER BY place LIMIT ?
"""
_HEAD: Final = "SELECT CAST(head AS TEXT) FROM texts WHERE id = ?"
_HEAD_OF_FILE: Final = """
SELECT CAST(head AS TEXT) FROM blocks JOIN texts ON id = text WHERE content = ? ORDER BY position LIMIT 1
"""


def find_texts(
    connection: sqlite3.Connection, run: int, least_repositories: int, least_tokens: int, most: int, places: int
) -> SharedTexts:
    """The texts that several repositories of a run share, at most `most`, those with most tokens at starts first.

    Blocks that always follow each other in the same repositories are one text. A copied file is one text, and its
    blocks are separate only if other repositories have them. Each text has its first `places`, and no price yet.
    """
    # In one transaction, all queries see the same rows. Its end removes the temporary tables.
    connection.execute("BEGIN")
    try:
        for script, values in (
            (_FILES, (run,)),
            (_CONTENTS, ()),
            (_TEXTS, (least_repositories,)),
            (_LINKS, ()),
            (_PARTS, (least_tokens,)),
            (_COSTS, (least_repositories, least_tokens)),
        ):
            _run_statements(connection, script, values)
        ((count,), (at_start,)) = (connection.execute(query).fetchone() for query in (_COUNT, _AT_START))
        rows = connection.execute(_LARGEST, (most,)).fetchall()
        texts = tuple(_shared_text(connection, row, places) for row in rows)
        return SharedTexts(texts, count, least_repositories, at_start)
    finally:
        connection.execute("ROLLBACK")


def _shared_text(connection: sqlite3.Connection, row: tuple[int, ...], places: int) -> SharedText:
    """The text of a row of `_LARGEST`, with its head and first places. A negative part is a whole file."""
    part, text, *figures = row
    whole, subject = part < 0, -part if part < 0 else text
    head = connection.execute(_HEAD_OF_FILE if whole else _HEAD, (subject,)).fetchone()
    found = connection.execute(_PLACES_OF_FILE if whole else _PLACES_OF_TEXT, (subject, places))
    tokens, repositories, files, paid_in, at_start = figures
    where = tuple((name, path, line) for name, path, line, _ in found)
    return SharedText(head[0] if head else "", tokens, repositories, files, paid_in, at_start, whole, where)


def _run_statements(connection: sqlite3.Connection, script: str, values: tuple[int, ...]) -> None:
    """Run the statements of a script. Each takes the next of `values` for its question marks."""
    left = list(values)
    for statement in filter(str.strip, script.split(";")):
        count = statement.count("?")
        connection.execute(statement, left[:count])
        del left[:count]


def shared_texts(connection: sqlite3.Connection, run: KeptRun, model: str = "") -> SharedTexts:
    """The texts that several repositories share, costliest at starts first, with prices of a `model`."""
    least = 2 if run.size < _SMALL else 3
    found = find_texts(connection, run.id, least, _LEAST_TOKENS, _MOST, _PLACES)
    prices = money(model, [("", _STARTS)]) if model else None
    # The price of 1,000 tokens is the price of a token in 1,000 starts. No text reaches the prices for long requests.
    price = prices.expenses[0].first if prices else None
    return replace(
        found,
        texts=tuple(replace(text, dollars=_cost(price, text.at_start)) for text in found.texts),
        dollars=_cost(price, found.at_start),
        heading=prices.heading if prices else "",
    )


def _cost(price: Decimal | None, tokens: int) -> Decimal | None:
    return None if price is None else price * tokens
