"""Providers, independent of each other; `reviewscore.llm.provider` finds them."""
