"""What connects streamapp with other packages; nothing here is imported unless it is asked for."""
