"""``sf bench run --repeats N``: the same job with other seeds, where a seed changes anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.experiment import refuse, show_findings
from starforge.cli.output import note, print_json, say
from starforge.cli.session import open_client
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.evals import Pack
    from starforge.lab.context import PrepareContext
    from starforge.prepare import Prepared

SEED = "torch_random_seed"  # upstream's key of the parameter `seed`
GENERATION = "gen_kwargs"


def samples(prepared: Prepared) -> bool:
    """Say whether answers may be sampled: greedy ones, and likelihoods, are always the same.

    What a task of lm-eval does by itself isn't known before it runs; it may sample.
    """
    from starforge.checks.benchmarks import chosen_packs

    context = prepared.context
    assert context is not None
    asked = context.config.get(f"{GENERATION}.do_sample")
    if asked is None and context.config.get(f"{GENERATION}.temperature"):
        asked = True
    unknown = bool(context.config.get(GENERATION))  # lm-eval's own form, as one text
    return any(_samples(context, pack, asked, unknown) for pack in chosen_packs(context))


def _samples(context: PrepareContext, pack: Pack, asked: bool | None, unknown: bool) -> bool:
    from starforge.checks.benchmarks import EVALSCOPE, harness_of, has_own_items

    theirs = harness_of(context) == EVALSCOPE
    if not has_own_items(context, pack):  # evalscope is greedy unless a temperature is asked for
        return bool(asked) if theirs else asked is not False
    task = pack.task or {}
    if task.get("output_type") == "multiple_choice" and not theirs:
        return False
    if asked is not None:
        return asked
    return unknown or bool((task.get("generation_kwargs") or {}).get("do_sample"))


def run_repeats(
    prepare: Callable[[tuple[str, ...]], Prepared], repeats: int, *, as_json: bool, **what: Any
) -> None:
    """Submit the job ``repeats`` times, each with the next seed; once where all would be equal.

    ``prepare`` takes further ``--set`` values. Nothing is sent unless all of them are fine.
    """
    from starforge.client.submit import submit

    first = prepare(())
    if first.plan is None:
        refuse(first, as_json=as_json, hidden=True)
        raise click.exceptions.Exit(1)
    if not as_json:
        show_findings(first, err=True, hidden=True)
    if not samples(first):
        note(t("nothing is sampled, so repeats are equal: it runs once",
               "没有采样，重复的结果完全相同：只运行一次"))  # fmt: skip
        repeats = 1
    assert first.context is not None
    start = int(first.context.config.get(SEED) or 0)
    made = [((f"seed={start + number}",), number) for number in range(repeats)]
    prepared = [(prepare(sets), sets, number) for sets, number in made]
    jobs = []
    with open_client() as client:
        for one, sets, number in prepared:
            sending = what | {"sets": (*what["sets"], *sets)}
            for name in ("name", "key"):
                if sending[name] and repeats > 1:
                    sending[name] = f"{sending[name]}-{number + 1}"
            job = submit(client, one, **sending)
            jobs.append(job)
            if not as_json:
                say(t("submitted as job {id} ({sets})", "已提交为任务 {id}（{sets}）",
                      id=job.id, sets=sets[0]))  # fmt: skip
    if as_json:
        print_json(jobs)
