"""Metrics by name, resampling, estimates, tables and plots: statistics of every other room."""
