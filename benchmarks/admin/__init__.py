"""What the operator's pages cost on large tables."""
