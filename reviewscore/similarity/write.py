"""Scores of pairs as files."""

from __future__ import annotations

VERB = "similarity"
