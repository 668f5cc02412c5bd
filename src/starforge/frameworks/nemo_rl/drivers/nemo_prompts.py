"""From a row to what NeMo-RL samples from: the tokens of a prompt, and what judges need."""

from __future__ import annotations

import json
from typing import Any

COLUMNS = "starforge_columns"
# What the teacher of self-distillation reads besides the problem. English, as most solutions;
# the language of the answer follows the problem.
WITH_SOLUTION = (
    "{prompt}\n\nA reference solution, for your eyes only:\n{solution}\n\n"
    "With it in mind, solve the problem yourself and write out your own reasoning."
)


def process(datum, _spec, tokenizer, max_length, index) -> dict[str, Any]:
    """Return upstream's ``DatumSpec`` of one row.

    A prompt that is too long is cut to a few tokens and left out of the loss, as upstream's
    own processors do.
    """
    row = json.loads(datum[COLUMNS])
    messages = datum["messages"]
    text, tokens = encode(tokenizer, messages)
    length, weight = len(tokens), 1.0
    if max_length is not None and length >= max_length:
        tokens, weight = tokens[: min(4, max_length)], 0.0
    extra: dict[str, Any] = {
        "prompt": row.get("prompt"),
        "columns": {name: value for name, value in row.items() if name != "prompt"},
        # What upstream's math environment compares with.
        "ground_truth": row.get("answer"),
    }
    if "solution" in row:
        informed = with_solution(messages, str(row["solution"]))
        extra["teacher_prompt"] = encode(tokenizer, informed)[1].tolist()
    return {
        "message_log": [{"role": "user", "content": text, "token_ids": tokens}],
        "length": length,
        "extra_env_info": extra,
        "loss_multiplier": weight,
        "idx": index,
        "task_name": datum["task_name"],
    }


def encode(tokenizer, messages: list[dict[str, Any]]) -> tuple[str, Any]:
    """Return a conversation as the model reads it: its text, and a tensor of its tokens."""
    text = tokenizer.apply_chat_template(
        messages, tokenize=False, add_generation_prompt=True, add_special_tokens=False
    )
    tokens = tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"][0]
    return text, tokens


def with_solution(messages: list[dict[str, Any]], solution: str) -> list[dict[str, Any]]:
    """Return the messages with the solution in the last turn."""
    *before, last = messages
    told = WITH_SOLUTION.format(prompt=last["content"], solution=solution)
    return [*before, {**last, "content": told}]
