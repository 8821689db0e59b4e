"""Reviews of OpenReview, live or exported. Entry points: `fetch.fetch`, `forums.build`."""
