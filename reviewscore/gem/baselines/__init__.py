"""Metrics that GEM is compared with: overlap, compression, and a judge that reads the paper."""
