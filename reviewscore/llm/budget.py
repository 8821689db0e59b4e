"""The spending cap: no call is sent that could carry the run past it."""

from __future__ import annotations

import asyncio
from typing import Protocol

from reviewscore.errors import StopError


class SpendingCap(Protocol):
    """A cap on what calls may cost; processes may share one."""

    async def reserve(self, usd: float | None) -> None:
        """Set aside what a call may cost; `settle` must follow."""
        ...

    def settle(self, reserved: float | None, spent: float | None) -> None:
        """A call has ended: replace what was set aside by what it cost."""
        ...


class Budget:
    """Dollars spent, and dollars that calls under way may cost at their worst.

    Near the cap, calls wait until those under way have settled for what they really cost; only
    when nothing is under way and the next call's worst case does not fit, the run stops.

    Args:
        cap: Most dollars; None for no cap.
        spent: What the run has spent already, doubtful calls at their worst.

    Attributes:
        spent: Dollars settled so far.
        reserved: Dollars that calls under way may cost.
    """

    def __init__(self, cap: float | None = None, *, spent: float = 0.0) -> None:
        self.cap, self.spent, self.reserved = cap, spent, 0.0
        self._under_way = 0
        self._settled = asyncio.Event()

    async def reserve(self, usd: float | None) -> None:
        """Set aside what a call may cost; `settle` must follow.

        Raises:
            StopError: The call does not fit under the cap.
        """
        worst = usd or 0.0
        while self.cap is not None and self.spent + self.reserved + worst > self.cap:
            if self._under_way == 0:
                raise StopError(
                    f"the cap of ${self.cap:,.2f} could be passed: ${self.spent:,.4f} are spent "
                    f"and the next call may cost up to ${worst:,.4f}; to go on, run the same "
                    "command with a higher --max-usd"
                )
            self._settled.clear()
            await self._settled.wait()
        self.reserved += worst
        self._under_way += 1

    def settle(self, reserved: float | None, spent: float | None) -> None:
        """A call has ended: replace what was set aside by what it cost."""
        self._under_way -= 1
        self.reserved = max(0.0, self.reserved - (reserved or 0.0)) if self._under_way else 0.0
        self.spent += max(0.0, spent or 0.0)  # nothing gives money back
        self._settled.set()
