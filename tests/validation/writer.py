"""A scripted writer and confirmer of planted remarks: what they answer to a prompt."""

from __future__ import annotations

from typing import Any

from tests.loopback import ANSWERS, Answer, best_sentence, fenced, paper_of
from tests.validation.invented import ABOUT, FOREIGN

OF_BELLS = "Tuning bells in a foundry may need hymns, of which nothing is known."
PARAPHRASE = "Put otherwise, this matter was left in the dark by everybody concerned."


def draft(**changes: Any) -> dict[str, Any]:
    """A remark about the first paper, as a writer gives it."""
    return drafts()[0] | changes


def drafts(paper: str = "") -> list[dict[str, Any]]:
    """The remarks about a paper by its text, as a writer gives them; without one, all of them."""
    return [
        {
            "form": form,
            "remark": remark,
            "paraphrase": PARAPHRASE,
            "fact": answer,
            "passages": [{"words": answer, "place": "main"}],
            "cuts": [{"words": answer, "within": "", "instead": ""}],
            "decoys": [" ".join(decoy.split())],
        }
        for _, form, answer, remark, decoy in ABOUT
        if answer in paper or not paper
    ]


def plant(prompt: str) -> Answer:
    """The first round: what is known of the paper."""
    wanted = "`fair` is asked for." in prompt
    fair = {"remark": FOREIGN, "paraphrase": PARAPHRASE, "fact": "It has no map."}
    other = {**fair, "remark": OF_BELLS}
    about = fair if "shrimps" in paper_of(prompt) else other
    return {"items": drafts(paper_of(prompt)), "fair": about if wanted else None}


def plant_again(prompt: str) -> Answer:
    """The second round: everything stays."""
    numbers = prompt.rpartition("Decide on each of these numbers: ")[2].partition(".")[0]
    return {
        "items": [
            {"number": int(number), "decision": "keep", "item": None}
            for number in numbers.split(", ")
        ]
    }


def confirm(prompt: str) -> Answer:
    """Whether the paper has a sentence with most of the remark's words."""
    quote, shared = best_sentence(paper_of(prompt), fenced(prompt, "remark"))
    foreign = shared == 0 and fenced(prompt, "remark") in (FOREIGN, OF_BELLS)
    answered = "yes" if shared >= 4 else "foreign" if foreign else "no"
    return {
        "reasoning": f"{shared} words shared.",
        "answered": answered,
        "passages": [quote] if answered == "yes" else [],
    }


ANSWERS.update({"PlantReply": plant, "PlantAgainReply": plant_again, "ConfirmReply": confirm})
