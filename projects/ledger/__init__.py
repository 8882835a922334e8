"""Read models of a ledger: balances in memory, card spend as rows, payouts to review."""
