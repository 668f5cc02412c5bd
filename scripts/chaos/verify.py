"""Compare what the server has of a job with what the job is known to have written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fleet import ChaosJob
from train import SAMPLE_EVERY

from starforge.client.client import Client
from starforge.errors import StarForgeError
from starforge.wire.jobs import Attempt, JobDetail


@dataclass
class Verdict:
    """What was found of one job; ``faults`` is empty when all is as it must be."""

    job: str
    attempts: int
    ends: Counter[str] = field(default_factory=Counter)
    points: int = 0
    lines: int = 0
    samples: int = 0
    faults: list[str] = field(default_factory=list)


def verify(
    client: Client, job: ChaosJob, home: Path, hits: Mapping[tuple[str, int], set[str]]
) -> Verdict:
    """Check a job that should have succeeded: every attempt, then the joined curve."""
    seen = client.jobs.get(job.id)
    verdict = Verdict(job.id, len(seen.attempts))
    if (seen.state, seen.reason) != ("succeeded", "completed"):
        verdict.faults.append(f"the job is {seen.state} ({seen.reason}): {seen.message}")
    last = len(seen.attempts) - 1
    if [attempt.number for attempt in seen.attempts] != list(range(last + 1)):
        verdict.faults.append("the attempts are not numbered one by one")
    firsts: list[tuple[int, int, int]] = []
    for attempt in seen.attempts:
        verdict.ends[attempt.reason or attempt.state] += 1
        ledger = read_ledger(home / "jobs" / job.id / f"attempt-{attempt.number}" / "ledger.txt")
        points = _check_attempt(client, seen, attempt, ledger, verdict)
        verdict.faults += _check_end(attempt, job.steps, ledger, hits.get((job.id, attempt.number)))
        if points:
            firsts.append((attempt.number, points[0], points[-1]))
    _check_joined(client, job, firsts, verdict)
    return verdict


def read_ledger(path: Path) -> dict[str, list[int]]:
    """Return the steps that a trainer noted, by kind."""
    noted: dict[str, list[int]] = {"begin": [], "point": [], "line": [], "sample": []}
    if path.exists():
        for line in path.read_text().splitlines():
            what, step = line.split()
            noted[what].append(int(step))
    return noted


def _check_attempt(
    client: Client, job: JobDetail, attempt: Attempt, ledger: dict[str, list[int]], into: Verdict
) -> list[int]:
    """Check one attempt's points, lines and samples; return the steps of its points."""
    number, name = attempt.number, f"attempt {attempt.number}"
    curve = client.jobs.metrics(job.id, names=["value"], attempt=number).get("value")
    points = curve.step if curve else []
    if curve and curve.value != [step / 7 for step in points]:
        into.faults.append(f"{name}: values differ")
    lines = _lines(client, job.id, number)
    rows = client.jobs.samples(job.id, attempt=number, limit=1000, sort="step").samples
    samples = [row.step or 0 for row in rows]
    for row in rows:
        step = row.step or 0
        expected = (f"prompt {step}", "字" * (step % 50), step / 3)
        if (row.prompt, row.completion, row.reward) != expected:
            into.faults.append(f"{name}: the sample of step {step} differs")
    said = [int(text.removeprefix("line ")) for text in lines if text.startswith("line ")]
    if len(said) != len(lines):
        into.faults.append(f"{name}: foreign lines {[t for t in lines if t[:5] != 'line ']}")
    every = {"point": 1, "line": 1, "sample": SAMPLE_EVERY}
    for what, have in (("point", points), ("line", said), ("sample", samples)):
        into.faults += [f"{name}: {fault}" for fault in _gaps(what, have, ledger, every[what])]
    into.points += len(points)
    into.lines += len(lines)
    into.samples += len(samples)
    return points


def _lines(client: Client, job: str, attempt: int) -> list[str]:
    try:
        page = client.jobs.logs(job, attempt=attempt, from_line=0, limit=10_000)
    except StarForgeError as error:
        if error.status == 404:  # it was killed before it had a log
            return []
        raise
    return [line.text for line in page.lines]


def _gaps(what: str, have: list[int], ledger: dict[str, list[int]], every: int) -> list[str]:
    """Compare steps with the ledger: all of it, in order, and at most one more."""
    noted = ledger[what]
    first = (ledger["begin"] or [1])[0]
    more = noted[-1] + every if noted else -(-first // every) * every
    if have in (noted, [*noted, more]):
        return []
    lost, double = set(noted) - set(have), [s for s, n in Counter(have).items() if n > 1]
    return [f"{what}s: lost {sorted(lost)}, twice {double}, have {len(have)} of {len(noted)}"]


def _check_end(
    attempt: Attempt, steps: int, ledger: dict[str, list[int]], hit: set[str] | None
) -> list[str]:
    """Check that an attempt's end is what happened to it."""
    end, hit = (attempt.state, attempt.reason), hit or set()
    name = f"attempt {attempt.number}"
    if end == ("succeeded", "completed"):
        first = ledger["begin"][0] if ledger["begin"] else 1
        whole = (ledger["point"] or [first - 1])[-1] == steps
        return [] if whole else [f"{name}: called succeeded, but is not whole"]
    allowed: dict[tuple[str, str | None], str]
    allowed = {("failed", "runner_lost"): "runner", ("failed", "signal"): "trainer"}
    if allowed.get(end) in hit:
        return []
    return [f"{name}: ended as {end}, but only {sorted(hit) or 'nothing'} was killed"]


def _check_joined(
    client: Client, job: ChaosJob, firsts: Sequence[tuple[int, int, int]], into: Verdict
) -> None:
    """Check the curve over all attempts: each step once, from the attempt that counts."""
    owner: dict[int, int] = {}
    for number, first, last in firsts:
        owner = {step: who for step, who in owner.items() if step < first}
        owner |= dict.fromkeys(range(first, last + 1), number)
    curve = client.jobs.metrics(job.id, names=["value"]).get("value")
    steps, attempts = (curve.step, curve.attempt) if curve else ([], [])
    if steps != list(range(1, job.steps + 1)):
        into.faults.append(f"the joined curve has {len(steps)} of {job.steps} steps")
    if attempts != [owner.get(step) for step in steps]:
        into.faults.append("the joined curve mixes attempts")
