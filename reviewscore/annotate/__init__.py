"""A local web workspace where people label points. Front doors: `server` and `export`."""
