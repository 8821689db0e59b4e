"""Informativeness of reviews without a gold standard (GEM). Entry point: `score.score_systems`."""
