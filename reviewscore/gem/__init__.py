"""Informativeness of reviews without a gold standard (GEM). Front door: `score.score_systems`."""
