"""The subcommands of `manage.py streams`, one module each."""
