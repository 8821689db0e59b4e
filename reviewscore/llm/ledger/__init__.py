"""Every call that was ever paid for, in SQLite or PostgreSQL: `ledger.database.Ledger`.

SQLAlchemy is imported by the modules that open a ledger; `store` needs none.
"""
