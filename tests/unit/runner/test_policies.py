import math
from pathlib import Path

import pytest

from starforge.runner.launch import PolicySpec, StreamSpec
from starforge.runner.policies import NanWatch
from starforge.runner.tail import Tail

REAL = Path(__file__).parents[2] / "data" / "tensorboard"
STREAMS = [
    StreamSpec(format="tensorboard", path="tb/*", names={"train/loss": "loss"}),
    StreamSpec(format="report", path="metrics/*.jsonl"),
]


def watch(folder, **policy):
    (folder / "metrics").mkdir(exist_ok=True)
    return NanWatch(Tail(folder, STREAMS), PolicySpec(**policy))


def add(folder, text):
    with (folder / "metrics/a.jsonl").open("a") as handle:
        handle.write(text)


def test_a_loss_that_becomes_nan_is_found_once_it_is_whole(tmp_path):
    look = watch(tmp_path).look
    add(tmp_path, '{"t":1,"s":1,"v":{"loss":1}}\n{"t":1,"s":2,"v":{"lo')
    assert look() is None
    add(tmp_path, 'ss":NaN}}\n')
    found = look()
    assert (found.name, found.step) == ("loss", 2)
    assert math.isnan(found.value)
    assert look() is None  # what was read is not read again


def test_infinity_counts_and_other_metrics_do_not(tmp_path):
    look = watch(tmp_path).look
    add(tmp_path, '{"t":1,"s":1,"v":{"entropy":NaN,"lossy":NaN}}\n')
    assert look() is None
    add(tmp_path, '{"t":1,"s":2,"v":{"val/loss":Infinity}}\n')
    assert look().name == "val/loss"


def test_the_last_line_may_lack_its_newline_in_the_end(tmp_path):
    look = watch(tmp_path).look
    add(tmp_path, '{"t":1,"s":1,"v":{"loss":NaN}}')
    assert look() is None
    assert look(to_the_end=True) is not None


@pytest.mark.parametrize("name", ["train/loss", "loss"])
def test_native_and_canonical_names_of_a_real_event_file(tmp_path, name):
    (tmp_path / "tb").mkdir()
    data = next(REAL.glob("events.*")).read_bytes()
    (tmp_path / "tb/events").write_bytes(data)
    found = watch(tmp_path, nan_metrics=[name]).look()
    assert (found.name, found.step) == ("train/loss", 11)
    assert watch(tmp_path, nan_metrics=["reward"]).look() is None


def test_switched_off_it_reads_nothing(tmp_path):
    look = watch(tmp_path, nan_loss=False).look
    add(tmp_path, '{"t":1,"s":1,"v":{"loss":NaN}}\n')
    assert look(to_the_end=True) is None


def test_files_longer_than_one_piece(tmp_path, monkeypatch):
    monkeypatch.setattr("starforge.runner.feed.MAX_RECORD", 64)
    look = watch(tmp_path).look
    add(tmp_path, '{"t":1,"s":1,"v":{"loss":1}}\n' * 20 + '{"t":1,"s":2,"v":{"loss":NaN}}\n')
    assert look() is None
    assert look(to_the_end=True).step == 2


@pytest.mark.parametrize("number", ["1e+400", "-1E400", "-Infinity"])
def test_numerals_beyond_a_float_are_infinite(tmp_path, number):
    look = watch(tmp_path).look
    add(tmp_path, '{"t":1,"s":1,"v":{"loss":1e-07,"E":2.5e+16}}\n')
    assert look() is None
    add(tmp_path, f'{{"t":1,"s":2,"v":{{"loss":{number}}}}}\n')
    assert (look().step, look()) == (2, None)


def test_a_piece_that_ends_inside_a_line_is_read_on_from_its_start(tmp_path, monkeypatch):
    good = '{"t":1,"s":1,"v":{"loss":1}}\n'
    monkeypatch.setattr("starforge.runner.feed.MAX_RECORD", len(good) + 20)
    look = watch(tmp_path).look
    add(tmp_path, good * 7 + '{"t":1,"s":2,"v":{"loss":NaN}}\n')
    assert look(to_the_end=True).step == 2
