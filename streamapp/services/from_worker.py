"""What a worker does to its own subscription because nobody else is there to see it."""

from streamapp.exceptions import ActionRefused
from streamapp.services.actions import Pause
from streamapp.services.actions.scope import Scope
from streamapp.store.audit import Asker


def pause_from_worker(subscription: str, reason: str) -> None:
    """Pause a subscription as a whole, with its row of the audit trail; one that is paused stays so.

    Raises django.db.Error.
    """
    try:
        Pause(Scope.of(subscription)).do(Asker("worker", reason=reason))
    except ActionRefused:
        return  # another worker, or an operator, was faster: it is paused
