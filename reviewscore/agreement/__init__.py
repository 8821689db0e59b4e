"""Agreement of people and judges: tables, disagreements, calibration (entry point: `study.py`)."""
