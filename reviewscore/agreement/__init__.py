"""Agreement of people and judges: coefficients, intervals, tables (front door: `study.py`)."""
