"""What is done to a review to see whether a metric notices. Entry point: `rules.ALTERATIONS`."""
