"""The edited copy of a record that was set aside."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class EditedCopy(models.Model):
    """Beside the value as it arrived, which nobody changes: the one that is redelivered in its place.

    Without an edited copy the value itself is redelivered.
    """

    edited_value = models.BinaryField(_("edited value"), null=True)
    edited_by = models.CharField(_("edited by"), max_length=200, blank=True)
    edited_at = models.DateTimeField(_("edited at"), null=True)

    class Meta:
        abstract = True
