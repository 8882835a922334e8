"""Kinesis, on moto: `python -m benchmarks.kinesis`."""
