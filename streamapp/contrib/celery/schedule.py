"""What beat should start, and how often."""

from typing import Any

DUE_RETRIES = "streamapp.due_retries"
SAMPLE_LAGS = "streamapp.sample_lags"
PRUNE = "streamapp.prune"


def beat_schedule() -> dict[str, dict[str, Any]]:
    """Return entries for the project's `CELERY_BEAT_SCHEDULE`; change or leave out what doesn't suit.

    A task that no worker has taken when the next one is due expires: they don't pile up.
    """
    return {
        name: {"task": name, "schedule": seconds, "options": {"expires": seconds}}
        for name, seconds in ((DUE_RETRIES, 10.0), (SAMPLE_LAGS, 60.0), (PRUNE, 3600.0))
    }
