"""Where the results of dry runs are shown."""

from collections.abc import Sequence

from django.urls import reverse


def dry_run_page(site: str, ordered: Sequence[int]) -> str:
    """Return the page of a dry run; of several or none the list, which begins with them."""
    if len(ordered) == 1:
        return reverse("admin:streamapp_dryrun_change", args=[ordered[0]], current_app=site)
    return reverse("admin:streamapp_dryrun_changelist", current_app=site)
