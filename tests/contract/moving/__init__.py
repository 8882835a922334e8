"""Where reading starts and how it is moved: the same on the local broker and on Apache Kafka."""
