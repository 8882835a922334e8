"""Takes the guards out of the code one by one, to see that a test notices."""
