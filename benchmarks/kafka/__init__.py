"""Apache Kafka: `python -m benchmarks.kafka`."""
