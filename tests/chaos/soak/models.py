"""The table of effects: what handlers have done, each row written in its handler's own transaction."""

from django.db import models

from streamapp.models.fields import PositionField


class Effect(models.Model):
    """One record handled once, under one epoch and one generation of its shard.

    Nothing keeps a record from standing here twice: that is for the judge to see.
    """

    subscription = models.CharField(max_length=40)
    shard = models.CharField(max_length=128)
    position = PositionField()
    number = models.BigIntegerField()
    key = models.CharField(max_length=20)
    epoch = models.BigIntegerField()
    generation = models.IntegerField()
    attempt = models.IntegerField()
    process_id = models.IntegerField()

    class Meta:
        app_label = "soak"
        indexes = (models.Index(fields=["subscription", "shard", "position"], name="soak_effect_place"),)

    def __str__(self) -> str:
        return f"{self.subscription} {self.shard}@{self.position}"
