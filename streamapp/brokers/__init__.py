"""Brokers: where records come from. Each implements the contract of `streamapp.brokers.base`."""
