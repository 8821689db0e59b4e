"""Child processes: started isolated and without keys, stopped at their limit, replaced."""
