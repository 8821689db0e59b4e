"""Does a reviewer know a topic: affinity of profiles and papers (front door: `affinity.py`)."""
