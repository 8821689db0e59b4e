"""Reviews of OpenReview, live or exported. Front doors: `threads.thread` and `export.threads_in`."""
