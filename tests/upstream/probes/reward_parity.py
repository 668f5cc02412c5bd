"""One framework's adapter of reward files, called as its trainer calls it; no training.

``reward_parity.py FRAMEWORK DRIVERS SHARED REWARD ROWS``: runs in the framework's runtime with
a job's library on ``PYTHONPATH``. A line of ROWS is a row with its ``completions``. Prints the
totals and parts of every completion as JSON. NeMo-RL's adapter runs in verl's runtime, with
stand-ins for the two base classes it takes from NeMo-RL.
"""

import json
import os
import sys
import tempfile
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FRAMEWORK, DRIVERS, SHARED, REWARD, ROWS = sys.argv[1:6]
sys.path[:0] = [DRIVERS, SHARED]
LINES = [json.loads(line) for line in Path(ROWS).read_text("utf-8").splitlines()]
GIVEN = [line.pop("completions") for line in LINES]
ATTEMPT = Path(os.environ["STARFORGE_ATTEMPT_DIR"])
EVERY = [(row, text) for row, texts in zip(LINES, GIVEN, strict=True) for text in texts]


def write_rows():
    """Write the job's data file."""
    data = Path(tempfile.mkdtemp()) / "train.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in LINES), "utf-8")
    return data


def trl():
    """A batch of all completions as messages, with the numbers of their rows."""
    import trl_rewards
    from reward_file import RewardFile

    rows = trl_rewards.Rows({"train": write_rows()})
    numbers = [number for number, texts in enumerate(GIVEN) for _ in texts]
    dataset = rows.dataset("train")
    reward = trl_rewards.FileReward(RewardFile(Path(REWARD)), rows)
    totals = reward(
        prompts=[dataset[number]["prompt"] for number in numbers],
        completions=[[{"role": "assistant", "content": text}] for _, text in EVERY],
        starforge_row=numbers,
    )
    return list(zip(totals, reward.parts, strict=True))


def verl():
    """One completion a call, from several threads, with the row as its data file holds it."""
    import verl_data
    import verl_reward
    from reward_file import note_columns

    note_columns([write_rows()], ATTEMPT)

    def score(number):
        row, text = EVERY[number]
        made = verl_data.prompted(row, number)
        found = verl_reward.compute_score(
            made["data_source"], text, made["reward_model"]["ground_truth"],
            made["extra_info"], file=REWARD,
        )  # fmt: skip
        return found.pop("score"), found

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(score, range(len(EVERY))))


def openrlhf():
    """One completion a call, behind its prompt, with special tokens and the row as label."""
    import openrlhf_rows
    import tiny_model
    from reward_file import note_columns

    note_columns([write_rows()], ATTEMPT)

    folder = tempfile.mkdtemp()
    tokenizer = tiny_model._tokenizer()
    tokenizer.save_pretrained(folder)
    os.environ |= {"STARFORGE_REWARD_FILE": REWARD, "STARFORGE_MODEL": folder}
    import openrlhf_reward

    def score(pair):
        row, text = pair
        made = openrlhf_rows.verifiable(row, chat=True)
        prompt = "".join(turn["content"] for turn in made["input"])
        query = f"{prompt}{text}{tokenizer.eos_token}"
        found = openrlhf_reward.reward_func([query], [prompt], [made["label"]])
        parts = {name.removeprefix("rewards/"): v for name, v in found["extra_logs"].items()}
        return found["rewards"], parts

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(score, EVERY))


def nemo_rl():
    """A batch of conversations with what the data processor keeps of their rows."""
    interfaces = types.ModuleType("nemo_rl.environments.interfaces")
    interfaces.EnvironmentInterface = interfaces.EnvironmentReturn = object
    for name in ("nemo_rl", "nemo_rl.environments"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["nemo_rl.environments.interfaces"] = interfaces
    import nemo_data
    import nemo_prompts
    import nemo_reward_env
    import tiny_model
    from reward_file import RewardFile

    tokenizer = tiny_model._tokenizer()
    metadata, logs = [], []
    for number, (row, text) in enumerate(EVERY):
        datum = nemo_data.prompts(row) | {"task_name": "reward"}
        made = nemo_prompts.process(datum, None, tokenizer, None, number)
        metadata.append(made["extra_env_info"])
        logs.append([*made["message_log"], {"role": "assistant", "content": text}])
    answers = nemo_reward_env.answers(logs)
    return nemo_reward_env.score(RewardFile(Path(REWARD)), answers, metadata)


found = [{"total": total, "parts": parts} for total, parts in globals()[FRAMEWORK]()]
sys.stdout.write(json.dumps(found))
