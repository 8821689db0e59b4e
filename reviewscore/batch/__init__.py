"""Score a whole collection into a run folder. Front door: `audit`."""

from reviewscore.batch.account import Outcome
from reviewscore.batch.finished import finished
from reviewscore.batch.interrupt import Interruption
from reviewscore.batch.progress import Progress, Quiet
from reviewscore.batch.run import audit

__all__ = ["Interruption", "Outcome", "Progress", "Quiet", "audit", "finished"]
