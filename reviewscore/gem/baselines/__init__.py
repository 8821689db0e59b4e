"""Metrics that GEM is compared with."""
