"""The database's clock.

Conditions compare with `django.db.models.functions.Now`, the time of the statement, which an index
serves. Values written take `ClockNow`: a statement that waited for a lock would otherwise write a
time that has long passed.
"""

from datetime import timedelta
from typing import Any

from django.db.models import DateTimeField, ExpressionWrapper, Func
from django.db.models.expressions import Combinable
from django.db.models.functions import Now


class ClockNow(Func):
    """The wall clock of the database at the moment of the write."""

    template = "CURRENT_TIMESTAMP"
    output_field = DateTimeField()
    arity = 0

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Use the clock, not the start of the transaction."""
        return self.as_sql(compiler, connection, template="CLOCK_TIMESTAMP()", **context)

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Write the form in which Django stores times."""
        template = "STRFTIME('%%%%Y-%%%%m-%%%%d %%%%H:%%%%M:%%%%f','NOW')"
        return self.as_sql(compiler, connection, template=template, **context)


def ago(seconds: float) -> Combinable:
    """Return the moment so many seconds before the statement."""
    return ExpressionWrapper(Now() - timedelta(seconds=seconds), output_field=DateTimeField())
