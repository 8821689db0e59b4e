"""The app in which people work on runs: `reviewscore view`."""
