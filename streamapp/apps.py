"""The app as Django sees it."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StreamappConfig(AppConfig):
    """Registers the system checks; binds no port, starts no thread, asks no broker."""

    name = "streamapp"
    verbose_name = _("Streams")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import what registers itself."""
        from streamapp import checks  # noqa: F401, PLC0415
