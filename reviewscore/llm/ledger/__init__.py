"""Every call that was ever paid for, in one SQLite file. Front door: `ledger.book.Ledger`."""
