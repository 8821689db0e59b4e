"""Models of Hugging Face on this machine: loading, and reading texts as tokens. Extra `hf`."""
