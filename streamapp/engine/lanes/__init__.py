"""Lanes: the strands of handling inside a worker, one or many."""
