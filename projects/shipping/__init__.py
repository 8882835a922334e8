"""Books shipments with carriers."""
