"""Lanes, by key and without order: `python -m benchmarks.lanes`."""
