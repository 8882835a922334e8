"""`manage.py` as a child of the demonstration: it ends with its parent, however that ends."""

import sys

from django.core.management import execute_from_command_line

from streamapp.management.running.processes import follow_parent

if __name__ == "__main__":
    follow_parent()
    execute_from_command_line(["manage.py", *sys.argv[1:]])
