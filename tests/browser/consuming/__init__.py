"""Operators at work while a real process consumes from a real broker."""
