"""Tests of `reviewscore.period`."""
