"""A backend whose client library is not installed."""

import absent_client_library  # type: ignore[import-not-found]  # noqa: F401
