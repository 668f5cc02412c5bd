import math
import struct
from pathlib import Path

import pytest
import tfevents

from starforge.streams import decode_scalars

DATA = Path(__file__).parents[2] / "data" / "tensorboard"


def test_a_file_of_the_real_writer():
    """Written by torch.utils.tensorboard: old, new and double scalars, text, histogram."""
    data = next(DATA.glob("events.out.tfevents.*")).read_bytes()
    got = decode_scalars("tensorboard", data)
    assert got.consumed == len(data)
    assert got.notes == []
    assert set(got.series) == {
        "train/loss", "train/learning_rate", "train/new_style", "val/accuracy",
    }  # fmt: skip
    loss = got.series["train/loss"]
    assert loss.steps == list(range(1, 13))
    assert loss.times[:2] == [1760000000.5, 1760000001.0]
    assert loss.values[:10] == pytest.approx([2 / s for s in range(1, 11)], rel=1e-7)
    assert math.isnan(loss.values[10]) and loss.values[11] == math.inf
    rate = got.series["train/learning_rate"]
    assert rate.values == [1e-5 * s for s in range(1, 11)]  # doubles, so exact
    assert got.series["train/new_style"].values[-1] == 2.5
    assert got.series["val/accuracy"] == ([7], [1760000008.0], [0.625])


def read(*values, step=3):
    data = tfevents.record(tfevents.event(step, 5.0, *values))
    got = decode_scalars("tensorboard", data)
    assert got.consumed == len(data)
    return got


TENSORS = {
    "float content": (b"\x08\x01" + tfevents.sub(4, struct.pack("<f", 1.5)), 1.5),
    "double content": (b"\x08\x02" + tfevents.sub(4, struct.pack("<d", 0.1)), 0.1),
    "int64 content": (b"\x08\x09" + tfevents.sub(4, struct.pack("<q", -7)), -7.0),
    "half content": (b"\x08\x13" + tfevents.sub(4, struct.pack("<e", 0.5)), 0.5),
    "float packed": (b"\x08\x01" + tfevents.sub(5, struct.pack("<f", 1.5)), 1.5),
    "float unpacked": (b"\x08\x01\x2d" + struct.pack("<f", 1.5), 1.5),
    "double packed": (b"\x08\x02" + tfevents.sub(6, struct.pack("<d", 0.1)), 0.1),
    "int32 packed": (b"\x08\x03" + tfevents.sub(7, tfevents.varint(-2)), -2.0),
    "int64 unpacked": (b"\x08\x09\x50" + tfevents.varint(9), 9.0),
    "bfloat16 packed": (b"\x08\x0e" + tfevents.sub(13, tfevents.varint(0x3FC0)), 1.5),
}


@pytest.mark.parametrize(("body", "value"), TENSORS.values(), ids=TENSORS.keys())
def test_tensors_of_one_element(body, value):
    assert read(tfevents.tensor("x", body)).series["x"].values == [value]


def test_what_is_not_a_scalar_is_passed_over():
    two = b"\x08\x01" + tfevents.sub(5, struct.pack("<ff", 1, 2))
    text = b"\x08\x07" + tfevents.sub(8, b"hello")
    one = b"\x08\x01" + tfevents.sub(5, struct.pack("<f", 1))
    got = read(
        tfevents.tensor("two", two),
        tfevents.tensor("text", text),
        tfevents.tensor("hist", one, plugin="histograms"),
        tfevents.scalar("loss", 2.0),
    )
    assert list(got.series) == ["loss"]
    assert got.notes == []


def test_no_plugin_named_is_a_scalar_and_steps_may_be_negative():
    one = b"\x08\x01" + tfevents.sub(5, struct.pack("<f", 1))
    got = read(tfevents.tensor("x", one, plugin=None), step=-4)
    assert got.series["x"] == ([-4], [5.0], [1.0])


def good(step):
    return tfevents.record(tfevents.event(step, 1.0, tfevents.scalar("loss", step)))


def steps_after(data):
    got = decode_scalars("tensorboard", data)
    return got.series["loss"].steps, got.notes


def test_a_broken_length_costs_one_record():
    second = bytearray(good(2))
    second[0] ^= 1
    steps, notes = steps_after(good(1) + bytes(second) + good(3))
    assert steps == [1, 3]
    assert [(n.kind, n.offset, n.length) for n in notes] == [
        ("damaged", len(good(1)), len(good(2)))
    ]


def test_a_broken_payload_costs_one_record():
    second = bytearray(good(2))
    second[15] ^= 0xFF
    steps, notes = steps_after(good(1) + bytes(second) + good(3))
    assert steps == [1, 3]
    assert [n.kind for n in notes] == ["damaged"]


def test_bytes_missing_inside_cost_one_record():
    steps, notes = steps_after(good(1) + good(2)[:20] + good(3) + good(4))
    assert steps == [1, 3, 4]
    assert [n.length for n in notes] == [20]


def test_a_hole_of_zeros_is_passed():
    steps, notes = steps_after(good(1) + bytes(1 << 20) + good(2))
    assert steps == [1, 2]
    assert len(notes) == 1


def test_a_valid_record_that_is_no_event_is_noted():
    steps, notes = steps_after(tfevents.record(b"\xff\xff\xff") + good(2))
    assert steps == [2]
    assert [n.kind for n in notes] == ["invalid"]


def test_a_big_record_is_passed_over():
    picture = tfevents.record(tfevents.sub(4, b"p" * 100_000))
    steps, notes = steps_after(picture + good(2))
    assert steps == [2]
    assert notes == []


@pytest.mark.parametrize("step", [0, 1, 127, 128, 70_000, (1 << 63) - 1, -4])
@pytest.mark.parametrize(
    "tag", ["x", "损失", "a\x15bcd", "t" * 100, "t" * 117, "t" * 118, "t" * 130]
)
def test_plain_events_read_as_the_same_event_in_two_values(step, tag):
    """A second value takes the event out of the form that is read faster."""
    short = read(tfevents.scalar(tag, 0.5), step=step)
    whole = read(tfevents.scalar(tag, 0.5), tfevents.scalar("other", 1.0), step=step)
    assert short.series.get(tag) == whole.series.get(tag)
    assert short.series[tag] == ([step], [5.0], [0.5])


def test_events_without_a_step_are_at_step_zero():
    value = tfevents.sub(5, tfevents.sub(1, tfevents.scalar("x", 0.5)))
    data = tfevents.record(b"\x09" + struct.pack("<d", 5.0) + value)
    assert decode_scalars("tensorboard", data).series == {"x": ([0], [5.0], [0.5])}


def test_lengths_that_do_not_fit_are_noted():
    body = bytearray(tfevents.event(3, 5.0, tfevents.scalar("loss", 2.0)))
    body[body.index(b"\x2a") + 1] += 1
    got = decode_scalars("tensorboard", tfevents.record(bytes(body)) + good(2))
    assert got.series["loss"].steps == [2]
    assert [note.kind for note in got.notes] == ["invalid"]


@pytest.mark.parametrize("bad", [{0}, {63}, {64}, {64, 65, 66}, {190, 191}, {5, 100, 199}])
def test_each_bad_record_among_many_costs_itself_only(bad):
    """Payloads are checked many at a time."""
    records = [bytearray(good(step)) for step in range(200)]
    for number in bad:
        records[number][-6] ^= 1  # in the payload
    steps, notes = steps_after(b"".join(records))
    assert steps == [step for step in range(200) if step not in bad]
    assert sum(note.count for note in notes) == len(bad)
