"""What every broker promises, through the interface of `streamapp.brokers.base` only."""
