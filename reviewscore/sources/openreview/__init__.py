"""Reviews of OpenReview, live or exported. Front doors: `fetch.fetch`, `forums.build`."""
