"""Bookings to look at, carriers to add."""

from django.contrib import admin

from projects.shipping.models import Booking, Carrier


@admin.register(Carrier)
class CarrierAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("code",)


@admin.register(Booking)
class BookingAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("shipment_id", "carrier", "address", "booked_at")
    list_filter = ("carrier",)
    search_fields = ("=shipment_id", "address")
    ordering = ("-id",)
