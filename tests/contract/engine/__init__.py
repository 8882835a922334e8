"""What the engine promises, on every broker."""
