"""Exactly-once effects beside a handler's own transactions: `python -m benchmarks.transaction`."""
