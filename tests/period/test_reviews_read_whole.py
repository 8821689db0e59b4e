"""Where the judge reads whole reviews, an edit changes no verdict silently."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from reviewscore.schema.point_score import Status
from reviewscore.schema.verdict import UnknownReason
from tests.loopback import ANSWERS, Loopback, completion, contents, fenced, marked, schema_name
from tests.period.moving_venue import COUNTRY, DENSE, LAYERS, MovingVenue, listed

WHOLE = {"protocol": "presupposition"}
BASE = {"protocol": "economy", "per": "review", "score": "base"}
NEW = "The abstract promises more than the paper holds."


def otherwise(answer: dict[str, object]) -> dict[str, object]:
    """The opposite of what is said of a remark, by presuppositions or by a BASE score."""
    if "score" in answer:
        return {**answer, "score": 6 - int(str(answer["score"]))}
    text = json.dumps(answer)
    if answer["probability"] == 0.9:
        for old, new in (('"standing": 2', '"standing": 4'), ('"true": 2', '"true": 4'),
                         ('"mostly"', '"topic_only"'), ("0.9", "0.1")):  # fmt: skip
            text = text.replace(old, new)
    else:
        for old, new in (('"standing": 4', '"standing": 2'), ('"true": 4', '"true": 2'),
                         ('"topic_only"', '"mostly"'), ("0.1", "0.9")):  # fmt: skip
            text = text.replace(old, new)
    return json.loads(text)  # type: ignore[no-any-return]


def turned(
    words: str, *, of: tuple[str, ...]
) -> Callable[[dict[str, object], int], web.Response | None]:
    """A judge who says the opposite of the remark with these words, in some kinds of replies."""

    def quirk(body: dict[str, object], _seen: int) -> web.Response | None:
        name, prompt = schema_name(body), "\n".join(contents(body))
        if name not in of:
            return None
        answer = ANSWERS[name](prompt)
        if name in ("ReviewRemarksReply", "BaseReviewReply"):
            remarks = dict(marked(prompt))
            points = answer["points"]
            assert isinstance(points, list)
            answer = {
                "points": [
                    {**(otherwise(one) if words in remarks[one["point"]] else one),
                     "point": one["point"]}
                    for one in points
                ]
            }  # fmt: skip
        elif words in fenced(prompt, "remark") or words in fenced(prompt, "weakness"):
            answer = (
                {**answer, "factuality": 6 - int(str(answer["factuality"]))}
                if "factuality" in answer
                else otherwise(answer)
            )
        return web.json_response(completion(json.dumps(answer), key="x" * 16, size=9))

    return quirk


def edited(tmp_path: Path, server: Loopback, **flags: object) -> MovingVenue:
    """A venue in whose first review a point is new since the audit."""
    venue = MovingVenue(tmp_path, server, **flags)
    venue.next_day()
    venue.asked()
    venue.write("r1", weaknesses=listed(LAYERS, COUNTRY, DENSE), questions=NEW)
    return venue


@pytest.mark.parametrize("flags", [WHOLE, BASE], ids=["presupposition", "economy"])
def test_an_edited_review_is_asked_as_a_whole_and_unchanged_points_keep_their_verdicts(
    tmp_path: Path, server: Loopback, flags: dict[str, object]
) -> None:
    venue = edited(tmp_path, server, **flags)
    before = venue.points

    assert venue.next_day().new == 1
    asked = venue.asked()
    assert asked["ReviewRemarksReply"] + asked["BaseReviewReply"] == 1
    for text in (LAYERS, COUNTRY, DENSE):
        assert venue.points[text] == before[text]


@pytest.mark.parametrize("text", [DENSE, LAYERS])
def test_a_verdict_that_would_flip_is_asked_about_alone_and_stands_if_confirmed(
    tmp_path: Path, server: Loopback, text: str
) -> None:
    venue = edited(tmp_path, server, **WHOLE)
    before = venue.points
    server.quirk = turned(text, of=("ReviewRemarksReply",))
    venue.next_day()

    assert venue.points[text] == before[text]
    assert not venue.lines("syncs/0002/retired.jsonl")


@pytest.mark.parametrize(
    ("flags", "replies"),
    [
        (WHOLE, ("ReviewRemarksReply", "RemarkReply")),
        (BASE, ("BaseReviewReply", "FactualityReply")),
        ({**WHOLE, "second_look": "off"}, ("ReviewRemarksReply",)),
    ],
    ids=["presupposition", "economy", "no second looks"],
)
@pytest.mark.parametrize("text", [DENSE, LAYERS])
def test_a_verdict_that_is_not_confirmed_is_contested_and_the_old_score_is_kept(
    tmp_path: Path,
    server: Loopback,
    flags: dict[str, object],
    replies: tuple[str, ...],
    text: str,
) -> None:
    venue = edited(tmp_path, server, **flags, cache=False)
    before = venue.points
    server.quirk = turned(re.sub(r"\W+$", "", text), of=replies)
    venue.next_day()

    score = venue.points[text]
    assert before[text].misinformed in (True, False)
    assert score.misinformed is None
    assert (score.status, score.reason) == (Status.UNKNOWN, UnknownReason.CONTESTED)
    (retired,) = venue.lines("syncs/0002/retired.jsonl")
    assert retired["score"] == json.loads(before[text].model_dump_json())
    assert (retired["since"], retired["until"]) == (1, 2)
    for other in {LAYERS, COUNTRY, DENSE} - {text}:
        assert venue.points[other] == before[other]
    server.quirk = None
    venue.write("r1", weaknesses=listed(LAYERS, COUNTRY, DENSE), questions="Why ponds?")
    venue.next_day()
    assert venue.points[text].reason is UnknownReason.CONTESTED  # no later reply settles it


def test_a_point_that_a_model_split_off_stays_if_its_words_still_stand(
    tmp_path: Path, server: Loopback
) -> None:
    venue = MovingVenue(tmp_path, server, points="auto", **WHOLE)
    venue.next_day()
    before = venue.points
    venue.write("r1", weaknesses=listed(LAYERS, COUNTRY, NEW))
    # Its next split would join two points that stand, and has one that is new.
    joined = {"text": f"{LAYERS}\n- {COUNTRY}", "kind": "criticism", "type": "claim"}
    new = {"text": NEW, "kind": "criticism", "type": "claim"}

    def other_split(body: dict[str, object], _seen: int) -> web.Response | None:
        if schema_name(body) != "ReviewPointsReply":
            return None
        points = [{**one, "also": [], "lead_in": ""} for one in (joined, new)]
        text = json.dumps({"points": points})
        return web.json_response(completion(text, key="x" * 16, size=9))

    server.quirk = other_split
    venue.next_day()

    texts = sorted(venue.points.values(), key=lambda score: (score.review_id, score.ordinal))
    assert [score.text for score in texts if score.review_id == "r1"] == [LAYERS, COUNTRY, NEW]
    assert [score.number for score in texts if score.review_id == "r1"] == [1, 2, 3]
    assert venue.points[LAYERS].looks == before[LAYERS].looks
    assert [line["score"]["text"] for line in venue.lines("syncs/0002/retired.jsonl")] == [DENSE]  # type: ignore[index]
