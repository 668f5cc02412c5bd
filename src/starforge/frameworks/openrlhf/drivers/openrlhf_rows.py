"""Rows in StarForge's form as the rows that OpenRLHF reads. Pure; standard library only."""

from __future__ import annotations

import json
from typing import Any

Row = dict[str, Any]


class RowError(Exception):
    """A row that the settings of the job give no meaning to. Holds English and Chinese."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en)
        self.en = en
        self.zh = zh


def instruction(row: Row, *, chat: bool, pretrain: bool) -> Row:
    """Return ``input`` (text or turns) and, for texts with an answer, ``output``."""
    if pretrain:
        if not isinstance(row.get("text"), str):
            raise RowError("pretrain_mode needs a column `text`", "pretrain_mode 需要 `text` 列")
        return {"input": row["text"]}
    if "messages" not in row and "prompt" not in row:
        raise RowError(
            "it has neither `messages` nor `prompt` and `completion`; plain text needs "
            "pretrain_mode",
            "既没有 `messages`，也没有 `prompt` 和 `completion`；纯文本需要 pretrain_mode",
        )
    if chat:
        both = [*turns(row.get("prompt"), "user"), *turns(row.get("completion"), "assistant")]
        conversation = turns(row["messages"], "user") if "messages" in row else both
        if not conversation or conversation[-1]["role"] != "assistant":
            raise RowError("its last turn is not the assistant's", "最后一个回合不是助手的")
        return {"input": conversation}
    return {"input": plain(row.get("prompt")), "output": plain(row.get("completion"))}


def preference(row: Row, *, chat: bool) -> Row:
    """Return ``prompt``, ``chosen`` and ``rejected``: three lists of turns, or three texts."""
    if not chat:
        texts = {name: plain(row.get(name, "")) for name in ("prompt", "chosen", "rejected")}
        return texts | _margin(row)
    chosen, rejected = turns(row["chosen"], "assistant"), turns(row["rejected"], "assistant")
    if "prompt" in row:
        prompt = turns(row["prompt"], "user")
    else:
        count = common_turns(chosen, rejected)
        prompt, chosen, rejected = chosen[:count], chosen[count:], rejected[count:]
    if not prompt:
        raise RowError(
            "chosen and rejected share no prompt; add a column `prompt`",
            "chosen 和 rejected 没有共同的提示，请添加 `prompt` 列",
        )
    return {"prompt": prompt, "chosen": chosen, "rejected": rejected} | _margin(row)


def common_turns(chosen: list[Row], rejected: list[Row]) -> int:
    """Return how many turns two conversations begin with alike; each keeps an answer."""
    count = 0
    for ours, theirs in zip(chosen[:-1], rejected[:-1], strict=False):
        if ours != theirs:
            break
        count += 1
    return count


def verifiable(row: Row, *, chat: bool, place: Row | None = None) -> Row:
    """Return ``input`` and a ``label`` that holds every column for the reward function.

    ``place`` is what samples say of the row: its ``split`` and number (``row``).
    """
    prompt = row["prompt"]
    columns = {name: value for name, value in row.items() if name != "prompt"}
    told = {"prompt": prompt, "columns": columns} | (place or {})
    label = json.dumps(told, ensure_ascii=False)
    made = {"input": turns(prompt, "user") if chat else plain(prompt), "label": label}
    # Upstream names the curves of validation by it.
    source = row.get("datasource")
    return made | ({"datasource": source} if isinstance(source, str) else {})


def turns(value: Any, role: str) -> list[Row]:
    """Return a text as one turn of ``role``, and a list of messages as it is."""
    if value is None:
        return []
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    return [dict(message) for message in value]


def plain(value: Any) -> str:
    """Return a text; messages need the chat template."""
    if isinstance(value, str):
        return value
    raise RowError(
        "it holds messages, which need apply_chat_template",
        "它是对话消息，需要开启 apply_chat_template",
    )


def _margin(row: Row) -> Row:
    return {"margin": row["margin"]} if isinstance(row.get("margin"), int | float) else {}
