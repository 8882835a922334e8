"""The read models that are rows."""

from django.contrib import admin

from projects.ledger.models import ReviewedPayout, Spend, SpendRevision


@admin.register(Spend)
class SpendAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("entry_id", "card", "cents", "revision")
    list_filter = ("card", "revision")


@admin.register(SpendRevision)
class SpendRevisionAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("number",)


@admin.register(ReviewedPayout)
class ReviewedPayoutAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("payout_id", "account", "cents", "suspicious", "reviews")
    list_filter = ("suspicious", "account")
    ordering = ("-id",)
