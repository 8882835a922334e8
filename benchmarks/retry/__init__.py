"""What a mounted ladder of retries costs while nothing fails: `python -m benchmarks.retry`."""
