"""All that one configuration mounts, sound or not: what the checks report and the registry hands out."""

from collections.abc import Mapping
from dataclasses import dataclass

from streamapp.conf import Configuration
from streamapp.problems import Problem
from streamapp.registry.backends import BrokerDraft, draft_broker
from streamapp.registry.groups import shared_groups
from streamapp.registry.mounting import Draft, draft_mount


@dataclass(frozen=True, slots=True)
class Survey:
    """The brokers and subscriptions of a configuration, as far as they can be made without I/O."""

    configuration: Configuration
    brokers: Mapping[str, BrokerDraft]
    drafts: Mapping[str, Draft]
    shared: tuple[tuple[str, str, Problem], ...]

    def problems(self) -> list[Problem]:
        """Return everything that is wrong, once each."""
        entries: list[BrokerDraft | Draft] = [*self.brokers.values(), *self.drafts.values()]
        found = [problem for entry in entries for problem in entry.problems]
        return [*found, *(problem for _, _, problem in self.shared)]

    def problems_of(self, name: str) -> list[Problem]:
        """Return what is wrong with one subscription; a broker's own problems are with the broker."""
        shared = [problem for *names, problem in self.shared if name in names]
        return [*self.drafts[name].problems, *shared]


def survey(configuration: Configuration) -> Survey:
    """Make all brokers and mounts of a configuration without I/O; handlers are imported."""
    brokers = {alias: draft_broker(alias, given) for alias, given in configuration.BROKERS.items()}
    drafts = {
        name: draft_mount(name, given, brokers, configuration.CELERY_APP)
        for name, given in configuration.SUBSCRIPTIONS.items()
    }
    mounts = {name: draft.mount for name, draft in drafts.items() if draft.mount}
    return Survey(configuration, brokers, drafts, tuple(shared_groups(mounts)))
