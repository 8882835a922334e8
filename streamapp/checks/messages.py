"""A problem as Django shows it."""

from django.core import checks

from streamapp.problems import Problem


def message(problem: Problem) -> checks.CheckMessage:
    """Return the message of the system checks for a problem."""
    kind = checks.Error if problem.is_error else checks.Warning
    return kind(problem.sentence, hint=problem.hint, id=f"streamapp.{problem.code}")
