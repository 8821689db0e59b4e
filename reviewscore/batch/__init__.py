"""Score a whole collection into a run folder. Front door: `audit`."""

from reviewscore.batch.progress import Progress, Quiet
from reviewscore.batch.run import Outcome, audit

__all__ = ["Outcome", "Progress", "Quiet", "audit"]
