"""``lexical-cache``: an evaluation model without weights, from words alone.

An exact probability over word sequences: every next word comes from a mixture of a background
model of reviews and of caches of what was read. It measures lexical and topical informativeness;
its nats cannot be compared with those of neural models. Entry point: `model.LexicalCache`.
"""
