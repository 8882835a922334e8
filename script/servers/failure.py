"""The one exception that ends `script/services` with a sentence instead of a traceback."""


class ServiceError(Exception):
    """Something a person can act on; the message says what happened and what to do."""
