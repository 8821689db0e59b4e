"""Does a reviewer know a topic: affinity of profiles and papers (entry point: `affinity.py`)."""
