"""Publishes what a warehouse and a bank would: the traffic of the example."""
