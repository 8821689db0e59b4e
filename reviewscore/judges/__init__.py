"""One question, one verdict back. Front door: `bench` (models) and `lexical` (no model)."""
