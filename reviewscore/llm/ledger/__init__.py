"""Every call that was ever paid for, in SQLite or PostgreSQL. Front door: `ledger.book.Ledger`.

SQLAlchemy is imported by the modules that open a ledger; `place` and `paid` need none.
"""
