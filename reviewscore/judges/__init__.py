"""One question, one verdict back. Entry points: `model_judges`, and `lexical` without a model."""
