"""From an argumentative weakness to scored premises; entry point: `reconstruct.reconstruct`."""
