"""How alike two texts are: overlap of words, and of meanings by an encoder."""
