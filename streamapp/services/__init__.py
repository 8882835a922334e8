"""What the admin, the commands and the handlers' context share: plans, rewinds, status, names."""
