"""System checks, all under the tag `streamapp` and without I/O; docs/checks.md explains every id."""

from django.core.checks import register

from streamapp.checks.configuration import check_configuration
from streamapp.checks.databases import check_database

TAG = "streamapp"

register(check_configuration, TAG)
register(check_database, TAG)
