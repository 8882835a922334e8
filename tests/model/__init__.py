"""Random histories against simple references."""
