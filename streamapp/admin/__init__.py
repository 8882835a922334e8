"""The desk of an operator: everything is for reading, except the rewind.

`register(site)` adds the pages to an AdminSite of the project's own; the default site has them.
"""

from django.contrib import admin

from streamapp.admin.registration import register

__all__ = ["register"]

register(admin.site)
