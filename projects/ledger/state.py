"""The balances, a read model in memory."""

from threading import Lock

from projects.ledger.messages import Entry


class Balances:
    """What every account holds; may be used from several threads.

    An entry counts once however often it comes.
    """

    def __init__(self) -> None:
        self.revision = 1
        self._entries: dict[int, Entry] = {}
        self._lock = Lock()

    def apply(self, entry: Entry) -> bool:
        """Count an entry and return True.

        False if it begins a newer revision: then everything is forgotten, and the caller has to read
        the ledger from its start.
        """
        with self._lock:
            if entry.revision > self.revision:
                self.revision = entry.revision
                self._entries.clear()
                return False
            known = self._entries.get(entry.id, entry)
            self._entries[entry.id] = max(known, entry, key=lambda posting: posting.revision)
            return True

    def of(self, account: str) -> int:
        """Return the balance of an account in cents."""
        with self._lock:
            return sum(entry.cents for entry in self._entries.values() if entry.account == account)
