"""Tests of the coefficients of agreement, and the ratings they share."""
