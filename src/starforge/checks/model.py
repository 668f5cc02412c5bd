"""Checks of a model folder on this machine: config, weights, tokenizer, chat template."""

from __future__ import annotations

import json
import struct
from pathlib import Path

from starforge.checks import rules_model as rules
from starforge.checks.files import first_row, read_json
from starforge.findings import Finding
from starforge.i18n import Text
from starforge.lab.context import DataSource, PrepareContext

TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model")
MAX_HEADER = 100_000_000  # bytes; a larger header of a safetensors file is a damaged one


def check_model(context: PrepareContext) -> list[Finding]:
    """Return what is wrong with the model folder; other kinds of models can't be looked at."""
    folder = context.model_path
    if folder is None or not folder.is_dir() or context.recipe.runtime == "none":
        return []
    at, model = context.at("model"), context.experiment.model or str(folder)
    if not (folder / "config.json").exists():
        return [rules.NO_CONFIG.at(at, model=model, way=_way_without_config(folder))]
    findings = []
    problem = _config_problem(folder / "config.json")
    if problem is not None:
        findings.append(rules.BAD_CONFIG.at(at, model=model, problem=problem))
    files, missing = weight_files(folder)
    if missing is not None:
        findings.append(rules.NO_WEIGHTS.at(at, model=model, problem=missing))
    findings += [
        rules.DAMAGED_WEIGHTS.at(at, model=model, file=file.name)
        for file in files
        if file.suffix == ".safetensors" and not safetensors_whole(file)
    ]
    if not any((folder / name).exists() for name in TOKENIZERS):
        findings.append(rules.NO_TOKENIZER.at(at, model=model))
    elif needs_template(context) and not has_chat_template(folder):
        findings.append(rules.NO_CHAT_TEMPLATE.at(at, model=model))
    return findings


def _way_without_config(folder: Path) -> Text:
    if (folder / "adapter_config.json").exists():
        return Text("it holds an adapter only: merge it into its base model first",
                    "其中只有适配器：请先合并进基座模型")  # fmt: skip
    if any(folder.glob("*.gguf")):
        return Text("it holds GGUF files: convert them to a Hugging Face folder first",
                    "其中是 GGUF 文件：请先转换成 Hugging Face 格式的目录")  # fmt: skip
    framework = checkpoint_of(folder)
    if framework is not None:
        return Text(f"it is a checkpoint of {framework}: name the job that wrote it, `job:ID`",
                    f"这是 {framework} 的检查点：请用 `job:ID` 引用写出它的任务")  # fmt: skip
    inner = next((path.parent for path in sorted(folder.glob("*/config.json"))), None)
    if inner is not None:
        return Text(f"did you mean its folder `{inner.name}`?", f"是不是指其中的 `{inner.name}`？")
    return Text("name a folder in Hugging Face format, a hub id, or a registered model",
                "请指定 Hugging Face 格式的目录、模型库 ID 或已登记的模型")  # fmt: skip


# How checkpoints that only their framework reads are recognised: itself, or what lies in it.
_CHECKPOINTS = {
    "verl": ("model_world_size_*_rank_*.pt", "actor/model_world_size_*_rank_*.pt",
             "*/actor/model_world_size_*_rank_*.pt", "global_step_*/model_world_size_*_rank_*.pt"),
    "DeepSpeed": ("mp_rank_*_model_states.pt", "*/mp_rank_*_model_states.pt",
                  "_actor/*/mp_rank_*_model_states.pt"),
    "NeMo-RL": ("training_info.json", "step_*/training_info.json"),
}  # fmt: skip


def checkpoint_of(folder: Path) -> str | None:
    """Return which framework's own checkpoint a folder without config.json is, if any."""
    for framework, patterns in _CHECKPOINTS.items():
        if any(next(folder.glob(pattern), None) is not None for pattern in patterns):
            return framework
    return None


def _config_problem(file: Path) -> Text | None:
    config = read_json(file)
    if not isinstance(config, dict):
        return Text("not a readable JSON object", "不是可读的 JSON 对象")
    if not config.get("architectures"):
        return Text("it names no `architectures`", "没有写明 `architectures`")
    return None


def weight_files(folder: Path) -> tuple[list[Path], Text | None]:
    """Return the weight files of a model folder, and what is missing of them."""
    for index in ("model.safetensors.index.json", "pytorch_model.bin.index.json"):
        if (folder / index).exists():
            return _sharded(folder, folder / index)
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (folder / name).exists():
            return [folder / name], None
    return [], Text("there are no weights (model.safetensors)", "没有 model.safetensors")


def _sharded(folder: Path, index: Path) -> tuple[list[Path], Text | None]:
    content = read_json(index)
    shards = content.get("weight_map") if isinstance(content, dict) else None
    if not isinstance(shards, dict):
        return [], Text(f"{index.name} can't be read", f"{index.name} 无法读取")
    names = sorted({str(name) for name in shards.values()})
    files = [folder / name for name in names if (folder / name).is_file()]
    missing = [name for name in names if not (folder / name).is_file()]
    if not missing:
        return files, None
    return files, Text(
        f"{len(missing)} of {len(names)} weight files are missing: {', '.join(missing[:3])}",
        f"{len(names)} 个权重文件缺少 {len(missing)} 个：{'、'.join(missing[:3])}",
    )


def weight_bytes(folder: Path) -> int:
    """Return the size of a model's weights in bytes (0 when there are none)."""
    return sum(file.stat().st_size for file in weight_files(folder)[0])


def parameter_count(folder: Path) -> int:
    """Return about how many parameters a model has, by its files (0 without weights).

    Weights of 16 bit are taken for granted unless config.json says 32.
    """
    config = read_json(folder / "config.json")
    said = config if isinstance(config, dict) else {}
    dtype = str(said.get("dtype") or said.get("torch_dtype") or "")
    return weight_bytes(folder) // (4 if dtype.endswith("float32") else 2)


def safetensors_whole(file: Path) -> bool:
    """Say whether a safetensors file is as long as its own header says."""
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > min(size - 8, MAX_HEADER):
                return False
            header = json.loads(stream.read(length))
        ends = [v["data_offsets"][1] for k, v in header.items() if k != "__metadata__"]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, struct.error):
        return False
    return bool(size == 8 + length + max(ends, default=0))


def has_chat_template(folder: Path) -> bool:
    """Say whether the tokenizer of a folder has a chat template."""
    if (folder / "chat_template.jinja").exists() or (folder / "chat_template.json").exists():
        return True
    if (folder / "additional_chat_templates").is_dir():
        return True
    config = read_json(folder / "tokenizer_config.json")
    return isinstance(config, dict) and bool(config.get("chat_template"))


def needs_template(context: PrepareContext) -> bool:
    """Say whether the job must turn messages into text without a template of the experiment."""
    if context.parameter("chat_template") or "chat_template" not in context.config.paths:
        return False
    return any(conversational(source) for source in context.data.values())


def conversational(source: DataSource) -> bool:
    """Say whether a split holds messages, by its first row."""
    row = first_row(source)
    return any(isinstance(row.get(c), list) for c in ("messages", "prompt", "chosen"))
