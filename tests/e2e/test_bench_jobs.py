"""Benchmark jobs of two small models with both harnesses: repeats, the board, the comparison."""

import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench_support import ITEMS, make_models, write_lab
from click.testing import CliRunner
from e2e_harness import Server, wait_ended

from starforge.cli.root import root
from starforge.client.client import Client
from starforge.evals.paired import mcnemar
from starforge.lang import set_lang

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def models(tmp_path_factory, evalkit_python: str) -> Path:
    return make_models(evalkit_python, tmp_path_factory.mktemp("models"))


@pytest.fixture
def server(servers, evalkit_python: str) -> Server:
    return servers(STARFORGE_RUNTIMES=str(Path(evalkit_python).parents[2])).start()


@pytest.fixture
def sf(server: Server, tmp_path: Path, monkeypatch) -> Callable[..., Any]:
    """Return ``sf`` in a lab with the pack ``echo``; its answer as JSON, or its text."""
    monkeypatch.chdir(write_lab(tmp_path / "lab"))
    monkeypatch.setenv("SF_LANG", "en")
    monkeypatch.setenv("STARFORGE_URL", server.url)
    monkeypatch.setenv("STARFORGE_TOKEN", server.token)
    monkeypatch.setenv("STARFORGE_RUNTIMES", server.env["STARFORGE_RUNTIMES"])

    def run(*args: str, code: int = 0) -> Any:
        result = CliRunner().invoke(root, list(args))
        set_lang(None)
        assert result.exit_code == code, result.output
        return json.loads(result.stdout) if "--json" in args and not code else result.output

    return run


def measured(sf, client: Client, model: Path, *more: str) -> list[str]:
    """Score a model and return the ids of the jobs when they have succeeded."""
    found = sf("bench", "run", str(model), "-b", "echo", "--set", "apply_chat_template=false",
               "--json", *more)  # fmt: skip
    ids = [job["id"] for job in (found if isinstance(found, list) else [found])]
    for job in ids:
        done = wait_ended(client, job, patience=180)
        assert done.state == "succeeded", done.message
    return ids


def test_both_harnesses_compare_two_models_item_by_item(sf, client, models) -> None:
    base, tuned = models / "base", models / "tuned"
    found, first = {}, {}
    for harness in ("lm-eval", "evalscope"):
        (one,) = measured(sf, client, base, "--harness", harness)
        (other,) = measured(sf, client, tuned, "--harness", harness)
        (compared,) = sf("bench", "compare", one, other, "-n", "99", "--json")["comparisons"]
        found[harness], first[harness] = compared, one
    ours, theirs = found.values()
    for one in (ours, theirs):
        assert one["counts"] == {"both": 4, "only_a": 1, "only_b": 9, "neither": 2}
        assert (one["a"]["value"], one["b"]["value"]) == (5 / 16, 13 / 16)
        assert one["items"] == 16 and one["difference"] == pytest.approx(0.5)
        assert one["p_value"] == pytest.approx(mcnemar(1, 9))
        assert 0 < one["low"] < 0.5 < one["high"] < 1 and one["flipped"] == 10
        flips = {flip["prompt"]: flip for flip in one["flips"]}
        assert len(flips) == 10 and flips["Say 5"]["a"]["extracted"] == "5"
        assert (flips["Say 37"]["b"]["extracted"], flips["Say 37"]["reference"]) == ("8", "8")
        assert flips["Say 37"]["a"]["completion"] == "7777"
    same = ("low", "high", "stderr", "flips")
    assert [ours[key] for key in same] == [theirs[key] for key in same]
    text = sf("bench", "compare", str(base), str(tuned), "--pack", "echo", "-n", "1")
    assert "B is better" in text and "McNemar p" in text

    refused = sf("bench", "compare", *first.values(), code=1)
    assert "harness" in refused and "--anyway" in refused
    (across,) = sf("bench", "compare", *first.values(), "--anyway", "--json")["comparisons"]
    assert across["counts"] == {"both": 5, "only_a": 0, "only_b": 0, "neither": 11}
    assert across["difference"] == 0 and "harness" in across["differs"]


def test_repeats_have_other_seeds_where_answers_are_sampled(sf, client, models) -> None:
    base = models / "base"
    assert len(measured(sf, client, base, "--repeats", "3", "--limit", "4")) == 1
    jobs = measured(sf, client, base, "--repeats", "2", "--set", "temperature=2", "--name", "hot")
    assert sorted(client.jobs.get(job).name for job in jobs) == ["hot-1", "hot-2"]
    seeds = {client.jobs.scores(job)[0].settings["seed"] for job in jobs}
    assert len(seeds) == 2 and None not in seeds
    said = [[one.completion for one in client.jobs.samples(job).samples] for job in jobs]
    assert len(said[0]) == len(ITEMS) and said[0] != said[1]
    (one,) = [score for score in sf("bench", "board", "--json") if score["runs"]]
    values = [client.jobs.scores(job)[0].value for job in reversed(jobs)]
    assert one["runs"]["jobs"] == jobs[::-1] and one["runs"]["values"] == values
    assert one["runs"]["mean"] == pytest.approx(statistics.fmean(values))
    assert one["runs"]["deviation"] == pytest.approx(statistics.stdev(values))
    assert "mean of 2 runs" in sf("bench", "board")
