"""Measurements, never tests: ``make bench``. Each result stands beside a named baseline."""
