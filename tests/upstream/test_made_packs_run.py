"""Packs that `sf bench new` makes run with both harnesses, and score as the rewards do.

The tiny model repeats the last letter of its prompt, so without a chat template and a cue it
answers "Say 7" with six sevens.
"""

import json

import pytest
from job_support import Job

from starforge.evals.making import pack_of, read_items
from starforge.lab.inputs import LocalResolver
from starforge.prepare import prepare

pytestmark = pytest.mark.upstream
TINY = "starforge:tiny"
ANSWERS = {"exact": "{}", "numeric": "{}.0", "math": "$1{} - 1000000$"}


@pytest.fixture
def folder(tmp_path):
    """An experiment with a pack of each kind; every second item is answered right."""
    folder = tmp_path / "e"
    for kind, form in ANSWERS.items():
        rows = [{"question": f"Say {i}", "answer": form.format(str(i if i % 2 else i + 1) * 6)}
                for i in range(1, 5)]  # fmt: skip
        write(folder, f"my-{kind}", kind, rows)
    picks = [{"question": f"Is {i} even?", "A": "no", "B": "yes", "answer": "AB"[1 - i % 2]}
             for i in range(4)]  # fmt: skip
    write(folder, "my-choice", "choice", picks)
    return folder


def write(folder, name, kind, rows):
    own = folder / "benchmarks" / name
    own.mkdir(parents=True)
    (own / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = read_items(own / "rows.jsonl", kind)
    assert not made.problems
    pack = pack_of(name, made, "rows.jsonl")
    if kind != "choice":
        pack["task"]["doc_to_text"] = "{{question}}"
        pack["task"]["generation_kwargs"]["max_gen_toks"] = 6
    (own / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made.rows))
    (own / "pack.yaml").write_text(json.dumps(pack))


@pytest.mark.parametrize("harness", ["lm-eval", "evalscope"])
def test_every_kind_runs_and_scores(folder, tmp_path, evalkit_python, harness):
    names = [*(f"my-{kind}" for kind in ANSWERS), "my-choice"]
    experiment = {
        "method": "evalkit/benchmark", "model": TINY,
        "params": {"benchmarks": names, "harness": harness, "apply_chat_template": False},
    }  # fmt: skip
    (folder / "experiment.yaml").write_text(json.dumps(experiment))
    (folder / "config.yaml").write_text("")
    prepared = prepare(folder, resolver=LocalResolver(folder, None))
    assert prepared.ok, prepared.findings
    job = Job(tmp_path / "job", prepared.plan, prepared.context)
    done = job.run(python=evalkit_python, model=TINY)
    assert done.returncode == 0, done.stdout
    primary = {r["benchmark"]: r for r in job.rows("scores/scores.jsonl") if r["primary"]}
    assert set(primary) == set(names)
    for kind, metric in (("exact", "exact"), ("numeric", "numeric"), ("math", "math_equal")):
        row = primary[f"my-{kind}"]
        assert (row["metric"], row["value"], row["items"]) == (metric, 0.5, 4), kind
        kept = job.rows(f"samples/my-{kind}.jsonl")
        assert [one["reward"] for one in kept] == [1.0, 0.0, 1.0, 0.0]
        assert len({one["item"] for one in kept}) == 4
    assert primary["my-choice"]["metric"] == "acc" and primary["my-choice"]["items"] == 4
