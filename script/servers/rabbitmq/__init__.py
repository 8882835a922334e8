"""RabbitMQ, as one of Celery's brokers."""
