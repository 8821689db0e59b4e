"""From an argumentative weakness to scored premises; front door: `reconstruct.reconstruct`."""
