"""Leases of ten thousand shards: `python -m benchmarks.leases`."""
