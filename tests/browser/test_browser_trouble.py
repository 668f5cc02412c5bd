"""What people meet: the network cut, the server gone and back, a session that has ended."""

import contextlib
import re
import time

import pytest
from cut_proxy import CutProxy
from e2e_harness import send, wait_for, wait_state
from playwright.sync_api import TimeoutError as PlaywrightTimeout

pytestmark = pytest.mark.e2e

SECONDS = 10  # how long the network is away
COUNTING = """\
exec python3 - <<'PY'
import os, time
from starforge import report
report.init()
for step in range(1, 100_000):
    report.log({"train/loss": float(step)}, step=step)
    print("line", step, flush=True)
    time.sleep(0.1)
    if os.path.exists(os.path.join(os.environ["STARFORGE_OUTPUT_DIR"], "enough")):
        break
PY
"""
LOST = "can't be reached"


@pytest.fixture
def running(server, client, experiment):
    """A job that counts until it is told that it is enough."""
    job = send(client, experiment(COUNTING), name="counting")
    yield wait_state(client, job.id, "running")
    server.client().jobs.stop(job.id, force=True)  # the server may be another one by now


def steps_of(client, job):
    found = {one.name: one.count for one in client.jobs.series(job.id)}
    return found.get("train/loss", 0)


def shown_value(chart):
    """The last value, as the chart tells it above the curve."""
    found = re.search(r"^([\d.,]+) · step", chart.inner_text(), re.MULTILINE)
    return float(found[1].replace(",", "")) if found else 0.0


@pytest.fixture
def proxy(server):
    made = CutProxy(int(server.url.rpartition(":")[2]))
    yield made
    made.close()


def test_a_cut_network_is_said_and_caught_up_with(page, client, running, proxy):
    page.goto(f"{proxy.url}/jobs/{running.id}/charts")  # cookies know no ports: signed in here too
    chart = page.get_by_role("region", name="train/loss")
    chart.wait_for()
    wait_for(lambda: shown_value(chart) > 5)
    proxy.cut()
    page.get_by_text(LOST).wait_for()
    at_the_cut = steps_of(client, running)
    time.sleep(SECONDS)  # the ten seconds: pauses between attempts have grown by then
    assert chart.is_visible()
    assert shown_value(chart) <= at_the_cut + 5  # nothing reached the page meanwhile
    proxy.mend()
    page.get_by_text(LOST).wait_for(state="detached")
    missed = steps_of(client, running)
    assert missed > at_the_cut + 20
    wait_for(lambda: shown_value(chart) >= missed)


def test_a_machine_without_network_says_so_at_once(page, server):
    page.context.set_offline(True)
    page.get_by_text(LOST).wait_for()
    page.get_by_role("heading", name="Jobs", exact=True).wait_for()
    page.context.set_offline(False)
    page.get_by_text(LOST).wait_for(state="detached")


def test_a_log_goes_on_where_a_cut_network_left_it(page, client, running, proxy):
    page.goto(f"{proxy.url}/jobs/{running.id}/logs")
    page.get_by_text(re.compile(r"^line \d+$")).first.wait_for()
    proxy.cut()
    page.get_by_text(LOST).wait_for()
    before = steps_of(client, running)
    wait_for(lambda: steps_of(client, running) > before + 30)
    proxy.mend()
    log = page.get_by_role("log")
    wait_for(lambda: f"line {before + 30}" in log.inner_text().splitlines())
    numbers = [int(one) for one in re.findall(r"^line (\d+)$", log.inner_text(), re.MULTILINE)]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))  # none twice, none left out


def test_an_open_job_goes_on_after_a_restart(page, server, client, running):
    page.goto(f"{server.url}/jobs/{running.id}/charts?smooth=0.5")
    chart = page.get_by_role("region", name="train/loss")
    chart.wait_for()
    port = server.url.rpartition(":")[2]
    server.stop()
    page.get_by_text(LOST).wait_for()
    assert chart.is_visible()
    server.start("--port", port)
    page.get_by_text(LOST).wait_for(state="detached")
    now = steps_of(server.client(), running)
    wait_for(lambda: shown_value(chart) >= now)
    assert "smooth=0.5" in page.url
    output = server.home / "jobs" / running.id / "output"
    (output / "enough").touch()
    page.get_by_text("succeeded").first.wait_for()


def sign_in_again(page, server):
    page.get_by_role("heading", name=re.compile("Sign in")).wait_for()
    page.get_by_text("Your session has ended").wait_for()
    page.get_by_label("Token of the server").fill(server.token)
    page.get_by_role("button", name="Sign in").click()


def test_a_session_that_ended_leads_back_to_where_one_was(page, server, client, running):
    page.goto(f"{server.url}/jobs/{running.id}/charts?smooth=0.5")
    page.get_by_role("region", name="train/loss").wait_for()
    page.context.clear_cookies()  # what a browser does when a cookie's time is over
    sign_in_again(page, server)
    page.get_by_role("region", name="train/loss").wait_for()
    assert page.url.endswith(f"/jobs/{running.id}/charts?smooth=0.5")
    page.get_by_text(LOST).wait_for(state="detached")


def test_a_session_ended_elsewhere_keeps_what_was_typed(page, server):
    page.goto(f"{server.url}/new?method=trl/dpo")
    beta = page.locator('[id="params.beta-input"]')
    beta.fill("0.25")
    page.get_by_text("Kept in this browser").wait_for()
    other = page.context.new_page()
    other.goto(f"{server.url}/settings")
    other.get_by_role("button", name="Sign out of this browser").click()
    other.get_by_role("heading", name=re.compile("Sign in")).wait_for()
    other.close()
    beta.fill("0.35")
    sign_in_again(page, server)
    page.get_by_text("Ready to run").wait_for()
    assert "/new?method=trl" in page.url
    assert beta.input_value() == "0.35"


def test_an_action_after_the_session_ended_asks_to_sign_in(page, server, client, running):
    page.goto(f"{server.url}/jobs/{running.id}")
    page.get_by_role("button", name="Stop", exact=True).wait_for()
    page.context.clear_cookies()
    # On a busy machine the page's own next request may lead away before the click does.
    with contextlib.suppress(PlaywrightTimeout):
        page.get_by_role("button", name="Stop", exact=True).click(timeout=3000)
        dialog = page.get_by_role("dialog")
        if dialog.is_visible():
            dialog.get_by_role("button", name="Stop", exact=True).click(timeout=3000)
    sign_in_again(page, server)
    page.get_by_role("heading", name="counting").wait_for()
    assert client.jobs.get(running.id).state == "running"  # nobody signed in asked for it
