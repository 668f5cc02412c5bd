"""An attempt of real processes, and the runner that watches over it."""

import json
import subprocess
import sys

from ingest_server import JOB

from starforge import layout

PYTHON = sys.executable


class Attempt:
    """An attempt folder and, once started, its runner."""

    def __init__(self, folder):
        self.dir = folder / "job" / "attempt-0"
        self.dir.mkdir(parents=True)
        self.runner = None

    def launch(self, *argvs, policies=None, **more):
        processes = [
            {"role": "trainer", "rank": rank, "argv": argv, "env": {"SAID": "hello"}, "cwd": None}
            for rank, argv in enumerate(argvs)
        ]
        document = {
            "job": JOB, "attempt": 0, "server": None, "token": "secret", "streams": [],
            "processes": processes, "policies": {"stop_grace": 5, **(policies or {})}, **more,
        }  # fmt: skip
        (self.dir / layout.LAUNCH).write_text(json.dumps(document))
        return self

    def start(self):
        self.runner = subprocess.Popen(
            [PYTHON, "-m", "starforge.runner", str(self.dir)], stderr=subprocess.PIPE, text=True
        )
        return self

    def wait(self):
        assert self.runner.wait(30) == 0, self.runner.stderr.read()
        return self.status()

    def run(self):
        return self.start().wait()

    def status(self):
        try:
            return json.loads((self.dir / layout.STATUS).read_text())
        except FileNotFoundError:
            return {"state": None}

    def log(self, rank=0):
        try:
            return (self.dir / f"logs/trainer-{rank}.log").read_text()
        except FileNotFoundError:
            return ""

    def is_up(self):
        return "up" in self.log() and self.status()["state"] == "running"

    def processes(self):
        return json.loads((self.dir / layout.PROCESSES).read_text())


def bash(script):
    return ["bash", "-c", script]


def summary(status):
    return status["state"], status["reason"], status["exit_code"]
