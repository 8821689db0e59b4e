"""Audit reviews of scientific papers: find misinformed review points, with proof."""
