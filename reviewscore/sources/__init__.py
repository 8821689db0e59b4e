"""Where papers, reviews and arguments come from. Entry point: `collection.read_collection`."""
