"""Tests of `reviewscore.venue`."""
