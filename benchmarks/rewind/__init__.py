"""How soon a rewind reaches the handlers: `python -m benchmarks.rewind`."""
