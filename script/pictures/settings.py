"""The projects, with shipments on Kinesis, a masked field, and one that never ran."""

import os
from typing import Any

from projects.settings import *  # noqa: F403
from projects.settings import STREAMAPP as PROJECT

SUBSCRIPTIONS = PROJECT["SUBSCRIPTIONS"]
PAYOUTS = SUBSCRIPTIONS["payouts.review"]
# Nothing asks this service: the rows are of Kinesis.
UNREACHABLE = {
    "BACKEND": "streamapp.brokers.kinesis.KinesisBroker",
    "OPTIONS": {"endpoint_url": "http://127.0.0.1:9", "region_name": "us-east-1"},
}
LONG_NAME = "analytics.daily-totals-of-every-customer-account-in-every-region"
LONG_TOPIC = "organisation.department.team.environment.customer_account_totals_by_region_and_currency_v12"
NEVER_RAN = {"ledger.nightly": {**PAYOUTS, "SOURCE": {"topic": "nightly"}, "GROUP": "nightly"}}
LONG = {LONG_NAME: {**PAYOUTS, "SOURCE": {"topic": LONG_TOPIC}, "GROUP": LONG_NAME}}


def streams(further: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with further subscriptions."""
    changed = {
        "shipping.ship": {**SUBSCRIPTIONS["shipping.ship"], "BROKER": "kinesis"},
        "payouts.review": {**PAYOUTS, "MASK": ["account"]},
    }
    brokers = {**PROJECT["BROKERS"], "kinesis": UNREACHABLE}
    return {**PROJECT, "BROKERS": brokers, "SUBSCRIPTIONS": {**SUBSCRIPTIONS, **changed, **further}}


STREAMAPP = streams(LONG if os.environ.get("PICTURES_SET") == "long" else NEVER_RAN)
