"""Similarity of reviewers and submissions."""
