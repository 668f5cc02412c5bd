import json

from starforge.streams import decode_rows


def test_alerts_are_brought_into_shape_and_others_noted():
    lines = [
        {"t": 1.5, "s": 3, "code": "no_signal", "message": "a", "message_zh": "甲"},
        {"code": "x", "message": "b"},
        {"code": "", "message": "c"},
        {"code": "y"},
    ]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    decoded = decode_rows("alerts", data)
    assert decoded.consumed == len(data)
    assert [row.data for row in decoded.rows] == [
        lines[0],
        {"code": "x", "message": "b", "message_zh": "b", "s": 0, "t": None},
    ]
    assert [note.kind for note in decoded.notes] == ["invalid"]
