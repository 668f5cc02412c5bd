"""The model that evalscope asks: its own local model, loaded from a folder or hub id.

Only loading and the form of a prompt are ours. evalscope's constructor always runs code that
comes with a model, fetches from a hub of its own, and knows neither adapters nor a limit of
the prompt; generation, with its batches, is evalscope's.
"""

from __future__ import annotations

from typing import Any

import jinja2
import torch
from eval_model import check_chat_template, loading, pick_device
from evalscope.api.model import GenerateConfig, ModelAPI
from evalscope.models.modelscope import ModelScopeAPI
from job_files import JobError
from lm_eval.models.utils import postprocess_generated_text, resolve_max_length
from transformers import StoppingCriteria, StoppingCriteriaList

from starforge.lang import t


class LocalModel(ModelScopeAPI):  # type: ignore[misc]
    """A causal language model on this machine.

    ``template_text`` is the chat template in use, ``None`` when prompts go in as they are.
    """

    def __init__(self, model: str, settings: dict[str, Any]) -> None:
        ModelAPI.__init__(self, model_name=model, config=GenerateConfig())
        self.settings = settings
        self.device = pick_device()
        trust = bool(settings.get("trust_remote_code", False))
        with loading(model):
            self.tokenizer = self._load_tokenizer(settings.get("tokenizer_path") or model, trust)
            self.model = self._load_weights(model, trust)
        if settings.get("chat_template"):
            self.tokenizer.chat_template = settings["chat_template"]
        self.template_text = check_chat_template(
            self.tokenizer, settings.get("apply_chat_template", False)
        )
        self.enable_thinking = settings.get("enable_thinking")
        self.tokenizer_call_args: dict[str, Any] = {}
        self._stop_where_the_tokenizer_ends()

    def _load_tokenizer(self, place: str, trust: bool) -> Any:
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(place, trust_remote_code=trust)
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.unk_token or tokenizer.eos_token
        tokenizer.padding_side = tokenizer.truncation_side = "left"
        return tokenizer

    def _load_weights(self, model: str, trust: bool) -> Any:
        from transformers import AutoModelForCausalLM

        spread = self.settings.get("device_map")
        where = {"device_map": spread} if spread else {}
        weights = AutoModelForCausalLM.from_pretrained(
            model, dtype=self.settings.get("precision") or "auto", trust_remote_code=trust, **where
        )
        adapter = self.settings.get("peft")
        if adapter:
            from peft import PeftModel

            weights = PeftModel.from_pretrained(weights, adapter)
        return (weights if spread else weights.to(self.device)).eval()

    def _stop_where_the_tokenizer_ends(self) -> None:
        """End answers at the tokenizer's end of text too, which a model's own list may lack."""
        known = self.model.generation_config.eos_token_id
        ends = [] if known is None else known if isinstance(known, list) else [known]
        wanted = {*ends, self.tokenizer.eos_token_id} - {None}
        self.model.generation_config.eos_token_id = sorted(wanted) or None
        self.model.generation_config.pad_token_id = self.tokenizer.pad_token_id

    def prepare(self, answer: int) -> None:
        """Get ready for a benchmark with answers of at most ``answer`` tokens.

        Prompts are cut at the front so that both fit; a chat template that writes the first
        token itself does not get it twice.
        """
        longest = self.settings.get("max_length") or resolve_max_length(
            self.model.config, self.tokenizer
        )
        room = longest - answer
        if room <= 0:
            raise JobError(
                t("answers of {answer} tokens leave no room for a question in the {longest} "
                  "tokens that the model takes: lower max_new_tokens",
                  "模型最多接受 {longest} 个词元，{answer} 个词元的回答没有给题目留下空间："
                  "请调小 max_new_tokens", answer=answer, longest=longest)
            )  # fmt: skip
        self.tokenizer_call_args = {"truncation": True, "max_length": room}
        self.tokenizer_call_args |= self.settings.get("tokenizer_call_args") or {}
        first = self.tokenizer.bos_token
        if first and self.template_text and self._render([_user("?")]).startswith(first):
            self.tokenizer_call_args["add_special_tokens"] = False

    def ms_chat(self, messages: list[Any], tools: list[Any]) -> str:
        """Write the prompt: through the chat template, or the texts as they are."""
        if tools:
            return str(super().ms_chat(messages, tools))
        if self.template_text is None:
            return "\n\n".join(message.text for message in messages)
        history = [{"role": one.role, "content": one.text} for one in messages]
        try:
            return self._render(history)
        except jinja2.exceptions.TemplateError:
            # Some templates refuse a system message; lm-eval leaves it out then.
            return self._render([one for one in history if one["role"] != "system"])

    def _render(self, history: list[dict[str, str]]) -> str:
        goes_on = history[-1]["role"] == "assistant"
        switch = {} if self.enable_thinking is None else {"enable_thinking": self.enable_thinking}
        text = self.tokenizer.apply_chat_template(
            history, chat_template=self.template_text, tokenize=False,
            add_generation_prompt=not goes_on, continue_final_message=goes_on, **switch,
        )  # fmt: skip
        return str(text)

    def generate(self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> Any:
        """Generate with evalscope, and keep what comes before a stop and after the thoughts."""
        stops = config.stop_seqs or []
        if stops:
            ending = StoppingCriteriaList([StopInAnswer(self.tokenizer, stops)])
            extra = (config.extra_body or {}) | {"stopping_criteria": ending}
            config = config.model_copy(update={"stop_seqs": None, "extra_body": extra})
        output = super().generate(input, tools, tool_choice, config)
        for choice in output.choices:
            choice.message.content = postprocess_generated_text(
                choice.message.text, stops, self.settings.get("think_end_token")
            )
        return output


class StopInAnswer(StoppingCriteria):  # type: ignore[misc]
    """Ends an answer at a text in it.

    The criterion that evalscope takes from transformers sees the prompt as well: where that
    ends in a line feed and the stop is a blank line, an answer would end at its first one.
    """

    def __init__(self, tokenizer: Any, stops: list[str]) -> None:
        self.tokenizer = tokenizer
        self.stops = stops
        lengths = [len(tokenizer.encode(stop, add_special_tokens=False)) for stop in stops]
        self.lookback = max(lengths) + 2  # a token may hold more than the stop
        self.start: int | None = None

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        """Say for each row (batch, tokens) whether its answer holds a stop by now."""
        length = input_ids.shape[1]
        if self.start is None:
            self.start = length - 1
        tail = input_ids[:, max(self.start, length - self.lookback) :]
        texts = self.tokenizer.batch_decode(tail)
        ended = [any(stop in text for stop in self.stops) for text in texts]
        return torch.tensor(ended, device=input_ids.device)


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}
