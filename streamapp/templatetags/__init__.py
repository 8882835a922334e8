"""What the templates of the admin ask for."""
