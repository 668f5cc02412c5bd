import json
import math

from starforge.streams import decode_rows, decode_scalars


def lines(*rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def kinds(got):
    return [note.kind for note in got.notes]


def test_report_gives_columns():
    got = decode_scalars(
        "report",
        lines(
            {"t": 1.5, "s": 1, "v": {"loss": 2, "lr": 1e-5}}, {"t": 2, "s": 2.0, "v": {"loss": 1}}
        ),
    )
    assert got.series == {"loss": ([1, 2], [1.5, 2.0], [2.0, 1.0]), "lr": ([1], [1.5], [1e-5])}
    assert got.notes == []


def test_nan_and_infinity_are_values():
    got = decode_scalars(
        "report", b'{"t":1,"s":1,"v":{"a":NaN,"b":-Infinity,"c":1' + b"0" * 400 + b"}}\n"
    )
    assert math.isnan(got.series["a"].values[0])
    assert got.series["b"].values == [-math.inf]
    assert got.series["c"].values == [math.inf]


def test_bad_lines_are_noted_and_the_rest_is_read():
    good = {"t": 1, "s": 1, "v": {"loss": 1.0}}
    data = (
        lines(good) + b"\xff\xfe\n" + b"{half\n" + b"[1]\n" + b"\n"
        + lines({"t": 1, "s": 1.5, "v": {}}) + b"[" * 100_000 + b"\n" + lines(good)
    )  # fmt: skip
    got = decode_scalars("report", data)
    assert got.consumed == len(data)
    assert len(got.series["loss"].values) == 2
    assert set(kinds(got)) == {"invalid"}
    assert sum(note.count for note in got.notes) == 5
    assert got.notes[0].offset == len(lines(good))


def test_a_bad_value_costs_only_itself():
    got = decode_scalars(
        "report", lines({"t": 1, "s": 1, "v": {"a": "high", "b": None, "": 1, "c": 2}})
    )
    assert list(got.series) == ["c"]
    assert kinds(got) == ["dropped"]


def test_a_million_bad_lines_give_few_notes():
    got = decode_scalars("report", b"no\n{}\n" * 5000)
    assert len(got.notes) <= 50
    assert sum(note.count for note in got.notes) == 10_000


def test_a_last_line_without_newline():
    data = b'{"t":1,"s":1,"v":{"a":1}}'
    assert decode_scalars("report", data).consumed == 0
    got = decode_scalars("report", data, final=True)
    assert (got.consumed, got.series["a"].values) == (len(data), [1.0])


def test_samples():
    got = decode_rows(
        "samples",
        lines(
            {"t": 1, "s": 3, "prompt": "2+2", "completion": "4", "reward": 1,
             "rewards": {"exact": 1, "style": "x"}, "group": "g"},
            {"prompt": [{"role": "user", "content": "hi"}], "completion": "", "reward": "?"},
            {"prompt": 3, "completion": "x"},
        ),
        base=100,
    )  # fmt: skip
    first, second = (row.data for row in got.rows)
    assert (first["s"], first["reward"], first["rewards"]) == (3, 1.0, {"exact": 1.0})
    assert first["group"] == "g"
    assert (second["s"], second["t"], second["reward"]) == (0, None, None)
    assert got.rows[0].offset == 100
    assert kinds(got) == ["invalid"]
    assert "prompt" in got.notes[0].detail


def test_samples_say_what_they_know_in_one_type_each():
    row = {"prompt": "p", "completion": "c"}
    good = {"group": 3, "length": 7, "truncated": False}
    odd = {"group": [1], "length": 7.5, "truncated": "no", "mine": "stays"}
    first, second = (one.data for one in decode_rows("samples", lines(row | good, row | odd)).rows)
    assert {name: first[name] for name in good} == good
    assert second.keys() & odd.keys() == {"mine"}


def test_scores():
    got = decode_rows(
        "scores",
        lines(
            {"benchmark": "b", "metric": "acc", "value": 0.5, "stderr": 0.1, "items": 100.0,
             "settings": {"shots": 5}, "higher_is_better": False, "t": 9},
            {"benchmark": "b", "metric": "acc", "value": float("nan")},
            {"benchmark": "b", "value": 1},
            {"benchmark": "b", "metric": "m", "value": None},
        ),
    )  # fmt: skip
    assert got.rows[0].data == {
        "benchmark": "b", "metric": "acc", "value": 0.5, "stderr": 0.1, "items": 100,
        "settings": {"shots": 5}, "higher_is_better": False, "t": 9.0,
    }  # fmt: skip
    assert math.isnan(got.rows[1].data["value"])
    assert got.rows[1].data["settings"] == {} and got.rows[1].data["higher_is_better"]
    assert sum(note.count for note in got.notes) == 2


def test_half_a_surrogate_pair_does_not_travel_on():
    data = b'{"s": 1, "prompt": "\\ud83d", "completion": "\\ud83d\\ude00 \\u4f60"}\n'
    row = decode_rows("samples", data).rows[0].data
    assert (row["prompt"], row["completion"]) == ("?", "😀 你")
    assert list(decode_scalars("report", b'{"t":1,"s":1,"v":{"\\ud83d":1}}\n').series) == ["?"]
