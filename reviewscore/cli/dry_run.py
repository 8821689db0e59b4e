"""What ``--dry-run`` prints."""

from __future__ import annotations

from reviewscore.config import Settings
from reviewscore.estimate import SPREAD, Estimate


def lines(found: Estimate, settings: Settings) -> list[str]:
    """The estimate in words; nothing was asked."""
    points = sum(found.points.values())
    kinds = ", ".join(f"{count} {kind}s" for kind, count in sorted(found.points.items()))
    head = f"{found.papers} papers · {found.reviews} reviews · {points} points"
    told = [f"{head} ({kinds})" if kinds else head]
    if settings.embedded:
        return [*told, "judge: lexical; no calls, no cost"]
    calls = sum(found.calls.values())
    told.append(
        f"~{calls:,.0f} calls · ~{_short(found.input_tokens)} tokens in "
        f"({_short(found.cached_tokens)} of them likely in the provider's cache), "
        f"{_short(found.output_tokens)} out"
    )
    stages = sorted(found.calls.items(), key=lambda pair: -pair[1])
    told.append("calls: " + ", ".join(f"{stage} {count:,.0f}" for stage, count in stages))
    if found.usd is None:
        models = ", ".join(settings.models)
        told.append(f"cost: unknown; no price for {models} at this address (--prices FILE)")
    else:
        low, high = found.usd * (1 - SPREAD), found.usd * (1 + SPREAD)
        told.append(f"about ${found.usd:,.2f} (range ${low:,.2f}-{high:,.2f}; {found.prices})")
    return told


def _short(tokens: float) -> str:
    for size, mark in ((1e6, "M"), (1e3, "k")):
        if tokens >= size:
            return f"{tokens / size:.1f} {mark}"
    return f"{tokens:.0f}"
