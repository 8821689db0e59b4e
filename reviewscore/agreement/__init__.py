"""Agreement of people and judges: tables, disagreements, calibration (front door: `study.py`)."""
