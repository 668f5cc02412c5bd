"""On-policy self-distillation on NeMo-RL: the teacher sees the reference solution.

After "Self-Distilled Reasoner" (arXiv 2601.18734): one model is student and teacher, and only
the teacher's prompt holds the solution. The student answers; the teacher reads the same answer
after its own, longer prompt; at every token of the answer the student learns the teacher's
distribution. The teacher is the model as it was at the start (upstream keeps it frozen).

Upstream asks its teacher for the top tokens of the student's own batch. Here the batch is
rebuilt with the teacher's prompts, and what the teacher says is moved to the positions where
the same token stands for the student.

What has run: this arithmetic, on CPU. No training on GPUs.
"""

from __future__ import annotations

from typing import Any

import nemo_hooks


def cut(prompt: list[int], answer: list[int], limit: int) -> tuple[list[int], int]:
    """Return the teacher's tokens, at most ``limit``, and where the answer begins in them.

    What is too long loses the front of its prompt; the answer always stays whole when it
    fits, and one token of the prompt stays before it, which predicts its first token.
    """
    room = max(1, limit - len(answer))
    kept = prompt[-room:]
    return kept + answer, len(kept)


def teacher_rows(
    student: Any, lengths: Any, answers: Any, prompts: list[list[int]], limit: int
) -> tuple[list[list[int]], list[tuple[int, int, int]]]:
    """Return the teacher's rows, and (student's start, teacher's start, length) of each answer.

    ``student`` [B, S] are the student's tokens and ``lengths`` [B] how many are real;
    ``answers`` [B, S] is 1 on the tokens of the answer, which stand in one piece.
    """
    rows, places = [], []
    for index, prompt in enumerate(prompts):
        length = int(lengths[index])
        mask = [int(one) for one in answers[index][:length]]
        count = sum(mask)
        start = mask.index(1) if count else length
        tokens = [int(one) for one in student[index][start : start + count]]
        row, begin = cut(prompt, tokens, limit)
        rows.append(row)
        places.append((start, begin, count))
    return rows, places


def align(logits: Any, indices: Any, places: list[tuple[int, int, int]], width: int) -> Any:
    """Move the teacher's top tokens [B, T, k] to the student's positions [B, width, k].

    Position t speaks about token t + 1, so the answer's first token is judged one position
    before it. Positions outside of the answer hold zeros; the loss leaves them out.
    """
    import torch

    batch, span, k = logits.shape
    moved = torch.zeros(batch, width, k, dtype=logits.dtype, device=logits.device)
    tokens = torch.zeros(batch, width, k, dtype=indices.dtype, device=indices.device)
    tokens[:] = torch.arange(k, dtype=indices.dtype, device=indices.device)
    for index, (start, begin, count) in enumerate(places):
        # Without a token before it nothing speaks about the first one.
        skip = 1 if min(start, begin) == 0 else 0
        here, there = start - 1 + skip, begin - 1 + skip
        length = max(0, min(count - skip + 1, width - here, span - there))
        moved[index, here : here + length] = logits[index, there : there + length]
        tokens[index, here : here + length] = indices[index, there : there + length]
    return moved, tokens


class InformedTeacher:
    """Upstream's teacher policy, asked with the solution in its prompts.

    ``remembered`` holds what the newest rollout knew of its rows, in the rows' order.
    """

    def __init__(self, teacher: Any, remembered: dict[str, Any], options: dict[str, int]) -> None:
        self._teacher = teacher
        self._remembered = remembered
        self._options = options

    def __getattr__(self, name: str) -> Any:
        return getattr(self._teacher, name)

    def get_topk_logits(self, data, k, micro_batch_size=None, timer=None):
        """Return the teacher's top ``k`` at the student's positions."""
        prompts = [row["teacher_prompt"] for row in self._remembered["rows"]]
        rows, places = teacher_rows(
            data["input_ids"], data["input_lengths"], data["token_mask"], prompts,
            self._options["limit"],
        )  # fmt: skip
        asked = self._batch(data, rows)
        top = self._teacher.get_topk_logits(
            asked, k=k, micro_batch_size=micro_batch_size, timer=timer
        )
        width = data["input_ids"].shape[1]
        logits, indices = align(top["topk_logits"], top["topk_indices"], places, width)
        top["topk_logits"], top["topk_indices"] = logits, indices
        return top

    def _batch(self, data, rows: list[list[int]]) -> Any:
        import torch

        multiple = max(1, self._options["multiple"])
        width = max(len(row) for row in rows)
        width += -width % multiple
        ids = torch.full((len(rows), width), self._options["pad"], dtype=data["input_ids"].dtype)
        mask = torch.zeros(len(rows), width, dtype=data["token_mask"].dtype)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = torch.tensor(row, dtype=ids.dtype)
            mask[index, : len(row)] = 1
        return type(data)({
            "input_ids": ids,
            "input_lengths": torch.tensor([len(row) for row in rows], dtype=torch.long),
            "token_mask": mask,
            "sample_mask": data["sample_mask"],
        })  # fmt: skip


def install() -> None:
    """Wrap upstream's rollouts, to remember their rows, and its teacher."""
    from nemo_rl.algorithms import distillation

    remembered: dict[str, Any] = {}
    for name in ("run_multi_turn_rollout", "run_async_multi_turn_rollout"):
        rollout = getattr(distillation, name)
        nemo_hooks.patch(distillation, name, _remembering(rollout, remembered))
    setup = distillation.setup

    def with_teacher(config, tokenizer, *args, **more):
        made = list(setup(config, tokenizer, *args, **more))
        teacher = config.teacher
        options = {
            "limit": int(teacher["max_total_sequence_length"]),
            "multiple": int(teacher["make_sequence_length_divisible_by"]),
            "pad": int(tokenizer.pad_token_id),
        }
        made[1] = InformedTeacher(made[1], remembered, options)
        return tuple(made)

    nemo_hooks.patch(distillation, "setup", with_teacher)


def _remembering(rollout: Any, remembered: dict[str, Any]) -> Any:
    def run(*args, **more):
        # Kept from before: the rollout itself may drop what it knew of finished rows.
        batch = more.get("input_batch", args[1] if len(args) > 1 else None)
        remembered["rows"] = list(batch["extra_env_info"])
        return rollout(*args, **more)

    return run
