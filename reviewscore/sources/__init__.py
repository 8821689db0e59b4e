"""Where papers, reviews and arguments come from. Front door: `files.read_collection`."""
