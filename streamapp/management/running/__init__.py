"""Running workers as processes: signals, exit codes, several at once."""
