"""Pipelines as a person sees them: watched to the end, stopped, resumed, linked to and from."""

import re

import pytest
import yaml
from e2e_harness import wait_for, write_experiment
from playwright.sync_api import expect

from starforge.client.pipelines import run
from starforge.pipelines.examine import examine
from starforge.wire.pipelines import ENDED

pytestmark = pytest.mark.e2e

HOSTILE = "<img src=x onerror=window.broken=1>"
SCORE = """\
"$STARFORGE_PYTHON" -c '
from starforge import report
report.init()
report.log_score("own", "acc", {value}, stderr=0.1)
report.finish()
'
"""
WAIT = 'until test -e "{file}"; do sleep 0.1; done\n'


@pytest.fixture(scope="module")
def begin(server, tmp_path_factory):
    """Run a pipeline: ``begin(name, stages, **scripts)``, with a script for every experiment."""
    lab = tmp_path_factory.mktemp("lab")
    (lab / "starforge.yaml").write_text("name: lab\n")
    count = iter(range(100))

    def started(name, stages, **scripts):
        for experiment, script in scripts.items():
            write_experiment(lab / "experiments", script, experiment)
        file = lab / "pipelines" / f"p{next(count)}" / "pipeline.yaml"
        file.parent.mkdir(parents=True)
        text = yaml.safe_dump({"name": name, "stages": stages}, sort_keys=False)
        file.write_text(text, "utf-8")
        found = examine(file, file.parent / "work")
        assert found.ok, [one.message.en for one in found.findings]
        return run(server.client(), found)

    return started


def wait_end(client, ident):
    def look():
        found = client.pipelines.get(ident)
        return found if found.state in ENDED else None

    return wait_for(look, 60.0)


@pytest.fixture(scope="module")
def missed(server, begin):
    """A pipeline whose gate is not met, with a branch that goes on all the same."""
    scored = {"experiment": "weak", "gate": "own.acc >= 0.5"}
    stages = {
        "measure": scored,
        "later": {"experiment": "aside", "needs": ["measure"]},
        "aside": {"experiment": "aside"},
    }
    made = begin("missed", stages, weak=SCORE.format(value=0.4), aside="true")
    return wait_end(server.client(), made.id)


def open_run(page, server, made, search=""):
    page.goto(f"{server.url}/pipelines/{made.id}{search}")
    page.get_by_role("heading", name=made.name, level=1).wait_for()


def box(page, name):
    """The box of a stage in the graph."""
    graph = page.get_by_role("region", name="How the stages build on each other")
    return graph.get_by_role("button").filter(has_text=re.compile(f"^{name}"))


def test_a_pipeline_is_watched_to_its_end(page, server, begin, tmp_path):
    page.goto(f"{server.url}/pipelines")
    page.get_by_role("heading", name="Pipelines", exact=True).wait_for()
    go = tmp_path / "go"
    stages = {
        "first": {"experiment": "first"},
        "second": {
            "experiment": "second",
            "gate": ["own.acc >= 0.5", "own.acc better than first by 2 se"],
        },
    }
    made = begin(
        "算术 一号", stages,
        first=WAIT.format(file=go) + SCORE.format(value=0.1), second=SCORE.format(value=0.9),
    )  # fmt: skip
    row = page.get_by_role("row").filter(has_text="算术 一号")  # it came by itself
    row.get_by_text("running", exact=True).wait_for()
    row.get_by_role("link").click()
    page.get_by_role("heading", name="算术 一号").wait_for()
    box(page, "first").get_by_text("running").wait_for()
    box(page, "second").get_by_text("waiting").wait_for()
    page.get_by_text("0 of 2 succeeded").wait_for()
    expect(page.get_by_text("not decided yet")).to_have_count(2)
    go.touch()
    page.get_by_text("2 of 2 succeeded").wait_for()
    box(page, "second").get_by_text("0.9 ± 0.1 own.acc").wait_for()
    expect(page.get_by_text("met", exact=True)).to_have_count(2)
    page.get_by_text(f"sf pipeline show {made.id}").wait_for()
    expect(page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)


def test_from_a_stage_to_its_job_and_back(page, server, missed):
    open_run(page, server, missed)
    box(page, "measure").click()
    page.wait_for_url("**/pipelines/*?stage=measure")
    page.get_by_role("link", name="missed-measure").click()
    page.get_by_role("heading", name="missed-measure").wait_for()
    page.get_by_text("stage measure").wait_for()
    page.get_by_role("link", name="missed", exact=True).click()
    page.wait_for_url("**/pipelines/*?stage=measure")
    assert box(page, "measure").get_attribute("aria-pressed") == "true"


def test_what_changed_before_the_stream_began_is_not_missed(page, server, client, begin, tmp_path):
    """The page's first answers are older than its stream of changes when that comes late."""
    go = tmp_path / "go"
    made = begin("early", {"only": {"experiment": "only"}}, only=WAIT.format(file=go))
    held = []
    # Playwright asks its handlers for what a built-in function doesn't have.
    page.route("**/api/v1/events", lambda route: held.append(route), times=1)  # noqa: PLW0108
    open_run(page, server, made)
    page.get_by_text("0 of 1 succeeded").wait_for()
    go.touch()
    assert wait_end(client, made.id).state == "succeeded"
    wait_for(lambda: page.wait_for_timeout(50) or held)
    held[0].continue_()
    page.get_by_text("1 of 1 succeeded").wait_for()


def test_a_missed_gate_says_the_numbers(page, server, missed):
    open_run(page, server, missed)
    box(page, "measure").get_by_text("gate not met").wait_for()
    box(page, "later").get_by_text("skipped").wait_for()
    box(page, "aside").get_by_text("succeeded").wait_for()
    page.get_by_text("measured 0.4 ± 0.1, needed 0.5").wait_for()
    page.get_by_text("it waits for measure, which did not succeed").wait_for()
    page.get_by_text(f"sf pipeline resume {missed.id}").wait_for()
    outcome = "1 of 3 succeeded, 1 gate not met, 1 skipped"
    expect(page.locator("#content")).to_contain_text(outcome)
    page.goto(f"{server.url}/pipelines?state=failed&q=miss")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="missed", exact=True))
    expect(row).to_contain_text(outcome)
    page.get_by_text("own.acc = 0.4 ± 0.1 is not >= 0.5").first.wait_for()
    page.goto(f"{server.url}/pipelines?state=failed&q=nothing")
    page.get_by_text("No pipeline matches").wait_for()


def test_the_board_has_a_job_by_its_name(page, server, missed):
    page.goto(f"{server.url}/board")
    job = next(one.job_id for one in missed.stages if one.name == "measure")
    link = page.get_by_role("link", name="missed-measure", exact=True)
    expect(link).to_have_attribute("href", f"/jobs/{job}")
    page.get_by_title(f"job:{job}", exact=True).wait_for()  # on hover
    page.get_by_label("Search models").fill("missed-m")
    expect(page.get_by_role("region", name="Board").get_by_role("rowheader")).to_have_count(1)


def test_it_is_stopped_and_goes_on(page, server, client, begin, tmp_path):
    go = tmp_path / "go"
    stages = {"slow": {"experiment": "slow"}, "end": {"experiment": "end", "needs": ["slow"]}}
    made = begin("halting", stages, slow=WAIT.format(file=go), end="true")
    open_run(page, server, made)
    box(page, "slow").get_by_text("running").wait_for()
    page.get_by_role("button", name="Stop", exact=True).click()
    asked = page.get_by_role("dialog")
    asked.get_by_text(f"sf pipeline stop {made.id}").wait_for()
    asked.get_by_role("button", name="Cancel").click()
    asked.wait_for(state="detached")
    assert client.pipelines.get(made.id).state == "running"
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Stop", exact=True).click()
    box(page, "slow").get_by_text("stopped").wait_for()
    box(page, "end").get_by_text("skipped").wait_for()
    go.touch()
    page.get_by_role("button", name="Resume", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Resume", exact=True).click()
    page.get_by_text("2 of 2 succeeded").wait_for()
    assert wait_end(client, made.id).state == "succeeded"


def test_the_keyboard_alone_will_do(page, server, missed):
    heading = page.get_by_role("heading", name="Pipelines", exact=True)

    def went():
        """Whether both keys led there: on a busy machine the second may come too late."""
        page.keyboard.press("g")
        page.keyboard.press("p")
        page.wait_for_timeout(1000)
        return heading.is_visible()

    wait_for(went)
    page.keyboard.press("/")
    page.keyboard.type("missed")
    page.wait_for_url("**/pipelines?q=missed")
    expect(page.locator("tbody tr")).to_have_count(1)  # the answer, not the rows before it
    page.keyboard.press("Escape")
    heading.click()
    page.wait_for_timeout(500)  # longer than the search waits for another key
    assert page.url.endswith("?q=missed"), "the field is left, not emptied"
    page.keyboard.press("j")
    page.locator("tr[data-marked=true]").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/pipelines/{missed.id}")
    box(page, "measure").wait_for()
    page.keyboard.press("j")
    page.wait_for_url("**/pipelines/*?stage=measure")
    page.keyboard.press("j")
    page.wait_for_url("**/pipelines/*?stage=later")
    page.keyboard.press("k")
    page.wait_for_url("**/pipelines/*?stage=measure")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="missed-measure").wait_for()


def test_hostile_texts_stay_texts(page, server, client, begin):
    script = f"""python3 - <<'PY'
from starforge import report
report.log_score({HOSTILE!r}, "acc", 0.5)
raise SystemExit({HOSTILE!r})
PY
"""
    made = begin(HOSTILE, {"a": {"experiment": "bad"}}, bad=script)
    wait_end(client, made.id)
    page.goto(f"{server.url}/pipelines")
    page.get_by_role("link", name="onerror").wait_for()
    open_run(page, server, made)
    page.get_by_text("onerror").first.wait_for()
    job = client.pipelines.get(made.id).stages[0].job_id
    page.goto(f"{server.url}/jobs/{job}")
    page.get_by_text("stage a").wait_for()
    assert page.evaluate("window.broken") is None
    assert page.locator("img[src=x]").count() == 0


@pytest.mark.parametrize(
    "path",
    ["pipelines", "pipelines?q=nothing", "pipelines/{id}?stage=later"],
    ids=["list", "none", "one"],
)
def test_its_pages_break_no_rule_of_accessibility(page, server, missed, axe, path):
    page.goto(f"{server.url}/{path.format(id=missed.id)}")
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_timeout(500)
    assert axe(page) == []


def test_its_question_breaks_no_rule_of_accessibility(page, server, missed, axe):
    open_run(page, server, missed)
    page.get_by_role("button", name="Resume", exact=True).click()
    page.get_by_role("dialog").wait_for()
    assert axe(page) == []


def test_an_unknown_pipeline_says_so(page, server):
    page.goto(f"{server.url}/pipelines/no-such")
    page.get_by_text("there is no pipeline").wait_for()
