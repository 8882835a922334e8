"""What script/screenshots is made of."""
