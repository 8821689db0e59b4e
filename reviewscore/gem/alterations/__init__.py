"""What is done to a review to see whether a metric notices. Front door: `rules.ALTERATIONS`."""
