"""The check of settings.STREAMAPP, by the same reading that mounts the subscriptions."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage

from streamapp import conf
from streamapp.checks.messages import message
from streamapp.registry.survey import survey


def check_configuration(**_: Any) -> list[CheckMessage]:
    """Report what is wrong with the settings, and once they are right, with brokers and subscriptions."""
    configuration, problems = conf.read(getattr(settings, "STREAMAPP", {}))
    return [message(problem) for problem in problems or survey(configuration).problems()]
