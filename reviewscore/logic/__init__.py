"""First-order logic and Z3, never a model; front door: `validity.prove`."""
