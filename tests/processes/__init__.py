"""Real consumer processes, with real signals."""
