"""Alerts and ends for jobs that learn nothing or run away."""

import json

import pytest

from starforge.runner.alerts import AlertFile
from starforge.runner.journal import Journal
from starforge.runner.launch import PolicySpec, StreamSpec
from starforge.runner.learning import LearningWatch
from starforge.runner.tail import Tail
from starforge.streams import decode_rows

NAMES = {"objective/kl": "train/kl", "spread": "train/reward_std"}


class Curve:
    """A metric file that grows, with a watch on it."""

    def __init__(self, folder, **policy):
        self.file = folder / "metrics.jsonl"
        stream = StreamSpec(format="report", path="*.jsonl", names=NAMES)
        self.watch = LearningWatch(Tail(folder, [stream]), PolicySpec(**policy))

    def say(self, steps, **values):
        with self.file.open("a") as handle:
            for step in steps:
                named = {name.replace("__", "/"): value for name, value in values.items()}
                handle.write(json.dumps({"t": 1.0, "s": step, "v": named}) + "\n")
        return [(alert.code, alert.stop) for alert in self.watch.look()]


def test_equal_rewards_and_no_gradient_are_told_and_then_end_the_job(tmp_path):
    curve = Curve(tmp_path, no_signal=10)
    flat = {"spread": 0.0, "train__grad_norm": 0.0}
    assert curve.say(range(5), train__reward_std=0.3, train__grad_norm=1.0) == []
    assert curve.say(range(5, 14), **flat) == []  # nine steps
    assert curve.say([14], **flat) == [("no_signal", False)]
    assert curve.say(range(15, 24), **flat) == []  # told once
    assert curve.say([24], **flat) == [("no_signal", True)]


def test_one_step_with_a_difference_begins_the_count_anew(tmp_path):
    curve = Curve(tmp_path, no_signal=5)
    assert curve.say(range(4), spread=0.0) == []
    assert curve.say([4], spread=0.2) == []
    assert curve.say(range(5, 9), spread=0.0) == []
    assert curve.say([9], spread=0.0) == [("no_signal", False)]


def test_a_gradient_is_a_signal_and_an_unknown_one_ends_nothing(tmp_path):
    with_gradient = tmp_path / "a"
    with_gradient.mkdir()
    curve = Curve(with_gradient, no_signal=3)
    assert curve.say(range(20), spread=0.0, train__grad_norm=0.1) == []
    without = tmp_path / "b"
    without.mkdir()
    assert Curve(without, no_signal=3).say(range(20), spread=0.0) == [("no_signal", False)]


def test_equal_groups_count_though_groups_differ(tmp_path):
    curve = Curve(tmp_path, no_signal=5)
    said = curve.say(range(9), train__reward_group_std=0.0, spread=0.5)
    assert said == [("no_signal", False)]


@pytest.mark.parametrize("family", ["critic", "train"])
def test_highest_and_lowest_advantage_are_a_spread(tmp_path, family):
    curve = Curve(tmp_path, no_signal=4)
    extremes = {f"{family}__advantages__max": 0.0, f"{family}__advantages__min": 0.0}
    assert curve.say(range(3), **extremes) == []
    assert curve.say(range(3, 6), **extremes) == [("no_signal", False)]


def test_sparse_points_span_steps_but_two_points_say_nothing(tmp_path):
    curve = Curve(tmp_path, no_signal=50)
    assert curve.say([0, 100], spread=0.0) == []
    assert curve.say([200], spread=0.0) == [("no_signal", False)]


def test_losses_without_rewards_are_no_matter(tmp_path):
    assert Curve(tmp_path, no_signal=2).say(range(50), loss=0.0, train__grad_norm=0.0) == []


def test_kl_that_explodes_is_told_once(tmp_path):
    curve = Curve(tmp_path, kl_explosion=10.0)
    assert curve.say(range(10), **{"objective__kl": 0.1}) == []
    assert curve.say([10, 11, 12], **{"objective__kl": 0.9}) == []
    assert curve.say([13, 14], **{"objective__kl": 1.5}) == [("kl_explosion", False)]
    assert curve.say(range(15, 40), **{"objective__kl": 9.0}) == []


def test_one_spike_and_many_times_nothing_are_no_explosion(tmp_path):
    curve = Curve(tmp_path)
    assert curve.say(range(10), train__kl=0.0001) == []
    assert curve.say(range(10, 30), train__kl=0.01) == []  # a hundred times next to nothing
    assert curve.say([30], train__kl=50.0) == []
    assert curve.say([31], train__kl=float("nan")) == []


def test_answers_that_grow_without_end(tmp_path):
    curve = Curve(tmp_path)
    assert curve.say(range(10), rollout__length_mean=100) == []
    assert curve.say(range(10, 13), rollout__length_mean=399) == []
    assert curve.say(range(13, 16), rollout__length_mean=400) == [("length_explosion", False)]


def test_all_of_it_can_be_switched_off(tmp_path):
    curve = Curve(tmp_path, no_signal=0, kl_explosion=0, length_explosion=0)
    assert curve.say(range(10), train__kl=0.1, rollout__length_mean=1, spread=0.0) == []
    assert curve.say(range(10, 99), train__kl=9.0, rollout__length_mean=999, spread=0.0) == []


def test_an_alert_that_finds_no_room_is_written_later(tmp_path):
    curve = Curve(tmp_path, no_signal=3)
    curve.say(range(2), spread=0.0)
    folder = tmp_path / "attempt"
    alerts = AlertFile(folder, Journal(tmp_path / "runner.log"))
    with curve.file.open("a") as handle:
        handle.write('{"t":1,"s":3,"v":{"spread":0}}\n')
    (alert,) = curve.watch.look()
    alerts.add(alert)  # there is no such folder
    folder.mkdir()
    alerts.flush()
    alerts.flush()
    (row,) = decode_rows("alerts", (folder / "alerts.jsonl").read_bytes()).rows
    assert (row.data["code"], row.data["s"]) == ("no_signal", 3)
    assert row.data["message_zh"] != row.data["message"]
