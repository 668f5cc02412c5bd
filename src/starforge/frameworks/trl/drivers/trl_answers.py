"""Prompts and answers of rows, whether they are texts or messages."""

from __future__ import annotations

from typing import Any


def prompt_of(row: dict[str, Any]) -> tuple[Any, str]:
    """Return ``(prompt, reference)`` of a row: messages or text, and the good answer it holds."""
    if "messages" in row:
        turns = list(row["messages"])
        last = turns.pop() if turns and turns[-1].get("role") == "assistant" else {}
        return turns, str(last.get("content") or "")
    if "chosen" in row:
        prompt, chosen, _ = pair_of(row)
        return prompt, text_of(chosen)
    if "prompt" in row:
        good = row.get("label", True)
        return row["prompt"], text_of(row.get("completion", "")) if good else ""
    text = str(row.get("text", ""))
    half = len(text) // 2
    return text[:half], text[half:]


def pair_of(row: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return ``(prompt, chosen, rejected)`` of a preference row.

    Without a prompt of its own, it is what the two conversations (or texts) begin with.
    """
    chosen, rejected = row["chosen"], row["rejected"]
    if "prompt" in row:
        return row["prompt"], chosen, rejected
    same = 0
    for left, right in zip(chosen, rejected, strict=False):
        if left != right:
            break
        same += 1
    return chosen[:same], chosen[same:], rejected[same:]


def text_of(answer: Any) -> str:
    """Return an answer as text, whether it is written as text or as messages."""
    if isinstance(answer, list):
        return "\n".join(str(turn.get("content") or "") for turn in answer)
    return str(answer)


def render(tokenizer: Any, prompt: Any) -> str:
    """Return a prompt as the text that the model is given."""
    if isinstance(prompt, str):
        return prompt
    return tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)
