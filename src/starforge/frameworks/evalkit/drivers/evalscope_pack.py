"""Put a pack with items of its own into evalscope, as a benchmark of its registry.

evalscope asks, keeps and sums up. What a pack says in lm-eval's words (how an item reads,
what is cut out of an answer, what counts as right) is read by lm-eval itself, so that the
same pack asks and scores the same with both. Multiple choice is the exception: lm-eval
compares the likelihood of the options, evalscope lists them with letters and reads a letter
out of the answer.
"""

from __future__ import annotations

import json
import random
import statistics
from typing import Any

from eval_metrics import REWARDS
from eval_settings import item_digest
from eval_tasks import task_spec
from evalscope.api.benchmark import BenchmarkMeta, DefaultDataAdapter, MultiChoiceAdapter
from evalscope.api.dataset import DatasetDict, MemoryDataset, Sample
from evalscope.api.messages import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from evalscope.api.metric import AggScore, Score
from evalscope.api.metric.semantics import MetricSelector
from evalscope.api.registry import register_benchmark
from evalscope.metrics.semantics.catalog import METRIC_DEFINITIONS
from evalscope.metrics.semantics.entry import MetricEntry
from evalscope.utils.multi_choices import MultipleChoiceTemplate, answer_character
from job_files import JobError
from lm_eval.evaluator_utils import get_sample_size
from lm_eval.tasks import TaskManager

from starforge.lang import t

ANSWER = 256  # tokens: lm-eval's limit of an answer when neither pack nor user set one
CHOICE = "multiple_choice"
ITEM = "starforge_item"  # among the metadata of an item: its digest
_ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


class PackTask:
    """A pack's task as lm-eval reads it, with the settings of the job."""

    def __init__(
        self, benchmark: dict[str, Any], asking: dict[str, Any], limit: int | float | None
    ) -> None:
        (self.task,) = TaskManager().load([task_spec(benchmark)])["tasks"].values()
        self.benchmark = benchmark
        self.asking = asking
        self.limit = get_sample_size(self.task, limit)
        self.primary = (benchmark["primary"]["metric"], benchmark["primary"]["filter"])
        self._set_shots()

    @property
    def is_choice(self) -> bool:
        """Whether an item is a choice between options."""
        return bool(self.task.OUTPUT_TYPE == CHOICE)

    @property
    def generation(self) -> dict[str, Any]:
        """What the pack says of generation, in evalscope's words."""
        said = {} if self.is_choice else dict(self.task.config.generation_kwargs or {})
        until = said.pop("until", None) or []
        found = {"max_tokens": said.pop("max_gen_toks", ANSWER)}
        found |= {key: said[key] for key in ("do_sample", "temperature", "top_p", "top_k")
                  if said.get(key) is not None}  # fmt: skip
        stops = [until] if isinstance(until, str) else list(until)
        return found | ({"stop_seqs": stops} if stops else {})

    def _set_shots(self) -> None:
        """Set the number of examples as lm-eval does: a task defined with none keeps none."""
        defined, wanted = self.task.get_config("num_fewshot"), self.asking["few_shot"]
        if wanted is not None and defined != 0:
            defined = wanted
        self.shots = defined or 0
        self.task.set_config(key="num_fewshot", value=self.shots)
        self.task.set_fewshot_seed(seed=self.asking["few_shot_seed"])

    def instances(self) -> list[Any]:
        """Return lm-eval's requests, one an item; their prompts are messages as JSON."""
        templated = self.asking["templated"]
        self.task.build_all_requests(
            limit=self.limit, rank=0, world_size=1, apply_chat_template=templated,
            fewshot_as_multiturn=self.asking["as_turns"] and templated,
            system_instruction=self.asking["system_prompt"],
            chat_template=_as_json if templated else None,
        )  # fmt: skip
        return list(self.task.instances)

    def scores(self, instance: Any, answer: str) -> dict[tuple[str, str], Any]:
        """Return an answer's score by metric and filter; what the filter left is under ``""``."""
        found: dict[tuple[str, str], Any] = {}
        instance.resps = [answer]
        for ensemble in self.task._filters:
            ensemble.apply([instance])
            left = instance.filtered_resps[ensemble.name]
            found["", ensemble.name] = left
            for metric, value in self.task.process_results(instance.doc, [left]).items():
                found[metric, ensemble.name] = value
        return found


def _as_json(history: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
    """Stand in for a chat template: the messages themselves, for evalscope to put into one."""
    return json.dumps(history)


class GenerationPack(DefaultDataAdapter):  # type: ignore[misc]
    """Items that are answered in words."""

    pack: PackTask

    def load(self) -> tuple[Any, None]:
        """Return the items with their prompts."""
        self.asked = {instance.doc_id: instance for instance in self.pack.instances()}
        samples = [
            Sample(input=self._messages(one.args[0]), id=number, group_id=number,
                   target=str(self.pack.task.doc_to_target(one.doc)),
                   metadata=_about(one.doc, one.doc_id))
            for number, one in self.asked.items()
        ]  # fmt: skip
        return DatasetDict({"default": MemoryDataset(samples)}), None

    def _messages(self, prompt: str) -> list[Any]:
        if not self.pack.asking["templated"]:
            return [ChatMessageUser(content=prompt)]
        return [_ROLES[one["role"]](content=one["content"]) for one in json.loads(prompt)]

    def match_score(
        self, original_prediction: str, filtered_prediction: str, reference: str, task_state: Any
    ) -> Score:
        """Score one answer after every filter of the pack."""
        found = self.pack.scores(self.asked[task_state.sample_id], original_prediction)
        left = found.get(("", self.pack.primary[1]), original_prediction)
        values = {_key(*pair): float(value) for pair, value in found.items() if pair[0]}
        return Score(
            value=values, prediction=original_prediction, extracted_prediction=str(left),
            main_score_name=_key(*self.pack.primary),
        )  # fmt: skip

    def aggregate_scores(self, sample_scores: list[Any]) -> list[AggScore]:
        """Return the mean of every metric and filter."""
        values: dict[str, list[float]] = {}
        for one in sample_scores:
            for key, value in one.score.value.items():
                values.setdefault(key, []).append(value)
        return [
            AggScore(score=statistics.fmean(found), metric_name=key.partition("@")[0],
                     aggregation="mean", dimensions={"filter": key.partition("@")[2]},
                     num=len(found), ids=[one.sample_id for one in sample_scores])
            for key, found in values.items()
        ]  # fmt: skip


class ChoicePack(MultiChoiceAdapter):  # type: ignore[misc]
    """Items with options, one of them right, asked in evalscope's form."""

    pack: PackTask

    def load(self) -> tuple[Any, None]:
        """Return the items with their options."""
        docs = list(self.pack.task.eval_docs)
        self.items = [self._sample(number, doc) for number, doc in enumerate(docs)]
        self.examples = {one.id: self.sample_to_fewshot(one) for one in self.items}
        return DatasetDict({"default": MemoryDataset(self.items[: self.pack.limit])}), None

    def _sample(self, number: int, doc: dict[str, Any]) -> Sample:
        task = self.pack.task
        form = (self.pack.benchmark.get("evalscope") or {}).get("question")
        question = task.doc_to_text(doc, form) if form else task.doc_to_text(doc)
        choices = [str(one) for one in task.doc_to_choice(doc)]
        right = index_of(task.doc_to_target(doc), choices)
        if right is None:
            raise JobError(
                t("item {id} of {name}: the right answer is none of its {count} choices",
                  "{name} 的题目 {id}：正确答案不在它的 {count} 个选项之中",
                  name=self.pack.benchmark["name"], id=_id_of(doc, number), count=len(choices))
            )  # fmt: skip
        return Sample(
            input=str(question), choices=choices, target=answer_character(right), id=number,
            group_id=number, metadata=_about(doc, number),
        )  # fmt: skip

    def process_sample_input(self, sample: Sample, subset: str) -> str:
        """Write a question, after examples that are never the item itself."""
        if not self.pack.shots:
            return str(self.format_prompt_template(sample))
        others = [number for number in self.examples if number != sample.id]
        rng = random.Random(f"{self.pack.asking['few_shot_seed']}-{sample.id}")  # noqa: S311
        shown = rng.sample(others, min(self.pack.shots, len(others)))
        examples = "\n\n".join(str(self.examples[number]) for number in shown)
        return str(self.format_fewshot_template(examples, sample))


def index_of(right: Any, choices: list[str]) -> int | None:
    """Return which choice is right: a task names it by number or by its text."""
    if isinstance(right, int):
        return right if 0 <= right < len(choices) else None
    return choices.index(str(right)) if str(right) in choices else None


def _key(metric: str, filter_name: str) -> str:
    return f"{metric}@{filter_name}"


def _id_of(doc: dict[str, Any], number: int) -> str:
    return str(doc.get("id", number))


def _about(doc: dict[str, Any], number: int) -> dict[str, str]:
    """Return by what an item is known in the results."""
    return {"id": _id_of(doc, number), ITEM: item_digest(doc)}


def register(pack: PackTask) -> str:
    """Register a pack with evalscope and return the name it has there."""
    name = f"starforge_{pack.benchmark['name']}"
    base: Any = ChoicePack if pack.is_choice else GenerationPack
    chinese = pack.benchmark.get("languages") == ["zh"]
    template = (
        MultipleChoiceTemplate.CHINESE_SINGLE_ANSWER_TEMPLATE
        if chinese
        else MultipleChoiceTemplate.SINGLE_ANSWER
    )
    # evalscope takes no score for the primary one whose meaning it does not know.
    for reward in REWARDS:
        METRIC_DEFINITIONS.setdefault(reward, MetricEntry(baseline="quality.accuracy.ratio"))
    metric, filter_name = pack.primary
    chosen = MetricSelector(name=metric, aggregation="mean", dimensions={"filter": filter_name})
    meta = BenchmarkMeta(
        name=name, dataset_id=pack.benchmark["rows"], pretty_name=pack.benchmark["name"],
        description="A pack of StarForge.",
        eval_split="test", system_prompt=pack.asking["system_prompt"] if pack.is_choice else None,
        prompt_template=template if pack.is_choice else "{question}",
        metric_list=["acc"] if pack.is_choice else [metric],
        primary_metric=None if pack.is_choice else chosen,
    )  # fmt: skip
    register_benchmark(meta)(type("Registered", (base,), {"pack": pack}))
    return name
