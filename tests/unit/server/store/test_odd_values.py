"""Values that databases and calendars can't hold."""

import math
from datetime import UTC, datetime

import pytest

from starforge.i18n import Text
from starforge.server.services.status import read_progress
from starforge.server.store import events
from starforge.wire.base import from_unix, iso


def test_half_a_surrogate_pair_in_an_event_is_kept_as_a_mark(db, job_id):
    with db.write() as tx:
        data = {"path\ud800": ["\udcff", {"x": "甲\0"}], "n": 1}
        events.add(tx, "odd", job_id=job_id, text=Text("a\ud800b", "甲"), data=data)
    with db.read() as tx:
        (event,) = [one for one in events.after(tx, job_id=job_id) if one.kind == "odd"]
    assert event.text == Text("a?b", "甲")
    assert event.data == {"path?": ["?", {"x": "甲\0"}], "n": 1}


@pytest.mark.parametrize("seconds", [1e300, math.inf, -math.inf, -1e300, math.nan, -1.0, 1e12])
def test_times_that_no_calendar_holds(seconds):
    moment = from_unix(seconds)
    assert moment.tzinfo is UTC
    assert iso(moment.astimezone()).endswith("Z")


def test_times_that_calendars_hold_stay():
    assert from_unix(1.7e9) == datetime.fromtimestamp(1.7e9, UTC)
    assert from_unix(None) is None


@pytest.mark.parametrize("step", [1e300, -1, math.nan, math.inf, "3", None, True, 1 << 70])
def test_steps_that_are_none(step):
    assert read_progress({"progress": {"step": step, "total": step}}) == (None, None)
