"""Figures of GRE-bench (arXiv 2411.07228, Tables 6 and 7), by the names of the published CSV file.

Of each system GEM, GEM-S (abstract) and GEM-S (ASSW), in nats, by Llama-3.1 70B and then by 8B.
"""

from __future__ import annotations

VARIANTS = ("GEM", "GEM-S (abstract)", "GEM-S (ASSW)")
_ROWS = """
openai/gpt-4o-mini 16.31 5.25 0.52 42.55 14.44 10.25
openai/gpt-4o 20.08 7.62 2.82 48.01 18.73 12.78
openai/gpt-3.5-turbo-0125 19.28 6.31 1.40 45.62 15.86 10.72
anthropic/claude-2 20.04 7.17 2.27 55.94 24.29 17.22
anthropic/claude-3-haiku 20.32 7.63 2.50 49.77 19.58 13.34
anthropic/claude-3-sonnet 24.11 9.53 4.25 56.49 24.16 16.52
anthropic/claude-3-opus 25.77 11.52 5.89 60.94 27.94 20.21
google/gemini-pro 14.73 4.09 -0.26 40.65 12.86 9.49
google/gemini-pro-1.5 22.76 9.61 4.47 52.94 22.43 16.06
meta-llama/llama-3-8b-instruct 16.68 5.81 1.07 43.50 15.49 11.24
meta-llama/llama-3-70b-instruct 18.35 7.23 3.37 46.39 18.60 13.68
mistralai/mixtral-8x7b-instruct 16.86 5.22 1.23 45.18 15.61 11.25
mistralai/mixtral-8x22b-instruct 18.94 5.82 1.64 47.29 17.03 11.85
meta-llama/llama-3.1-8b-instruct 18.74 7.60 2.40 46.51 18.33 12.69
meta-llama/llama-3.1-70b-instruct 19.95 8.00 3.47 48.29 19.59 13.91
mistralai/mistral-large 20.40 7.44 2.72 47.84 17.84 12.52
mistralai/mistral-small 18.08 6.70 1.28 45.01 15.90 11.10
mistralai/mistral-tiny 17.21 4.11 0.15 43.90 13.34 9.94
"""


def _columns(first: int) -> dict[str, dict[str, float]]:
    rows = [line.split() for line in _ROWS.strip().splitlines()]
    return {
        variant: {row[0]: float(row[first + n]) for row in rows}
        for n, variant in enumerate(VARIANTS)
    }


BY_70B, BY_8B = _columns(1), _columns(4)
