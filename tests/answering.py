"""A second program that answers the prompts of an exchange folder: ``python -m tests.answering``.

It shares nothing with the audit but the folder. ``--follow`` goes on until it is killed.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from tests.loopback import ANSWERS


def answer(folder: Path) -> int:
    """Answer every prompt that has no reply yet; returns how many."""
    prompts, replies = folder / "prompts.jsonl", folder / "replies.jsonl"
    lines = prompts.read_bytes().splitlines(keepends=True) if prompts.is_file() else []
    asked = [json.loads(line) for line in lines if line.endswith(b"\n")]
    done = set()
    if replies.is_file():
        done = {json.loads(line)["prompt"] for line in replies.read_text().splitlines()}
    new = [one for one in asked if one["prompt"] not in done]
    with replies.open("a") as file:
        for one in new:
            text = "\n".join(message["content"] for message in one["messages"])
            reply = ANSWERS[one["record"]](text)
            line = {"prompt": one["prompt"], "reply": reply, "by": "a second program"}
            file.write(json.dumps(line) + "\n")
    return len(new)


def main() -> None:
    """Answer once, or until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--follow", action="store_true")
    options = parser.parse_args()
    print(answer(options.folder), "answered", flush=True)  # noqa: T201 - a program of its own
    while options.follow:
        time.sleep(0.1)
        answer(options.folder)


if __name__ == "__main__":
    main()
