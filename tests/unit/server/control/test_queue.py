"""Who gets slots: priorities, order, passing, devices, reasons."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from starforge.server.control.queue import Holder, decide, need_of, order
from starforge.server.store.records import JobSummary


def job(ident: str, cpus: int = 1, gpus: int = 0, *, at: float = 0.0, priority: int = 0):
    known = dict.fromkeys(JobSummary.__struct_fields__)
    return JobSummary(
        **{
            **known, "id": ident, "name": f"n-{ident}", "method": "m", "state": "queued",
            "desired": "run", "priority": priority, "engine": "local", "profile": "local",
            "cpus": cpus, "gpus": gpus, "tags": [], "created_at": at, "updated_at": at,
            "headline": {},
        }
    )  # fmt: skip


def granted(decision):
    return [grant.job.id for grant in decision.grants]


def test_first_come_first_served_within_a_priority():
    queued = [job("c", at=3), job("a", at=1), job("b", at=2), job("p", at=4, priority=5)]
    assert granted(decide(2, [], [], queued)) == ["p", "a"]


def test_a_waiting_job_says_what_it_needs_and_who_has_it():
    holder = Holder(job("h", 2, 0), ())
    decision = decide(2, [], [holder], [job("w", 1, at=1)])
    assert granted(decision) == []
    text = decision.waiting["w"]
    assert "needs 1 CPUs, 0 of 2 are free" in text.en and "n-h (h)" in text.en
    assert "n-h" in text.zh and "CPU" in text.zh


def test_gpus_are_given_by_index_and_never_twice():
    holder = Holder(job("h", 1, 2), (0, 2))
    decision = decide(8, [0, 1, 2, 3], [holder], [job("a", 1, 1, at=1), job("b", 1, 1, at=2)])
    assert [grant.gpus for grant in decision.grants] == [(1,), (3,)]


def test_a_small_job_passes_only_when_the_large_one_is_not_delayed():
    # 4 CPUs, 2 held. `big` needs 3. `small` (1) may run beside it: 3 + 1 = 4.
    holder = Holder(job("h", 2, at=0), ())
    queued = [job("big", 3, at=1), job("small", 1, at=2), job("next", 1, at=3)]
    decision = decide(4, [], [holder], queued)
    assert granted(decision) == ["small"]
    assert "waits behind n-big" in decision.waiting["next"].en
    # Seen again with `small` running: it still counts as one that has passed.
    holders = [holder, Holder(job("small", 1, at=2), ())]
    assert granted(decide(4, [], holders, [queued[0], queued[2]])) == []


jobs_strategy = st.lists(
    st.tuples(st.integers(1, 4), st.integers(0, 2), st.integers(-1, 1)), min_size=1, max_size=12
)


@given(jobs_strategy, st.integers(0, 12))
def test_slots_are_never_handed_out_twice_and_the_first_in_line_is_never_delayed(needs, started):
    gpus = [0, 1]
    queued = [job(f"{n:02}", c, g, at=n, priority=p) for n, (c, g, p) in enumerate(needs)]
    holders: list[Holder] = []
    for _ in range(started):  # let some run first, whatever the queue decides
        decision = decide(4, gpus, holders, queued)
        holders += [Holder(grant.job, grant.gpus) for grant in decision.grants]
        running = {holder.job.id for holder in holders}
        queued = [one for one in queued if one.id not in running]
        if holders:
            holders.pop(0)
    decision = decide(4, gpus, holders, queued)
    now = holders + [Holder(grant.job, grant.gpus) for grant in decision.grants]
    assert sum(holder.job.cpus for holder in now) <= 4
    used = [index for holder in now for index in holder.gpus]
    assert len(used) == len(set(used))
    assert all(len(grant.gpus) == grant.job.gpus for grant in decision.grants)
    assert {one.id for one in queued} == {*granted(decision), *decision.waiting}
    blocked = sorted((one for one in queued if one.id in decision.waiting), key=order)
    if blocked:
        first = blocked[0]
        after = [holder for holder in now if order(holder.job) > order(first)]
        rest_cpus = 4 - sum(holder.job.cpus for holder in after)
        rest_gpus = 2 - sum(len(holder.gpus) for holder in after)
        assert need_of(first).cpus <= rest_cpus and need_of(first).gpus <= rest_gpus


def test_a_priority_that_changes_moves_a_job_forward():
    queued = [job("a", 2, at=1), job("b", 2, at=2)]
    assert granted(decide(2, [], [], queued)) == ["a"]
    queued[1] = msgspec.structs.replace(queued[1], priority=1)
    assert granted(decide(2, [], [], queued)) == ["b"]
