"""One subscription's life in one worker: reading, handling, settling, saving, leasing, stopping."""
