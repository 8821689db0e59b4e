"""Rates over a venue, and drift between two runs (front doors: `study`, `compare`)."""
