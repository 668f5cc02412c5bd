"""The job of a chaos run: known points, lines and samples; checkpoints; it resumes.

After each thing it wrote it notes that in a ledger of its own, one write to the operating
system a note. So the ledger names at least everything of which the writing call returned,
save the very last one.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from starforge import report

CHECKPOINT_EVERY = 10
SAMPLE_EVERY = 5


def main(steps: int, pause: float) -> None:
    """Train ``steps`` steps of ``pause`` seconds, from the newest checkpoint on."""
    checkpoints = Path(os.environ["STARFORGE_OUTPUT_DIR"], "checkpoints")
    checkpoints.mkdir(parents=True, exist_ok=True)
    first = 1
    if os.environ.get("STARFORGE_RESUME") == "1":
        first += max(int(folder.name) for folder in checkpoints.iterdir() if folder.name.isdigit())
    path = Path(os.environ["STARFORGE_ATTEMPT_DIR"], "ledger.txt")
    ledger = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(what: str, step: int) -> None:
        os.write(ledger, f"{what} {step}\n".encode())

    report.init(total_steps=steps)
    note("begin", first)
    for step in range(first, steps + 1):
        report.log({"value": step / 7}, step=step)
        note("point", step)
        print("line", step, flush=True)
        note("line", step)
        if step % SAMPLE_EVERY == 0:
            row = {"prompt": f"prompt {step}", "completion": "字" * (step % 50), "reward": step / 3}
            report.log_samples([row], step=step)
            note("sample", step)
        if step % CHECKPOINT_EVERY == 0:
            save(checkpoints, step)
        time.sleep(pause)
    report.finish()


def save(checkpoints: Path, step: int) -> None:
    """Make a checkpoint that is whole or not there."""
    scratch = checkpoints / f".{step}.{os.getpid()}"
    scratch.mkdir()
    (scratch / "state.json").write_text(json.dumps({"step": step}))
    target = checkpoints / str(step)
    if not target.exists():
        scratch.rename(target)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
