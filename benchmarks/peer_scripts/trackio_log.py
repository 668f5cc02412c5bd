"""Log STEPS steps of ten metrics with trackio: `trackio_log.py STEPS [SERVER_URL]`.

Without a server its own local path: straight into SQLite. Runs in trackio's environment.
"""

import sys

import trackio

steps, server = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
where = {"server_url": server} if server else {}
trackio.init(
    project="bench", name="run", embed=False, auto_log_gpu=False, auto_log_cpu=False, **where
)
for step in range(steps):
    trackio.log({f"train/m{n}": 0.123456789 * step + n for n in range(10)}, step=step)
trackio.finish()
