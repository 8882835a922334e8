"""Bookings, and the carriers that can be booked."""

from django.db import models


class Carrier(models.Model):
    """A carrier we can book. Add one here, and held shipments with it are booked when they come again."""

    code = models.CharField(max_length=30, primary_key=True)

    def __str__(self) -> str:
        return self.code


class Booking(models.Model):
    """One booked shipment; a shipment that is delivered twice is booked once."""

    shipment_id = models.BigIntegerField(unique=True)
    carrier = models.ForeignKey(Carrier, models.PROTECT)
    address = models.CharField(max_length=200)
    booked_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.shipment_id} with {self.carrier_id}"
