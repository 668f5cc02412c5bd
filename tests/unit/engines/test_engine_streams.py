"""Which files are streams."""

import pytest

from starforge.engines.streams import files_of, is_safe, stream_of, streams_of
from starforge.plan import LaunchPlan, Policies, Resources, Stream


def plan(*streams: Stream) -> LaunchPlan:
    return LaunchPlan(
        method="m", framework="f", version="1", recipe_digest="", contract_digest="",
        runtime=None, processes=[], files=[], config={}, differs=[], checkpoints=None,
        metrics=list(streams), inputs=[], resources=Resources(), policies=Policies(),
    )  # fmt: skip


BOARD = Stream(
    format="tensorboard", path="tensorboard/**/events.out.tfevents.*", names={"train/loss": "loss"}
)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("logs/trainer-0.log", "log"),
        ("logs/deep/trainer-0.log", None),
        ("metrics/report-0-12.jsonl", "report"),
        ("metrics/report.csv", None),
        ("tensorboard/events.out.tfevents.1.host", "tensorboard"),
        ("tensorboard/runs/a/events.out.tfevents.1.host", "tensorboard"),
        ("samples/a b.jsonl", "samples"),
        ("scores/scores.jsonl", "scores"),
        ("logs/../metrics/x.jsonl", None),
        ("/logs/x.log", None),
        ("logs//x.log", None),
        ("launch.json", None),
        ("", None),
    ],
)
def test_a_path_names_its_stream(path, kind):
    found = stream_of(plan(BOARD), path)
    assert (found.format if found else None) == kind


def test_the_plans_own_streams_come_first_and_only_once():
    own = Stream(format="report", path="metrics/*.jsonl", names={"a": "b"})
    streams = streams_of(plan(own))
    assert streams[0] is own
    assert [stream.path for stream in streams].count("metrics/*.jsonl") == 1
    assert stream_of(plan(own), "metrics/x.jsonl").names == {"a": "b"}


def test_files_in_a_folder_are_found_once(tmp_path):
    for path in ("logs/a-0.log", "tensorboard/x/events.out.tfevents.1", "other.txt"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    (tmp_path / "logs" / "folder.log").mkdir()
    found = files_of(plan(BOARD), tmp_path)
    assert [(path, stream.format) for path, stream in found] == [
        ("logs/a-0.log", "log"), ("tensorboard/x/events.out.tfevents.1", "tensorboard"),
    ]  # fmt: skip


def test_unsafe_paths():
    assert is_safe("a/b.c") and not any(is_safe(one) for one in ("", "..", "a/../b", "a/", "a\0"))
