"""Log STEPS steps of ten metrics to an MLflow server: `mlflow_log.py STEPS SERVER_URL HOW`.

`plain` is `mlflow.log_metrics` at every step, `batched` is `log_batch` of 1,000 values, the
most a call may carry. Runs in MLflow's environment.
"""

import sys
import time

import mlflow
from mlflow.entities import Metric
from mlflow.tracking import MlflowClient

steps, server, how = int(sys.argv[1]), sys.argv[2], sys.argv[3]
mlflow.set_tracking_uri(server)
mlflow.set_experiment("bench")
with mlflow.start_run() as run:
    if how == "plain":
        for step in range(steps):
            values = {f"train/m{n}": 0.123456789 * step + n for n in range(10)}
            mlflow.log_metrics(values, step=step)
    else:
        client = MlflowClient()
        for first in range(0, steps, 100):
            now = int(time.time() * 1000)
            client.log_batch(
                run.info.run_id,
                metrics=[
                    Metric(f"train/m{n}", 0.123456789 * step + n, now, step)
                    for step in range(first, min(steps, first + 100))
                    for n in range(10)
                ],
            )
    print(run.info.run_id)
