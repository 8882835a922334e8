"""Random histories of workers, faults and operators, each checked record by record."""
