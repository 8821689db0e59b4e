"""A local web workspace where people label points. Entry points: `app` and `export`."""
