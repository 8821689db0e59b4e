"""One run: its folder, session, records and executors."""
