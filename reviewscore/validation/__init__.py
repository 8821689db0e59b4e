"""How far a judge can be trusted: planted points, and the checks that keep them honest."""
