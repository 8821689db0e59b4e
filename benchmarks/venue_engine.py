"""A discrete-event simulation of an audit by a model: places, limits, prefixes, workers' time.

Each call waits for its paper's prefix to be warm, for a place (both `llm.limiter`: the more urgent
first), for the limits of requests and tokens a minute, and for its worker's processor; then
for the reply. Reviews are opened in order, so many at a time (`runs.scoring`). There is one event
a call, and memory holds the reviews that are open.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from benchmarks.venue_workload import PaperShape, Point, Protocol, Stage, Step
from reviewscore.schema.review import PointType

Latency = Callable[[random.Random, Stage], float]
_BURST = 60.0
"""Seconds' worth of a limit a minute that may be used at once, as the client's limiter allows."""


@dataclass(frozen=True)
class Plan:
    """How a venue is audited.

    Attributes:
        latency: Seconds of a reply.
        connections: Most calls at once, all workers together.
        requests: Most calls a minute.
        tokens: Most tokens a minute, each kind with its weight.
        weights: Of input that is read anew, of input from the cache, and of output.
        reserved: Tokens of output that count for every call, however long its reply is; 0 for
            those of the reply.
        capacity: What the limit of tokens is called.
        workers: Processes, each on a core of its own.
        call_cpu: Seconds of a worker's processor a call.
        paper_cpu: The same a paper.
        point_cpu: The same a point's record.
        open_reviews: Most reviews at once.
        kept: Seconds a prefix stays warm.
        split: Whether a model splits the reviews.
    """

    latency: Latency
    connections: float = 512
    requests: float = math.inf
    tokens: float = math.inf
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    reserved: float = 0.0
    capacity: str = "tokens a minute"
    workers: int = 1
    call_cpu: float = 0.0
    paper_cpu: float = 0.0
    point_cpu: float = 0.0
    open_reviews: int = 1024
    kept: float = 240.0
    protocol: Protocol = field(default_factory=Protocol)
    split: bool = True
    seed: int = 1


@dataclass
class Outcome:
    """What came of it.

    Attributes:
        seconds: From the first paper to the last reply.
        weighed: Tokens as the plan weighs them.
        waiting: Seconds of replies, all calls together.
        opened: Seconds that reviews were under way, all together.
        cpu: Seconds of all workers' processors.
    """

    papers: int = 0
    reviews: int = 0
    points: int = 0
    arguments: int = 0
    calls: int = 0
    input: float = 0.0
    cached: float = 0.0
    written: float = 0.0
    output: float = 0.0
    seconds: float = 0.0
    weighed: float = 0.0
    waiting: float = 0.0
    opened: float = 0.0
    cpu: float = 0.0
    stages: Counter[str] = field(default_factory=Counter)

    def bounds(self, plan: Plan) -> dict[str, float]:
        """Seconds that each limit alone would ask for."""
        return {
            "connections": self.waiting / plan.connections,
            "requests a minute": 60 * self.calls / plan.requests,
            plan.capacity: 60 * self.weighed / plan.tokens,
            "workers' processors": self.cpu / plan.workers,
        }

    def binds(self, plan: Plan) -> str:
        """The limit that is used to nine tenths and more.

        If there is none, it is the number of reviews under way, or at last that calls wait for
        each other.
        """
        name, most = max(self.bounds(plan).items(), key=lambda one: one[1])
        if most >= 0.9 * self.seconds:
            return name
        full = self.opened / plan.open_reviews >= 0.9 * self.seconds
        return "reviews under way" if full else "chains of calls"


class _Paper:
    """A paper whose reviews are under way."""

    __slots__ = ("leading", "tokens", "waiting", "warm", "worker")

    def __init__(self, tokens: int, worker: int) -> None:
        self.tokens, self.worker = tokens, worker
        self.warm, self.leading = -1.0, False
        self.waiting: list[tuple[_Chain, Stage]] = []


class _Review:
    """A review; it is done when all its chains are."""

    __slots__ = ("chains", "paper", "points", "since")

    def __init__(self, paper: _Paper, points: tuple[Point, ...]) -> None:
        self.paper, self.points, self.chains, self.since = paper, points, 0, 0.0


class _Chain:
    """Steps that follow each other; `then` follows at once after the last."""

    __slots__ = ("at", "left", "review", "split", "steps", "then", "tokens")

    def __init__(self, review: _Review, steps: list[Step], tokens: int) -> None:
        self.review, self.steps, self.tokens = review, steps, tokens
        self.then: list[list[Step]] = []
        self.at = self.left = 0
        self.split = False


class Simulation:
    """One run of it.

    Args:
        papers: In order.
        plan: How they are audited.
    """

    def __init__(self, papers: Iterator[PaperShape], plan: Plan) -> None:
        self.plan, self.found = plan, Outcome()
        self._reviews = self._opened(papers)
        self._chance = random.Random(plan.seed)
        self._now, self._count, self._open = 0.0, 0, 0
        self._places = plan.connections
        self._queue: list[tuple[int, int, _Chain, Stage]] = []
        self._events: list[tuple[float, int, _Chain, Stage, bool]] = []
        self._busy = [0.0] * plan.workers
        self._next_request = self._next_token = 0.0

    def run(self) -> Outcome:
        """Simulate until all is done."""
        self._open_more()
        events, found = self._events, self.found
        while events:
            self._now, _, chain, stage, led = heapq.heappop(events)
            paper = chain.review.paper
            self._places += 1
            if stage.paper:
                paper.warm = self._now + self.plan.kept
                if led:
                    paper.leading = False
                    waiting, paper.waiting = paper.waiting, []
                    for one in waiting:
                        self._ask(*one)
            chain.left -= 1
            if not chain.left:
                self._go_on(chain)
            self._fill()
        found.seconds = max([self._now, *self._busy])
        return found

    def _opened(self, papers: Iterator[PaperShape]) -> Iterator[tuple[_Review, int]]:
        for number, shape in enumerate(papers):
            worker = number % self.plan.workers
            paper = _Paper(shape.tokens, worker)
            self._spend(worker, self.plan.paper_cpu)
            self.found.papers += 1
            for size, points in shape.reviews:
                yield _Review(paper, points), size

    def _open_more(self) -> None:
        while self._open < self.plan.open_reviews:
            following = next(self._reviews, None)
            if following is None:
                return
            review, size = following
            self._open += 1
            review.since = self._now
            self.found.reviews += 1
            if self.plan.split:
                chain = _Chain(review, [(self.plan.protocol.of("split_points"), 1)], size)
                chain.split = True
                review.chains += 1
                self._begin(chain)
            else:
                self._points(review)
            self._fill()

    def _points(self, review: _Review) -> None:
        for point in review.points:
            first, then = self.plan.protocol.chains(point, split=self.plan.split)
            self.found.points += 1
            self.found.arguments += point.kind is PointType.ARGUMENT
            for steps, following in [(first, then)] if first else [(steps, []) for steps in then]:
                chain = _Chain(review, steps, point.tokens)
                chain.then = following
                review.chains += 1
                self._begin(chain)
        if not review.chains:
            self._closed(review)

    def _closed(self, review: _Review) -> None:
        self.found.opened += self._now - review.since
        self._open -= 1
        self._open_more()

    def _begin(self, chain: _Chain) -> None:
        stage, chain.left = chain.steps[chain.at]
        for _ in range(chain.left):
            self._ask(chain, stage)

    def _go_on(self, chain: _Chain) -> None:
        chain.at += 1
        if chain.at < len(chain.steps):
            self._begin(chain)
            return
        review = chain.review
        for steps in chain.then:
            following = _Chain(review, steps, chain.tokens)
            review.chains += 1
            self._begin(following)
        review.chains -= 1
        if chain.split:
            self._points(review)
        elif not review.chains:
            self._spend(review.paper.worker, self.plan.point_cpu * len(review.points))
            self._closed(review)

    def _ask(self, chain: _Chain, stage: Stage) -> None:
        """Wait for the paper's prefix, then for a place."""
        if stage.paper:
            paper = chain.review.paper
            if paper.leading and paper.warm < self._now:
                paper.waiting.append((chain, stage))
                return
            if paper.warm < self._now:
                paper.leading = True
                self._wait(chain, stage, led=True)
                return
        self._wait(chain, stage, led=False)

    def _wait(self, chain: _Chain, stage: Stage, *, led: bool) -> None:
        self._count += 1
        mark = 2 * self._count + led  # the order of asking, and whether it leads
        heapq.heappush(self._queue, (-stage.urgency, mark, chain, stage))

    def _fill(self) -> None:
        while self._places >= 1 and self._queue:
            _, mark, chain, stage = heapq.heappop(self._queue)
            self._places -= 1
            self._send(chain, stage, mark)

    def _send(self, chain: _Chain, stage: Stage, mark: int) -> None:
        """Wait for the limits and the worker, then for the reply."""
        plan, found, paper, led = self.plan, self.found, chain.review.paper, bool(mark % 2)
        constant = stage.constant + (paper.tokens if stage.paper else 0)
        size = constant + stage.lengths * chain.tokens
        sent = max(self._now, self._next_request - _BURST, self._next_token - _BURST)
        cached = constant if stage.paper and not led else 0
        fresh, again, out = plan.weights
        weighed = fresh * (size - cached) + again * cached + out * (plan.reserved or stage.output)
        self._next_request = max(sent, self._next_request) + 60 / plan.requests
        self._next_token = max(sent, self._next_token) + 60 * weighed / plan.tokens
        begun = self._spend(paper.worker, plan.call_cpu, since=sent)
        seconds = plan.latency(self._chance, stage)
        found.calls += 1
        found.stages[stage.name] += 1
        found.input += size
        found.output += stage.output
        found.waiting += seconds
        found.weighed += weighed
        found.cached += cached
        found.written += constant if led else 0
        heapq.heappush(self._events, (begun + seconds, mark, chain, stage, led))

    def _spend(self, worker: int, seconds: float, since: float | None = None) -> float:
        """Take a worker's processor; returns when it is through."""
        start = self._now if since is None else since
        self._busy[worker] = max(start, self._busy[worker]) + seconds
        self.found.cpu += seconds
        return self._busy[worker]


def simulated(papers: Iterator[PaperShape], plan: Plan) -> Outcome:
    """What an audit of papers comes to."""
    return Simulation(papers, plan).run()
