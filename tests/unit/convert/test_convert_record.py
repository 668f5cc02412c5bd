"""``--run``: the script really runs, and what trains is recorded instead."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import psutil
import pytest

from starforge.catalog.load import load_catalog
from starforge.convert.importing.record import record_script
from starforge.convert.importing.source import from_reading
from starforge.errors import StarForgeError

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="runs scripts")

SCRIPT = r"""
export SEEN=yes
steps=$(python3 -c 'print(6 * 7)')
touch marker
launch() { python3 -m verl.trainer.main_ppo "$@"; }
for rate in 1e-6 2e-6; do
    if echo $rate | grep -q 2e-6; then
        launch algorithm.adv_estimator=rloo actor_rollout_ref.actor.optim.lr=$rate \
            trainer.total_training_steps=$steps data.train_files=$PWD/rows.jsonl data.seed=$1
    fi
done
rm -rf keep
pip install something
"""


def write(folder: Path, text: str) -> Path:
    script = folder / "run.sh"
    script.write_text(text, "utf-8")
    return script


def test_loops_and_functions_come_to_the_command(tmp_path: Path) -> None:
    (tmp_path / "keep").mkdir()
    reading = record_script(write(tmp_path, SCRIPT), ["5"])
    names = [one.args[0].text for one in reading.commands]
    assert names == ["python3", "rm", "pip"]
    assert reading.commands[0].env == {"SEEN": "yes"}
    upstream = from_reading("run.sh", reading, load_catalog())
    assert upstream.method == "verl/rloo"
    assert upstream.value("actor_rollout_ref.actor.optim.lr") == 2e-6
    assert upstream.value("trainer.total_training_steps") == 42
    assert upstream.value("data.seed") == 5
    # Places in the copy are told as places in the real folder, which is left alone.
    assert upstream.data["train"].sources == [str(tmp_path / "rows.jsonl")]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["keep", "run.sh"]


def test_a_script_that_does_not_end_is_ended(tmp_path: Path) -> None:
    script = write(tmp_path, "echo $$ > /dev/null; while true; do read -t 1 x < /dev/tty; done\n")
    with pytest.raises(StarForgeError) as caught:
        record_script(script, time_limit=0.5)
    assert caught.value.code == "import/run-failed"


def test_nothing_stays_in_the_background(tmp_path: Path) -> None:
    sleeper = shutil.which("sleep")
    pid_file = tmp_path / "pid"
    record_script(write(tmp_path, f"{sleeper} 600 &\necho $! > {pid_file}\n"))
    pid = int(pid_file.read_text())
    deadline = time.monotonic() + 10
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.01)
