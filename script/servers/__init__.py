"""The servers that development and tests need: one module each, all with the interface of `base.Server`."""
