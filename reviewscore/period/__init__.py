"""A venue that moves: snapshots, what changed, consent, assignments, a budget of alarms, a log."""
