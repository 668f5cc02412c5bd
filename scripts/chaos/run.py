"""``make chaos``: jobs with known output run while everything around them is killed.

In the end every job must have a true end state, and every point, line and sample must be
there exactly once. Exit code 0 says so.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fleet import Fleet
from killer import KINDS, Killer, processes
from verify import Verdict, verify
from world import World

SETTLE = 240.0  # seconds for the last jobs once nothing is killed any more


def main(argv: Sequence[str] | None = None) -> int:
    """Run the chaos; 0 when nothing was lost, doubled or wrongly called."""
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--jobs", type=int, default=4, help="how many run at a time")
    parser.add_argument("--pause", type=float, default=1.0, help="mean seconds between kills")
    parser.add_argument("--keep", action="store_true", help="keep the folder even when all is well")
    args = parser.parse_args(argv)
    root = Path(tempfile.mkdtemp(prefix="starforge-chaos-"))
    print(f"chaos: {args.minutes:g} minutes, seed {args.seed}, in {root}", flush=True)
    world = World(root / "home", slots=args.jobs)
    world.start()
    try:
        well = _run(world, root / "lab", args)
    finally:
        world.kill_server()
    if well and not args.keep:
        shutil.rmtree(root)
    return 0 if well else 1


def _run(world: World, lab: Path, args: argparse.Namespace) -> bool:
    rng = random.Random(args.seed)
    fleet = Fleet(world, lab, rng)
    killer = Killer(world, random.Random(args.seed + 1), args.pause)
    began = time.monotonic()
    said = began
    killer.start()
    while time.monotonic() - began < args.minutes * 60 and killer.error is None:
        fleet.tend(args.jobs)
        if time.monotonic() - said > 30:
            said = time.monotonic()
            _say(f"{said - began:.0f} s: {len(fleet.jobs)} jobs, {killer.kills.total()} kills")
        time.sleep(0.3)
    killer.stop()
    _say("no more kills; waiting for the last jobs")
    deadline = time.monotonic() + SETTLE
    while fleet.tend(0) and time.monotonic() < deadline:
        time.sleep(0.5)
    verdicts = world.patiently(
        lambda client: [verify(client, job, world.home, killer.hits) for job in fleet.jobs]
    )
    left = _left(world)
    _print(verdicts, killer, left)
    whole = not any(verdict.faults for verdict in verdicts)
    return whole and not left and killer.error is None and killer.kills.total() > 0


def _left(world: World) -> dict[tuple[str, int], list[tuple[str, int]]]:
    """Return the processes that stay although every job has ended."""
    deadline = time.monotonic() + 15
    while (left := processes(world.home)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return left


def _print(verdicts: Sequence[Verdict], killer: Killer, left: object) -> None:
    form = "{:<14}{:>9}{:>9}{:>9}{:>9}  {:<44}{}"
    print(form.format("job", "attempts", "points", "lines", "samples", "ends", "verdict"))
    for one in verdicts:
        ends = ", ".join(f"{reason} {count}" for reason, count in sorted(one.ends.items()))
        word = "WRONG" if one.faults else "whole"
        print(form.format(one.job, one.attempts, one.points, one.lines, one.samples, ends, word))
        for fault in one.faults:
            print(f"    {fault}")
    total = sum((one.ends for one in verdicts), Counter[str]())
    print(f"\njobs {len(verdicts)}, attempts {sum(v.attempts for v in verdicts)}: {dict(total)}")
    kinds = ", ".join(f"{kind} {killer.kills[kind]}" for kind in KINDS)
    print(f"kills {killer.kills.total()}: {kinds}")
    totals = ", ".join(
        f"{name} {sum(getattr(v, name) for v in verdicts)}"
        for name in ("points", "lines", "samples")
    )
    print(f"{totals}; jobs with faults {sum(bool(v.faults) for v in verdicts)}")
    print(f"processes left: {left or 'none'}")
    if killer.error is not None:
        print(f"the killer itself failed: {killer.error!r}")


def _say(text: str) -> None:
    print(f"chaos: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
