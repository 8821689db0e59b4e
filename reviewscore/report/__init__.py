"""The numbers and pages of a run. Front door: `summary`, `html` and `markdown`."""
