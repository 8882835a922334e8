"""Apache Kafka in KRaft mode, from Maven Central."""
