"""The console as a person uses it: signing in, watching a job, its samples and logs."""

import re

import pytest
from e2e_harness import send, wait_ended

pytestmark = pytest.mark.e2e

TRAINING = """\
python3 - <<'PY'
import time
from starforge import report
report.init(total_steps=40)
print("\\x1b[32mready\\x1b[0m to train", flush=True)
for step in range(1, 41):
    loss = 2.0 / step
    entropy = float("nan") if step == 7 else 1 / step
    report.log({"train/loss": loss, "train/entropy": entropy, "train/reward": step / 40}, step=step)
    if step % 10 == 0:
        report.log_samples([
            {"prompt": "What is 2 + 2?", "completion": f"It is {place + step}",
             "reward": float(place == 2), "group": 1}
            for place in range(4)
        ], step=step)
    time.sleep(0.08)
print("ValueError: nothing but a test", flush=True)
PY
"""
HOSTILE = "<img src=x onerror=\"window.broken='yes'\"><script>window.broken='yes'</script>"


def open_job(page, server, job, tab=""):
    page.goto(f"{server.url}/jobs/{job.id}{f'/{tab}' if tab else ''}")


def test_a_link_signs_in_once(context, server, page):
    stranger = context.browser.new_context().new_page()
    stranger.goto(server.url)
    stranger.get_by_role("heading", name=re.compile("Sign in")).wait_for()
    stranger.get_by_label("Token of the server").fill("wrong")
    stranger.get_by_role("button", name="Sign in").click()
    stranger.get_by_text("not this server's").wait_for()
    stranger.get_by_label("Token of the server").fill(server.token)
    stranger.get_by_role("button", name="Sign in").click()
    stranger.get_by_role("heading", name="Jobs").wait_for()
    assert "code=" not in page.url
    stranger.context.close()


def test_a_job_is_watched_to_its_end(page, server, client, experiment):
    job = send(client, experiment(TRAINING), name="训练 一号")
    page.get_by_role("link", name="训练 一号").first.click()
    page.get_by_text("running").first.wait_for()
    page.goto(f"{server.url}/jobs/{job.id}/charts")
    chart = page.get_by_role("region", name="train/loss")
    chart.wait_for()
    page.get_by_text("succeeded").first.wait_for()
    chart.get_by_text("0.05").first.wait_for()  # 2 / 40: the last point came by itself
    assert wait_ended(client, job.id).state == "succeeded"


@pytest.fixture(scope="module")
def ended(server, tmp_path_factory):
    """A job of known output that has ended."""
    folder = tmp_path_factory.mktemp("lab") / "exp"
    folder.mkdir()
    (folder / "train.sh").write_text(TRAINING, "utf-8")
    (folder / "experiment.yaml").write_text("method: custom/custom\n", "utf-8")
    client = server.client()
    job = send(client, folder, name="known")
    done = wait_ended(client, job.id)
    assert done.state == "succeeded", done.message
    return done


def test_samples_are_grouped_and_compared(page, server, ended):
    open_job(page, server, ended, "samples")
    page.get_by_text("What is 2 + 2?").first.wait_for()
    page.get_by_text("By prompt").click()
    page.get_by_text("4 completions").first.wait_for()
    page.get_by_text("Two steps").click()
    page.get_by_text("It is 12", exact=True).wait_for()  # the best of step 10
    page.get_by_text("It is 42", exact=True).wait_for()  # the best of step 40
    assert "view=pairs" in page.url


def test_logs_are_filtered_and_linked_to(page, server, ended):
    open_job(page, server, ended, "logs")
    page.get_by_text("ready", exact=True).wait_for()
    page.get_by_role("button", name="First error").click()
    page.wait_for_url(re.compile(r"line=1\b"))
    page.get_by_label("Filter by a pattern (regex)").fill("^Value.*test$")
    page.get_by_text("1 matches in 2 lines").wait_for()
    page.get_by_label("Filter by a pattern (regex)").fill("(")
    page.get_by_text("Not a regular expression").wait_for()


def test_a_zoom_is_in_the_address(page, server, ended):
    open_job(page, server, ended, "charts?lo=10&hi=20")
    page.get_by_role("button", name="Whole range").click()
    page.wait_for_url(lambda url: "lo=" not in url)


def test_the_language_is_switched_and_remembered(page, server):
    page.keyboard.press("g")
    page.keyboard.press("l")
    page.get_by_role("heading", name="任务", exact=True).wait_for()
    page.reload()
    page.get_by_role("heading", name="任务", exact=True).wait_for()
    assert page.evaluate("document.documentElement.lang") == "zh-CN"


def test_a_restarted_server_is_found_again(context, page, server, ended):
    port = server.url.rpartition(":")[2]
    server.stop()
    page.get_by_text("can't be reached").wait_for()
    server.start("--port", port)
    page.get_by_text("can't be reached").wait_for(state="detached")
    page.get_by_role("link", name="known").first.wait_for()


def test_hostile_texts_stay_texts(page, server, client, experiment):
    script = f"""python3 - <<'PY'
from starforge import report
text = {HOSTILE!r}
report.log({{"loss": 1.0, text: 2.0}}, step=1)
report.log_samples([{{"prompt": text, "completion": text, "reward": 1.0}}], step=1)
print(text)
raise SystemExit(text)
PY
"""
    folder = experiment(script, description=HOSTILE, tags=[HOSTILE])
    job = send(client, folder, name=HOSTILE.replace("/", "\\"))
    wait_ended(client, job.id)
    page.goto(f"{server.url}/jobs")
    page.get_by_text("onerror").first.wait_for()
    for tab in ("", "charts", "samples", "logs", "config", "artifacts", "record"):
        open_job(page, server, job, tab)
        page.get_by_text("onerror").first.wait_for()
        assert page.evaluate("window.broken") is None
        assert page.locator("img[src=x]").count() == 0


@pytest.mark.parametrize("place", ["jobs", "methods", "choose", "settings", "new"])
def test_every_place_has_a_heading_and_no_broken_rule_of_accessibility(page, server, axe, place):
    page.goto(f"{server.url}/{place}")
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_timeout(500)  # what loads after the heading
    assert axe(page) == []


@pytest.mark.parametrize("tab", ["", "charts", "samples", "logs", "config", "artifacts", "record"])
def test_tabs_of_a_job_break_no_rule_of_accessibility(page, server, ended, axe, tab):
    open_job(page, server, ended, tab)
    page.get_by_role("heading", name="known").wait_for()
    page.wait_for_timeout(800)
    assert axe(page) == []


def test_an_unknown_place_says_so(page, server):
    page.goto(f"{server.url}/nowhere/at/all")
    page.get_by_text("nothing at this address").wait_for()
    page.goto(f"{server.url}/jobs/no-such-job")
    page.get_by_text("no-such-job").first.wait_for()
