"""An OpenAI-compatible server on loopback that answers every prompt sensibly, from a script.

A test tool: ``python -m tests.loopback --latency 1`` prints its address and serves until killed.
Answers are a pure function of the request. An argument's first reconstruction is ill-formed, the
second invalid, the third unfaithful, the fourth good; with ``--every-failure`` there are nine
attempts, one for each way to fail and then a good one.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

from aiohttp import web

from tests.loopback_doors import Jobs, doors
from tests.mishaps import Mishap

Answer = dict[str, object]
Body = dict[str, object]


def fenced(prompt: str, name: str) -> str:
    """What stands between the fences of a name; empty if there are none."""
    found = re.search(rf"<{name}-([0-9a-f]{{12}})>\n(.*?)\n</{name}-\1>", prompt, re.DOTALL)
    return found[2] if found else ""


def paper_of(prompt: str) -> str:
    """The paper in a prompt, or the excerpts of it."""
    excerpts = re.findall(r"<excerpt-([0-9a-f]{12})>\n(.*?)\n</excerpt-\1>", prompt, re.DOTALL)
    return fenced(prompt, "paper") or "\n\n".join(text for _, text in excerpts)


def words(text: str) -> set[str]:
    """Longer words of a text, lower-cased."""
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def best_sentence(paper: str, wanted: str) -> tuple[str, int]:
    """The paper's sentence that shares most words with a text, and how many."""
    target = words(wanted)
    sentences = [one for one in re.split(r"(?<=[.])\s+", paper) if 40 < len(one) < 400]
    if not sentences:
        return "", 0
    best = max(sentences, key=lambda one: len(words(one) & target))
    return best, len(words(best) & target)


def split_points(prompt: str) -> Answer:
    points = []
    for box in re.split(r"\n\n(?=\[)", fenced(prompt, "review")):
        head, _, body = box.partition("\n")
        if head.strip("[]") in ("summary", "strengths", "limitations"):
            continue
        points += [line.removeprefix("- ").strip() for line in body.splitlines() if line.strip()]
    return {"points": [proposed(text) for text in points]}


def proposed(text: str) -> Answer:
    """A point as a split of a review gives it."""
    kind = "question" if "?" in text else "criticism"
    of_type = "argument" if argues(text) else kind.replace("criticism", "claim")
    return {"text": text, "kind": kind, "type": of_type, "also": [], "lead_in": ""}


def argues(text: str) -> bool:
    return re.search(r"\b(because|since|so|therefore|which)\b", text) is not None


def is_argument(prompt: str) -> Answer:
    is_argument = argues(fenced(prompt, "review-point"))
    return {"reasoning": "Looked for a reason.", "is_argument": is_argument}


def is_question(prompt: str) -> Answer:
    kind = "question" if "?" in fenced(prompt, "review-point") else "claim"
    return {"reasoning": "Looked for a question.", "kind": kind}


def answerability(prompt: str) -> Answer:
    quote, shared = best_sentence(paper_of(prompt), fenced(prompt, "question"))
    answered = shared >= 3
    return {
        "reasoning": f"{shared} words shared.",
        "unanswerability": 2 if answered else 4,
        "quotes": [{"section": "?", "sentence": quote}] if answered else [],
        "answer": "The quoted sentence says so." if answered else None,
    }


def factuality(prompt: str) -> Answer:
    quote, shared = best_sentence(paper_of(prompt), fenced(prompt, "weakness"))
    return {
        "reasoning": f"{shared} words shared.",
        "factuality": 2 if shared >= 4 else 4,
        "quotes": [{"section": "?", "sentence": quote}] if shared >= 4 else [],
    }


def extract(prompt: str) -> Answer:
    point = fenced(prompt, "review-point")
    parts = re.split(r"\b(because|since|so|therefore|which)\b", point, maxsplit=1)
    head, mark, tail = parts if len(parts) > 1 else (point, "", point)
    if mark in ("so", "therefore"):
        head, tail = tail, head
    return {"conclusion": head.strip(" ,."), "reasons": [tail.strip(" ,.")]}


def reconstruction(prompt: str) -> Answer:
    last = fenced(prompt, "last-attempt")
    reason, conclusion = fenced(prompt, "reasons").removeprefix("- "), fenced(prompt, "conclusion")
    stated = {"text": reason, "formula": "R", "explicit": True}
    link = {"text": f"If {reason}, then {conclusion}.", "formula": "R -> C", "explicit": False}
    good = {"text": "Gaps of this kind matter.", "formula": "M", "explicit": False}
    full = {"text": "If both, then so.", "formula": "(R & M) -> C", "explicit": False}
    if not last:
        premises = [{**stated, "formula": "R & ("}]
    elif "R & (" in last and "-> C" not in last:
        premises = [stated]
    elif "R -> C" not in last:
        premises = [stated, link]
    else:
        premises = [stated, good, full]
    return {
        "keys": [
            {"symbol": "R", "meaning": reason},
            {"symbol": "M", "meaning": "gaps of this kind matter"},
            {"symbol": "C", "meaning": conclusion},
        ],
        "premises": premises,
        "intermediate_conclusions": [],
        "conclusion": conclusion,
        "conclusion_formula": "C",
        "proof": "From the premises by modus ponens.",
    }


ENDLESS = (
    "forall x exists y (Less(x, y)) & forall x (-Less(x, x)) & "
    "forall x forall y forall z ((Less(x, y) & Less(y, z)) -> Less(x, z))"
)
"""True of infinitely many individuals only: the prover gives up."""

FAILURES: list[tuple[list[str], str]] = [
    (["R & ("], "C"),  # ill-formed
    (["R", "R -> Sound"], "C"),  # ill-typed: a name without a key
    (["R"], "C"),  # invalid
    (["R", "-R", "R -> C"], "C"),  # inconsistent
    (["R", "C"], "C"),  # circular
    (["R"], "C | -C"),  # tautological
    (["R", ENDLESS], "C"),  # unknown
    (["R", "R -> C"], "C"),  # unfaithful
    (["R", "M", "(R & M) -> C"], "C"),
]


def every_failure(prompt: str) -> Answer:
    """The reconstruction that fails in another way at each attempt, and at last does not."""
    attempt = re.search(r"This is attempt (\d+)", prompt)
    formulas, conclusion = FAILURES[int(attempt[1]) - 1 if attempt else 0]
    answer = reconstruction(prompt)
    keys = answer["keys"]
    assert isinstance(keys, list)
    return {
        **answer,
        "keys": [*keys, {"symbol": "Less(x, y)", "meaning": "x is less than y"}],
        "premises": [
            {"text": f"In formulas: {one}", "formula": one, "explicit": one == "R"}
            for one in formulas
        ],
        "conclusion_formula": conclusion,
    }


def streamline(prompt: str) -> Answer:
    meanings = dict(line.split(": ", 1) for line in fenced(prompt, "keys").splitlines())
    premises = []
    for formula in fenced(prompt, "premises").splitlines():
        left, arrow, right = formula.partition("->")
        text = " and ".join(meanings.get(name, name) for name in re.findall(r"[A-Z]\w*", left))
        premises.append(f"If {text}, then {meanings[right.strip()]}." if arrow else text)
    return {"premises": premises, "conclusion": meanings["C"]}


def faithfulness(prompt: str) -> Answer:
    enough = len(fenced(prompt, "premises").splitlines()) >= 3
    reason = "All is there." if enough else "Why gaps of this kind matter is left unsaid."
    return {"reasoning": reason, "faithful": enough}


def premise(prompt: str) -> Answer:
    text = fenced(prompt, "premise")
    general = text.startswith(("If ", "gaps of"))
    quote, shared = best_sentence(paper_of(prompt), text)
    contradicted = not general and shared >= 4
    return {
        "reasoning": f"{shared} words shared.",
        "source": "annotator_knowledge" if general else "given_paper",
        "factuality": 2 if contradicted else 4,
        "settled_by_general_knowledge": False,
        "untrivialness": 0 if general else 2,
        "quotes": [{"section": "?", "sentence": quote}] if contradicted else [],
    }


def point_type(prompt: str) -> Answer:
    kind = "argument" if is_argument(prompt)["is_argument"] else is_question(prompt)["kind"]
    return {"reasoning": "Looked for a reason, then for a question.", "kind": kind}


def premises(prompt: str) -> Answer:
    verdicts = []
    for line in fenced(prompt, "premises").splitlines():
        name, _, text = line.partition(": ")
        alone = prompt.replace(fenced(prompt, "premises"), "")
        one = premise(f"{alone}<premise-000000000000>\n{text}\n</premise-000000000000>")
        verdicts.append({"premise": name, **one})
    return {"verdicts": verdicts}


def marked(prompt: str) -> list[tuple[int, str]]:
    """Numbers and words of the remarks that a prompt about reviews asks about, in order."""
    reviews = re.findall(r"<review-([0-9a-f]{12})>\n(.*?)\n</review-\1>", prompt, re.DOTALL)
    shown = "\n".join(text for _, text in reviews)
    remarks = {int(n): text for n, text in re.findall(r"⟦(\d+)⟧(.*?)⟦/\1⟧", shown, re.DOTALL)}
    wanted = re.findall(r"^Judge these remarks: (.*)\.$", prompt, re.MULTILINE)[-1]
    return [(int(n), remarks[int(n)]) for n in re.findall(r"\d+", wanted)]


def taken_for_granted(paper: str, text: str) -> Answer:
    """What a look says of a remark: one presupposition, false if the paper shares its words."""
    quote, shared = best_sentence(paper, text)
    false, kind = shared >= 4, str(proposed(text)["kind"])
    granted = {
        "statement": f"The paper does not say: {text}",
        "nearest": [{"section": "?", "sentence": quote, "source": "text"}],
        "supplies": "mostly" if false else "topic_only",
        "true": 2 if false else 4,
        "central": True,
        "foreign": False,
        "acknowledged": "country" in text,
    }
    return {
        "kind": kind,
        "type": proposed(text)["type"],
        "parts": [{"words": "", "presuppositions": [granted], "standing": 2 if false else 4}],
        "probability": 0.9 if false else 0.1,
        "reason": f"{shared} words shared.",
    }


def presupposition(prompt: str) -> Answer:
    return taken_for_granted(paper_of(prompt), fenced(prompt, "remark"))


def presuppositions(prompt: str) -> Answer:
    paper = paper_of(prompt)
    return {
        "points": [{**taken_for_granted(paper, text), "point": n} for n, text in marked(prompt)]
    }


def base_review(prompt: str) -> Answer:
    points = []
    for number, text in marked(prompt):
        quote, shared = best_sentence(paper_of(prompt), text)
        false = shared >= 4
        points.append(
            {
                "point": number,
                "type": proposed(text)["type"],
                "reasoning": f"{shared} words shared.",
                "score": 2 if false else 4,
                "quotes": [{"section": "?", "sentence": quote}] if false else [],
                "answer": "The quoted sentence says so." if false else None,
            }
        )
    return {"points": points}


def judgments(prompt: str) -> Answer:
    found = [
        {"stance": "questions" if one.endswith("?") else "criticizes", "rest": one.rstrip(".?")}
        for one in re.split(r"(?<=[.?])\s+|\n+", fenced(prompt, "review"))
        if len(one) > 3
    ]
    return {"judgments": found, "no_judgment": not found}


def stated(prompt: str) -> Answer:
    quote, _ = best_sentence(paper_of(prompt), "fails rain country tested")
    return {"strengths": ["Counting is automatic."], "weaknesses": [" ".join(quote.split())]}


def review(prompt: str) -> Answer:
    quote, _ = best_sentence(paper_of(prompt), "microphones ponds")
    reasons = [{"reason": f"Reason {n}.", "evidence": [quote]} for n in range(1, 5)]
    return {
        "summary": quote,
        "strengths": reasons,
        "weaknesses": reasons,
        "questions": ["Which ponds?"],
    }


def sentences_in(text: str) -> list[str]:
    return [one for one in re.split(r"(?<=[.?])\s+", text) if len(one) > 3]


def named_points(prompt: str) -> Answer:
    found = [
        {
            "polarity": "strength" if words(one) & {"good", "clear", "strong"} else "weakness",
            "text": one,
            "quote": one,
        }
        for one in sentences_in(fenced(prompt, "meta-review"))
        if "decision" not in one
    ]
    return {"points": found, "names_none": not found}


def given_points(prompt: str) -> list[tuple[str, str]]:
    return re.findall(r"^\d+\. \((strength|weakness)\) (.*)$", fenced(prompt, "points"), re.M)


def augmented_points(prompt: str) -> Answer:
    reviews = re.findall(r"<review-([0-9a-f]{12})>\n(.*?)\n</review-\1>", prompt, re.DOTALL)
    said = [one for _, review in reviews for one in sentences_in(review)]
    points = []
    for polarity, text in given_points(prompt):
        best = max(said, key=lambda one: len(words(one) & words(text)), default="")
        quotes = [best] if words(best) & words(text) else []
        points.append({"polarity": polarity, "text": " ".join([text, *quotes]), "quotes": quotes})
    return {"points": points}


def clean_points(prompt: str) -> Answer:
    return {
        "points": [
            {"polarity": polarity, "text": re.sub(r"(?:All|Two) reviewers find ", "", text)}
            for polarity, text in given_points(prompt)
        ]
    }


def facets(prompt: str) -> Answer:
    names = re.findall(r'^- "([^"]+)": ', prompt, re.MULTILINE)
    points = re.findall(r"^\d+\. (.*)$", fenced(prompt, "points"), re.MULTILINE)
    return {"labels": [names[len(one) % len(names)] for one in points]}


def expertise(prompt: str) -> Answer:
    shared = words(fenced(prompt, "profile")) & words(fenced(prompt, "abstract"))
    return {"reasoning": f"{len(shared)} words shared.", "score": min(100, 20 * len(shared))}


ANSWERS: dict[str, Callable[[str], Answer]] = {
    "ReviewPointsReply": split_points,
    "ArgumentReply": is_argument,
    "QuestionReply": is_question,
    "AnswerabilityReply": answerability,
    "FactualityReply": factuality,
    "ExtractReply": extract,
    "ReconstructionReply": reconstruction,
    "StreamlineReply": streamline,
    "FaithfulnessReply": faithfulness,
    "PremiseReply": premise,
    "PremisesReply": premises,
    "PointTypeReply": point_type,
    "RemarkReply": presupposition,
    "ReviewRemarksReply": presuppositions,
    "BaseReviewReply": base_review,
    "JudgmentsReply": judgments,
    "StatedReply": stated,
    "ReviewReply": review,
    "NamedPointsReply": named_points,
    "AugmentedPointsReply": augmented_points,
    "CleanPointsReply": clean_points,
    "FacetReply": facets,
    "ExpertiseReply": expertise,
}

Quirk = Callable[[dict[str, object], int], web.Response | None]


class Served:
    """A server on loopback, in a thread of its own."""

    url: str

    def routes(self, app: web.Application) -> None:
        """Say what is served."""

    def start(self) -> Self:
        """Serve from a thread of its own until the process ends or `stop` is called."""
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()

        async def serve() -> None:
            app = web.Application(client_max_size=64 * 1024 * 1024)
            self.routes(app)
            runner = web.AppRunner(app, access_log=None)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
            host, port = runner.addresses[0][:2]
            self.url = f"http://{host}:{port}/v1"
            self._halt = asyncio.Event()
            ready.set()
            await self._halt.wait()
            await runner.cleanup()

        self._thread = threading.Thread(
            target=lambda: self._loop.run_until_complete(serve()), daemon=True
        )
        self._thread.start()
        assert ready.wait(10)
        return self

    def stop(self) -> None:
        """End the server and its thread."""
        self._loop.call_soon_threadsafe(self._halt.set)
        self._thread.join(10)
        self._loop.close()


@dataclass
class Loopback(Served):
    """The server.

    Attributes:
        latency: Seconds before each answer.
        mishap: May spoil an answer, or the connection.
        every_failure: Reconstructions fail in each possible way before they succeed.
        quirk: May answer a request (its body, and how often this body came) in another way.
        served: How often each request was answered, by the hash of its body.
        bodies: Requests in order, but those for the word at the beginning of a prompt.
        most: Most requests under way at once.
        jobs: Batch jobs and what becomes of them.
        log: File that gets the hash of each answered request, one a line.
        letters: How many of a prompt make a token.
    """

    letters: int = 4
    latency: float = 0.0
    quirk: Quirk | None = None
    mishap: Mishap | None = None
    every_failure: bool = False
    log: Path | None = None
    jobs: Jobs = field(default_factory=Jobs)
    served: Counter[str] = field(default_factory=Counter)
    tries: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, object]] = field(default_factory=list)
    under_way: int = 0
    most: int = 0
    url: str = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(self.latency)
            if self.mishap is not None:
                key = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
                self.tries[key] += 1
                spoilt = await self.mishap(request, body, self.tries[key] - 1)
                if spoilt is not None:
                    return spoilt
            return self.answer(body)
        finally:
            self.under_way -= 1

    def answer(self, body: dict[str, object]) -> web.Response:
        key = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        if code_word := re.match(r"The code word is (\w+)", contents(body)[0]):
            size = sum(map(len, contents(body)))
            return web.json_response(
                completion(code_word[1], key=key, size=size, letters=self.letters)
            )
        seen = self.served[key]
        self.served[key] += 1
        self.bodies.append(body)
        if self.quirk is not None and (special := self.quirk(body, seen)) is not None:
            return special
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(key + "\n")
        name = schema_name(body)
        script = ANSWERS[name]
        if self.every_failure and script is reconstruction:
            script = every_failure
        text = json.dumps(script("\n".join(contents(body))))
        return web.json_response(
            completion(text, key=key, size=sum(map(len, contents(body))), letters=self.letters)
        )

    def routes(self, app: web.Application) -> None:
        app.router.add_post("/v1/chat/completions", self.handle)
        doors(app, self, self.jobs)

    def interrupt_at(self, number: int) -> None:
        """Send this process Ctrl-C in the middle of this question, counted from 1."""

        def quirk(_body: dict[str, object], _seen: int) -> None:
            if len(self.bodies) == number:
                os.kill(os.getpid(), signal.SIGINT)

        self.quirk = quirk


def contents(body: dict[str, object]) -> list[str]:
    """Texts of a request's messages."""
    messages = body["messages"]
    assert isinstance(messages, list)
    return [words_of(message["content"]) for message in messages]


def words_of(content: object) -> str:
    """The words of a message, whose content may be parts, some of them images."""
    if not isinstance(content, list):
        return str(content)
    return "\n\n".join(part["text"] for part in content if "text" in part)


def schema_name(body: dict[str, object]) -> str:
    """Name of the record that is asked for, from the schema or, without one, from its text."""
    form = body.get("response_format")
    if isinstance(form, dict) and "json_schema" in form:
        return str(form["json_schema"]["name"])
    titles = re.findall(r'"title":"(\w+Reply)"', "\n".join(contents(body)))
    return titles[-1]


def completion(text: str, *, key: str, size: int, finish: str = "stop", letters: int = 4) -> Answer:
    """The body of a chat completion."""
    return {
        "id": f"chatcmpl-{key[:16]}",
        "object": "chat.completion",
        "created": 0,
        "model": "loopback-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, "refusal": None},
            }
        ],
        "usage": {
            "prompt_tokens": size // letters,
            "completion_tokens": len(text) // 4,
            "total_tokens": size // letters + len(text) // 4,
        },
    }


def _unread(script: Callable[[str], Answer], prompt: str) -> Answer:
    """The answer of a script that is not shown the paper."""
    return script(prompt[prompt.rfind("</paper-") :])


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--every-failure", action="store_true")
    # Papers full of tables have more tokens than a fourth of their letters.
    parser.add_argument("--letters", type=int, default=2)
    parser.add_argument("--brief", action="store_true", help="do not look into the papers")
    options = parser.parse_args()
    if options.brief:
        for name in ("AnswerabilityReply", "FactualityReply"):
            ANSWERS[name] = partial(_unread, ANSWERS[name])
    server = Loopback(
        latency=options.latency,
        log=options.log,
        every_failure=options.every_failure,
        letters=options.letters,
    ).start()
    print(server.url, flush=True)  # noqa: T201 - the caller reads the address
    server._thread.join()


if __name__ == "__main__":
    main()
