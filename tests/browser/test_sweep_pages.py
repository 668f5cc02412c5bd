"""Sweeps as a person sees them: trials as they come, the best one, early ends, stop and resume."""

import pytest
from e2e_harness import wait_for, write_experiment

from starforge.client.sweeps import run
from starforge.prepare import prepare

pytestmark = pytest.mark.e2e

HOSTILE = "<img src=x onerror=window.broken=1>"
# The score is best at 0.3; `gate` names a file that is waited for.
TRIAL = """\
"$STARFORGE_PYTHON" -c '
import json, os, time
from starforge import report
given = json.load(open(os.environ["STARFORGE_CONFIG"]))
while given["gate"] and not os.path.exists(given["gate"]):
    time.sleep(0.1)
x = float(given["x"])
with report.init(total_steps=9) as run:
    for step in range(1, 10):
        report.log({"own/score": -((x - 0.3) ** 2) * (10 - step)}, step=step)
        time.sleep(float(given["pause"]))
'
"""


@pytest.fixture(scope="module")
def begin(server, tmp_path_factory):
    """Run a sweep over ``x``: ``begin(name, values, gate=..., pause=..., **more)``."""
    folder = write_experiment(tmp_path_factory.mktemp("lab"), TRIAL)
    (folder / "config.yaml").write_text("x: 0\ngate: ''\npause: 0\nkind: a\n")

    def started(name, values, gate="", pause=0, **more):
        sets = [f"gate={gate}", f"pause={pause}"]
        prepared = prepare(folder, sets=sets)
        assert prepared.ok, [one.message.en for one in prepared.findings]
        trials = [one if isinstance(one, dict) else {"x": str(one)} for one in values]
        asked = {"metric": "own/score", "goal": "max", "trials": trials, "sets": sets, **more}
        return run(server.client(), prepared, name=name, **asked)

    return started


def wait_end(client, ident):
    def look():
        found = client.sweeps.get(ident)
        return found if found.state in ("succeeded", "failed", "stopped") else None

    return wait_for(look, 120.0)


@pytest.fixture(scope="module")
def pruned(server, begin):
    """A sweep that has ended, of which two trials were ended early."""
    made = begin("pruned", [0.3, 0.9, 1.5], pause=0.5, early_stop={"factor": 3})
    found = wait_end(server.client(), made.id)
    assert [one.state for one in found.trials] == ["succeeded", "pruned", "pruned"]
    return found


def open_run(page, server, made, search=""):
    page.goto(f"{server.url}/sweeps/{made.id}{search}")
    page.get_by_role("heading", name=made.name, level=1).wait_for()


def trial(page, number):
    """The row of a trial."""
    return page.locator(f"#row-{number}")


def test_trials_come_by_themselves_and_the_best_is_named(page, server, begin, tmp_path):
    page.goto(f"{server.url}/sweeps")
    page.get_by_role("heading", name="Sweeps", exact=True).wait_for()
    go = tmp_path / "go"
    made = begin("rates", [0.1, 0.35, 0.9], gate=str(go), jobs=2)
    row = page.get_by_role("row").filter(has_text="rates")
    row.get_by_text("0 of 3 succeeded").wait_for()
    row.get_by_role("link", name="rates").click()
    trial(page, 1).get_by_text("running").wait_for()
    trial(page, 2).get_by_text("waiting").wait_for()
    page.get_by_text("No trial has succeeded").wait_for()
    go.touch()
    trial(page, 2).get_by_text("succeeded").wait_for()
    best = page.get_by_role("region", name="Best trial")
    best.get_by_text("trial 1").wait_for()
    best.get_by_text("0.35").wait_for()
    page.get_by_text(f"sf sweep best {made.id}").wait_for()
    trial(page, 1).get_by_role("img", name="the best").wait_for()


def test_a_search_says_how_many_are_to_come(page, server, client, begin, tmp_path):
    made = begin(
        "search", [], gate=str(tmp_path / "never"),
        search={"space": ["x=0.0..1.0"], "count": 20}, early_stop={"factor": 4, "first": 2},
    )  # fmt: skip
    open_run(page, server, made)
    trial(page, 0).get_by_text("running").wait_for()
    page.get_by_text("0 of 20 succeeded").wait_for()
    page.get_by_text("1 of 20").wait_for()
    page.get_by_text("early stop from step 2 on, 1 of 4 stays").wait_for()
    page.get_by_role("button", name="Stop", exact=True).click()
    asked = page.get_by_role("dialog")
    asked.get_by_text(f"sf sweep stop {made.id}").wait_for()
    asked.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Resume", exact=True).wait_for()
    trial(page, 0).get_by_text("stopped", exact=True).wait_for()
    assert wait_end(client, made.id).state == "stopped"
    page.get_by_role("button", name="Resume", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Resume", exact=True).click()
    trial(page, 0).get_by_text("running").wait_for()
    client.sweeps.stop(made.id)
    trial(page, 0).get_by_text("stopped", exact=True).wait_for()


def test_an_early_end_says_its_step_and_why(page, server, pruned):
    open_run(page, server, pruned)
    row = trial(page, 2)
    row.get_by_text("ended early").wait_for()
    row.get_by_text(f"at step {pruned.trials[2].pruned_at}", exact=True).wait_for()
    row.get_by_text("own/score was").wait_for()


def test_order_axis_and_trial_are_in_the_address(page, server, pruned):
    open_run(page, server, pruned)
    page.get_by_role("button", name="Sort by own/score").click()
    page.wait_for_url("**/sweeps/*?sort=value")
    page.get_by_role("combobox", name="Over").click()
    page.get_by_role("option", name="x", exact=True).click()
    page.get_by_role("img", name="own/score over x").wait_for()
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("j")
    page.wait_for_url("**/sweeps/*?*trial=*")
    page.reload()
    page.get_by_role("img", name="own/score over x").wait_for()
    order = [row.get_attribute("id") for row in page.locator("tbody tr").all()]
    values = {f"row-{one.number}": one.value for one in pruned.trials}
    assert [values[one] for one in order] == sorted(values.values())
    assert page.locator("tr[data-marked=true]").get_attribute("id") == order[0]


def test_from_a_trial_to_its_job_and_back(page, server, pruned):
    open_run(page, server, pruned, "?trial=1")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="pruned-1").wait_for()
    page.get_by_text("trial 1", exact=True).wait_for()
    page.get_by_role("link", name="pruned", exact=True).click()
    page.wait_for_url("**/sweeps/*?trial=1")
    page.get_by_role("link", name="All jobs of this sweep").click()
    page.get_by_role("link", name="pruned-2").first.wait_for()


def test_hostile_texts_stay_texts(page, server, client, begin):
    made = begin(HOSTILE, [{"x": "0.3", "kind": HOSTILE}])
    wait_end(client, made.id)
    for path in ("sweeps", f"sweeps/{made.id}?x=kind"):
        page.goto(f"{server.url}/{path}")
        page.get_by_text("onerror").first.wait_for()
        assert page.evaluate("window.broken") is None
        assert page.locator("img[src=x]").count() == 0


@pytest.mark.parametrize(
    "path",
    ["sweeps", "sweeps?q=nothing", "sweeps/{id}?trial=1"],
    ids=["list", "none", "one"],
)
def test_its_pages_break_no_rule_of_accessibility(page, server, pruned, axe, path):
    page.goto(f"{server.url}/{path.format(id=pruned.id)}")
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_timeout(500)
    assert axe(page) == []


def test_an_unknown_sweep_says_so(page, server):
    page.goto(f"{server.url}/sweeps/no-such")
    page.get_by_text("there is no sweep").wait_for()
