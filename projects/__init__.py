"""The example projects that embed streamapp: shipping and ledger, in one small Django site."""
