"""Rates over a venue, and drift between two runs (entry points: `study`, `compare`)."""
