"""A script of one's own that can be killed: it counts, and goes on where it was."""

import json
import os
import time
from pathlib import Path

from starforge import report

STEPS = 40
folder = Path(os.environ["STARFORGE_OUTPUT_DIR"]) / "checkpoints"
folder.mkdir(parents=True, exist_ok=True)
resuming = os.environ.get("STARFORGE_RESUME") == "1"
done = [int(path.stem) for path in folder.glob("*.json")] if resuming else []
report.init(total_steps=STEPS)
for step in range(max(done, default=0) + 1, STEPS + 1):
    time.sleep(0.05)
    report.log({"train/loss": 1.0 / step}, step=step)
    fresh = folder / f"{step}.tmp"
    fresh.write_text(json.dumps({"step": step}))
    fresh.replace(folder / f"{step}.json")
report.finish()
