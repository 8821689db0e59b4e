"""First-order logic and Z3, never a model; entry point: `validity.prove`."""
