"""Times from the seconds that git, file systems and transcripts give, also those beyond any calendar."""

from __future__ import annotations

from datetime import UTC, datetime

_LAST = datetime(9999, 12, 31, tzinfo=UTC).timestamp()


def time_of(seconds: float) -> datetime:
    """The time in UTC, from 1970 to 9999: others become the nearest."""
    return datetime.fromtimestamp(min(max(seconds, 0), _LAST), UTC)
