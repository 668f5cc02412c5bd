"""How many parts succeeded, of how many, and what became of the others."""

from starforge.cli.counts import outcome
from starforge.lang import set_lang


def test_what_did_not_succeed_is_never_counted_as_done() -> None:
    counts = {"skipped": 1, "failed": 1, "succeeded": 4}
    assert outcome(counts) == "4 of 6 succeeded, 1 failed, 1 skipped"
    assert outcome({"gate_failed": 1, "waiting": 0}) == "0 of 1 succeeded, 1 gate_failed"


def test_a_search_has_more_planned_than_there_are() -> None:
    assert outcome({"running": 2}, 20) == "0 of 20 succeeded, 2 running, 18 to be chosen"
    assert outcome({"succeeded": 2}, 1) == "2 of 2 succeeded"


def test_the_same_in_chinese() -> None:
    set_lang("zh")
    assert outcome({"succeeded": 4, "failed": 1, "skipped": 1}).startswith(
        "共 6 个，4 个成功，1 个"
    )
