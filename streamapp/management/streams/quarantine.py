"""`manage.py streams quarantine`: records that could not be decoded."""

from streamapp.management.streams.set_aside import SetAsideSubcommand
from streamapp.services.set_aside import listing


class Quarantine(SetAsideSubcommand):
    """Reads and moves quarantined records."""

    help = "List, show, redeliver, purge, export or try quarantined records."
    kind = listing.QUARANTINE
