"""A paper as text with sections and offsets, and quotes found in it. Front door: `load`."""
