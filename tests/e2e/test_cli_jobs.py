"""The command ``sf`` as a user runs it: its own processes, the server it starts itself."""

import contextlib
import json
import os
import pty
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from e2e_harness import processes_of, wait_for

pytestmark = pytest.mark.e2e


def heed_ctrl_c() -> None:
    """Undo what a background job of a shell inherits: SIGINT ignored, by us and our children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Sf:
    """Runs ``sf`` on a private home, in the lab once there is one."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.lab = folder / "lab"
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("STARFORGE_", "SF_"))}
        config = str(folder / "config")
        self.env = kept | {
            "STARFORGE_HOME": str(self.home), "SF_LANG": "en", "XDG_CONFIG_HOME": config,
        }  # fmt: skip

    def popen(self, *args: str, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "starforge.cli.main", *args],
            cwd=self.lab if self.lab.is_dir() else self.lab.parent,
            env=self.env | env, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_ctrl_c,
        )  # fmt: skip

    def __call__(self, *args: str, **env: str) -> Ran:
        process = self.popen(*args, **env)
        out, err = process.communicate(timeout=120)
        return Ran(process.returncode, out, err)

    def experiment(self, name: str, script: str, **keys: Any) -> None:
        made = self("new", name, "--method", "custom/custom")
        assert made.code == 0, made.err
        folder = self.lab / "experiments" / name
        document = {"method": "custom/custom", "policies": {"stop_grace": 2}, **keys}
        (folder / "experiment.yaml").write_text(json.dumps(document))
        (folder / "train.sh").write_text(script)


@pytest.fixture
def sf(tmp_path: Path) -> Iterator[Sf]:
    made = Sf(tmp_path)
    assert made("init", str(made.lab)).code == 0
    yield made
    with contextlib.suppress(Exception):
        for job in made("job", "ls", "--json").json:
            if job["state"] not in ("succeeded", "failed", "stopped"):
                made("job", "stop", job["id"], "--force", "--wait")
    made("down")
    wait_for(lambda: not processes_of(made.home), 15)


SLOW = """
"$STARFORGE_PYTHON" - <<'PY'
import time
from starforge import report
report.init(total_steps=600)
for step in range(1, 601):
    report.log({"loss": 1.0 / step}, step=step)
    print("step", step, flush=True)
    time.sleep(0.1)
report.finish()
PY
"""


@pytest.fixture
def state(sf: Sf) -> Callable[[str], Any]:
    return lambda job: sf("job", "show", job, "--json").json["state"]


def test_the_whole_way_with_an_embedded_server(sf: Sf) -> None:
    assert sf("status", "--json").json["running"] is False
    assert sf("new", "line", "--method", "custom/custom").code == 0
    ran = sf("submit", "line", "--watch")
    assert ran.code == 0, ran.err
    assert ran.err.count("started the embedded server at http://127.0.0.1:") == 1
    assert "running" in ran.out and "60/60" in ran.out and "succeeded" in ran.out
    assert stat.S_IMODE((sf.home / "token").stat().st_mode) == 0o600

    status = sf("status", "--json").json
    assert status["running"] is True and status["home"] == str(sf.home)
    assert {"url", "pid", "version"} <= set(status)

    job = sf("job", "show", "line", "--json").json
    assert (job["name"], job["method"], job["state"]) == ("line", "custom/custom", "succeeded")
    keys = {"reason", "attempts", "created_at", "started_at", "ended_at", "outputs"}
    assert keys <= set(job)
    curves = sf("job", "metrics", job["id"], "--json").json
    assert len(curves["loss"]["step"]) == len(curves["loss"]["value"]) == 60
    assert set(curves["loss"]["attempt"]) == {0}
    few = sf("job", "metrics", "line", "--name", "loss", "--buckets", "10", "--json").json
    assert list(few) == ["loss"] and len(few["loss"]["step"]) <= 10
    assert "loss" in sf("job", "metrics", "line").out
    assert "┤" in sf("job", "metrics", "line", "--name", "loss").out
    unknown = sf("job", "metrics", "line", "--name", "lss")
    assert unknown.code == 1 and "loss" in unknown.err
    whole = sf("job", "logs", "line").out
    assert sf("job", "logs", "line", "--tail", "2").out == "".join(
        line + "\n" for line in whole.splitlines()[-2:]
    )
    assert sf("job", "logs", job["id"][:6], "--follow").out == whole
    assert [one["id"] for one in sf("job", "ls", "--json").json] == [job["id"]]
    assert sf("down").code == 0
    assert sf("status", "--json").json["running"] is False


def test_what_is_submitted_is_what_was_planned(sf: Sf) -> None:
    sf.experiment("mine", "echo hi", params={})
    plan = sf("plan", "mine", "--json").json
    job = sf("submit", "mine", "--json", "--key", "once").json
    assert {"id", "name", "state"} <= set(job)
    assert job["plan_digest"] == plan["digest"]
    again = sf("submit", "mine", "--json", "--key", "once").json
    assert again["id"] == job["id"]
    assert len(sf("job", "ls", "--json").json) == 1
    assert sf("job", "watch", job["id"]).code == 0


def test_a_failed_job_is_exit_code_1_with_its_last_lines(sf: Sf) -> None:
    sf.experiment("bad", "echo the last words; exit 7")
    ran = sf("submit", "bad", "--watch")
    assert ran.code == 1
    assert "the last words" in ran.err and "7" in ran.err
    assert sf("job", "watch", "bad").code == 1
    shown = sf("job", "show", "bad", "--json").json
    assert (shown["state"], shown["reason"]) == ("failed", "exit_code")
    assert shown["attempts"][0]["exit_code"] == 7


def test_ctrl_c_leaves_the_view_and_the_job_goes_on(sf: Sf, state: Callable[[str], Any]) -> None:
    sf.experiment("slow", SLOW)
    watching = sf.popen("submit", "slow", "--watch")
    wait_for(lambda: sf("job", "ls", "--state", "running", "--json").json)
    time.sleep(1.0)
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate(timeout=20)
    assert watching.returncode == 0, err
    assert "the job goes on" in err and "sf job stop" in err and "Traceback" not in err
    assert state("slow") == "running"
    stopped = sf("job", "stop", "slow", "--wait", "--json").json
    assert (stopped["state"], stopped["reason"]) == ("stopped", "stopped_by_user")
    assert sf("job", "watch", "slow").code == 1


def test_the_live_view_on_a_terminal(sf: Sf) -> None:
    """Under a real terminal: bar, curve and log are drawn; Ctrl-C gives the terminal back."""
    sf.experiment("slow", SLOW)
    assert sf("submit", "slow").code == 0
    controller, terminal = pty.openpty()
    watching = subprocess.Popen(
        [sys.executable, "-m", "starforge.cli.main", "job", "watch", "slow"],
        cwd=sf.lab, env=sf.env | {"TERM": "xterm-256color"}, stdin=terminal, stdout=terminal,
        stderr=terminal, start_new_session=True, preexec_fn=heed_ctrl_c,
    )  # fmt: skip
    os.close(terminal)
    shown = ""

    def drawn() -> bool:
        nonlocal shown
        while select.select([controller], [], [], 0.1)[0]:
            shown += os.read(controller, 65536).decode("utf-8", "replace")
        return all(part in shown for part in ("running", "/600", "━", "loss", "▁", "step "))

    wait_for(drawn)
    watching.send_signal(signal.SIGINT)
    assert watching.wait(20) == 0
    with contextlib.suppress(OSError):
        while select.select([controller], [], [], 0.1)[0]:
            shown += os.read(controller, 65536).decode("utf-8", "replace")
    os.close(controller)
    assert "the job goes on" in shown
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l"), "the cursor is back"
    assert sf("job", "stop", "slow", "--wait").code == 0


def test_watching_goes_on_over_a_server_that_dies(sf: Sf, state: Callable[[str], Any]) -> None:
    sf.experiment("slow", SLOW.replace("601", "61").replace("600", "60"))
    assert sf("up").code == 0
    watching = sf.popen("submit", "slow", "--watch")
    wait_for(lambda: sf("job", "ls", "--state", "running", "--json").json)
    os.kill(sf("status", "--json").json["pid"], signal.SIGKILL)
    # At another address, as a rule: another program may have the old one by now.
    assert sf("up").code == 0
    out, err = watching.communicate(timeout=60)
    assert watching.returncode == 0, err
    assert "60/60" in out and "succeeded" in out
    assert sf("job", "metrics", "slow", "--json").json["loss"]["step"] == list(range(1, 61))


def test_two_first_commands_at_once_share_one_server(sf: Sf) -> None:
    both = [sf.popen("job", "ls", "--json") for _ in range(3)]
    said = []
    for one in both:
        out, err = one.communicate(timeout=60)
        assert (one.returncode, out.strip()) == (0, "[]"), err
        said += err.splitlines()
    assert len(said) == 1, "only the command that started the server says so"


def test_unknown_jobs_and_wrong_tokens(sf: Sf) -> None:
    missing = sf("job", "show", "nope", "--json")
    assert missing.code == 1 and missing.json["error"]["message"]
    assert sf("job", "delete", "nope", "--yes").code == 1
    url = sf("status", "--json").json["url"]
    refused = sf("job", "ls", STARFORGE_URL=url, STARFORGE_TOKEN="wrong")
    assert refused.code == 4 and "token" in refused.err
    token = sf.lab / "t"
    token.write_text("wrong")
    assert sf("login", url, "--token-file", str(token)).code == 4
    token.write_text((sf.home / "token").read_text())
    assert sf("login", url, "--token-file", str(token)).code == 0
    assert sf("status", "--json").json["origin"] == "login"
    assert sf("logout", "--json").json["url"] == url


def test_a_busy_port_is_one_clear_error(sf: Sf) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = sf("up", "--port", str(port))
    assert ran.code == 3
    assert f"port {port}" in ran.err and "Traceback" not in ran.err
    assert sf("status", "--json").json["running"] is False


def test_data_models_and_deleting(sf: Sf) -> None:
    data = sf.lab / "data/rows.jsonl"
    data.write_text('{"prompt": "a", "completion": "b"}\n' * 3)
    first = sf("dataset", "add", "rows", str(data), "--json").json
    assert (first["ref"], first["rows"]) == ("dataset:rows@1", 3)
    assert sf("dataset", "add", "rows", str(data), "--json").json["version"] == 1
    data.write_text('{"prompt": "a", "completion": "c"}\n')
    assert sf("dataset", "add", "rows", str(data), "--json").json["version"] == 2
    assert sf("dataset", "show", "rows", "--json").json["version"] == 2
    assert sf("dataset", "show", "dataset:rows@1", "--json").json["rows"] == 3
    assert sf("dataset", "show", "rows@9").code == 1
    assert len(sf("dataset", "ls", "--json").json) == 2
    assert "dataset:rows@1" in sf("dataset", "ls").out

    assert sf("model", "add", "m", str(sf.lab / "none")).code == 1
    folder = sf.lab / "toy"
    folder.mkdir()
    (folder / "config.json").write_text('{"architectures": ["Toy"], "model_type": "toy"}')
    (folder / "model.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    added = sf("model", "add", "toy", str(folder), "--json")
    assert added.code == 0, added.err
    assert added.json["ref"] == "model:toy@1"
    uploaded = sf("model", "add", "toy2", str(folder), "--upload", "--json")
    assert uploaded.code == 0, uploaded.err
    shown = sf("model", "show", "toy2", "--json").json
    assert shown["location"] != added.json["location"] == str(folder)
    assert (Path(shown["location"]) / "config.json").read_bytes() == (
        folder / "config.json"
    ).read_bytes()
    assert len(sf("model", "ls", "--json").json) == 2

    sf.experiment("brief", "echo hi")
    assert sf("submit", "brief", "--watch").code == 0
    deleted = sf("job", "delete", "brief", "--json").json
    assert deleted["deleted"] is True
    assert sf("job", "show", "brief").code == 1
    assert not (sf.home / "jobs" / deleted["id"]).exists()


def test_retry_and_resume(sf: Sf, state: Callable[[str], Any]) -> None:
    sf.experiment(
        "once",
        'test -e "$STARFORGE_OUTPUT_DIR/../seen" || { touch '
        '"$STARFORGE_OUTPUT_DIR/../seen"; exit 3; }',
    )
    assert sf("submit", "once", "--watch").code == 1
    assert sf("job", "retry", "once", "--json").json["attempt"] == 1
    assert sf("job", "watch", "once").code == 0
    assert state("once") == "succeeded"
    assert len(sf("job", "show", "once", "--json").json["attempts"]) == 2


def test_import_a_run_made_without_a_server(sf: Sf) -> None:
    code = (
        "from starforge import report\n"
        "with report.init(dir='run', total_steps=2):\n"
        "    for step in (1, 2): report.log({'loss': 1.0 / step}, step=step)\n"
    )
    env = {k: v for k, v in sf.env.items() if not k.startswith("STARFORGE_")}
    subprocess.run([sys.executable, "-c", code], cwd=sf.lab, env=env, check=True)
    imported = sf("job", "import", "run", "--name", "offline", "--json")
    assert imported.code == 0, imported.err
    assert imported.json["name"] == "offline"
    assert sf("job", "metrics", "offline", "--json").json["loss"]["value"] == [1.0, 0.5]
    assert sf("job", "import", "missing").code == 2


SCORE = """
"$STARFORGE_PYTHON" - <<'PY'
from starforge import report
with report.init():
    report.log_score("toy", "acc", 0.25, stderr=0.05, items=80, settings={"few_shot": SHOTS})
PY
"""


def test_scores_come_to_the_board_by_settings(sf: Sf) -> None:
    for name, shots in (("first", "0"), ("second", "8")):
        sf.experiment(name, SCORE.replace("SHOTS", shots))
        assert sf("submit", name, "--watch").code == 0
    scores = sf("bench", "board", "--json").json
    keys = {
        "model", "job", "benchmark", "metric", "value", "stderr", "items", "settings", "created_at",
    }  # fmt: skip
    assert len(scores) == 2 and all(keys <= set(score) for score in scores)
    assert {score["settings"]["few_shot"] for score in scores} == {0, 8}
    shown = sf("bench", "board").out
    assert "0.25 ±0.05 n=80" in shown
    assert "acc #2" in shown and "few_shot 0 (8)" in shown
    assert sf("bench", "board", "--benchmark", "other", "--json").json == []
