"""The log of the local broker."""

import uuid

from django.db import models


class LocalStream(models.Model):
    """A stream of the local broker; a stream that is made again is another incarnation."""

    broker = models.CharField(max_length=100)
    name = models.CharField(max_length=255)
    incarnation = models.UUIDField(default=uuid.uuid4)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["broker", "name"], name="streamapp_one_local_stream"),)

    def __str__(self) -> str:
        return self.name


class LocalPartition(models.Model):
    """One shard of a local stream: `first` is the oldest offset kept, `end` the next one to be given."""

    stream = models.ForeignKey(LocalStream, models.CASCADE, related_name="partitions")
    number = models.PositiveIntegerField()
    first = models.BigIntegerField(default=0)
    end = models.BigIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["stream", "number"], name="streamapp_one_local_partition"),
        )

    def __str__(self) -> str:
        return f"{self.stream}/{self.number}"


class LocalRecord(models.Model):
    """One record of the local broker's log: headers in base64, `timestamp` in ms since the epoch."""

    partition = models.ForeignKey(LocalPartition, models.CASCADE, related_name="records", db_index=False)
    offset = models.BigIntegerField()
    key = models.BinaryField(null=True)
    value = models.BinaryField(null=True)
    headers = models.JSONField(default=dict)
    timestamp = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["partition", "offset"], name="streamapp_one_local_record"),
        )

    def __str__(self) -> str:
        return f"{self.partition}@{self.offset}"
