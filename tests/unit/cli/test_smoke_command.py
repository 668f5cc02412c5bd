"""``sf smoke`` and ``sf submit --smoke-first`` as a person uses them."""

import pytest

FAILS = "raise ValueError('labels of the wrong shape')\n"
TRAINS = """\
from starforge import report

report.init(total_steps=2)
for step in (1, 2):
    report.log({"loss": 1 / step}, step=step)
report.finish()
"""


@pytest.fixture
def script(lab, sf):
    """A lab's experiment of a script of one's own; returns a function that writes it."""
    assert sf("new", "own", "--method", "custom/custom").code == 0

    def write(text):
        (lab / "experiments" / "own" / "train.py").write_text(text, "utf-8")

    return write


def test_a_table_and_what_was_proved(script, sf):
    script(TRAINS)
    ran = sf("smoke", "own")
    assert ran.code == 0, ran.err
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["step", "loss"] in rows
    assert ["2", "0.5"] in rows
    assert "  - the script starts and reports" in ran.out
    assert "step 2/2" in ran.err


def test_a_failure_is_a_reason_the_log_and_1(script, sf):
    script(FAILS)
    ran = sf("smoke", "own")
    assert ran.code == 1
    assert "smoke test failed: ValueError: labels of the wrong shape" in ran.out
    assert "last lines of its log:" in ran.out
    assert "proved" not in ran.out
    assert "试跑失败：ValueError" in sf("--lang", "zh", "smoke", "own").out


def test_an_exit_code_is_a_reason_without_an_empty_heading(script, sf):
    script("import sys\nprint('boom')\nsys.exit(7)\n")
    lines = sf("smoke", "own").out.splitlines()
    assert lines[0] == "smoke test failed: trainer-0 ended with exit code 7."
    assert "  boom" in lines
    said = sf("--lang", "zh", "smoke", "own").out.splitlines()[0]
    assert said == "试跑失败：trainer-0 以退出码 7 结束。"


def test_json_has_all_of_it(script, sf):
    script(TRAINS)
    ran = sf("smoke", "own", "--json")
    assert ran.code == 0
    assert ran.json["ok"]
    assert ran.json["method"] == "custom/custom"
    assert [step["step"] for step in ran.json["steps"]] == [1, 2]
    assert ran.json["folder"] is None


def test_what_does_not_validate_is_not_tried(lab, sf):
    ran = sf("smoke", "mine", "--set", "batch_size=0")
    assert ran.code == 1
    assert "batch_size" in ran.err
    assert ran.out == ""


def test_without_the_runtime_it_says_how_to_get_it(lab, sf):
    ran = sf("smoke", "mine")
    assert ran.code == 1
    assert "sf runtime install trl --device cpu" in ran.err


def test_a_model_folder_without_a_config(lab, sf, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    ran = sf("smoke", "mine", "--model", str(tmp_path / "empty"))
    assert ran.code == 1
    assert "Traceback" not in ran.err


def test_submit_stops_when_the_smoke_run_fails(script, sf, private_home):
    script(FAILS)
    ran = sf("submit", "own", "--smoke-first")
    assert ran.code == 1
    assert "ValueError: labels of the wrong shape" in ran.err
    assert "not submitted" in ran.err
    assert not (private_home / "server.json").exists(), "no server was asked for anything"
