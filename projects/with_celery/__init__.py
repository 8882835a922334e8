"""The example with Celery: its workers ship what the consumer reads, and beat looks after retries."""
