"""Tests of `reviewscore.stats`."""
