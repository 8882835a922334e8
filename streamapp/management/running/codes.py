"""The exit codes of `runconsumers`, for supervisors."""

OK = 0
"""Stopped as asked; everything settled is saved."""

WRONG = 1
"""Can't run as configured: starting again won't help before somebody mends the settings."""

DIED = 70
"""A thread died or a process was lost: start it again."""

AT_ONCE = 130
"""A second signal ended it without saving; nothing is lost, unsaved records come again."""
