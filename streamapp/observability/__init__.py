"""How the app shows what it does."""
