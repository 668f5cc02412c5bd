"""Texts made to break a page, in every field and everywhere that jobs speak: they stay texts."""

import json
import re
from urllib.parse import quote

import pytest
from e2e_harness import send, wait_ended, wait_for

from starforge.wire.edits import JobEdit

pytestmark = pytest.mark.e2e

TEXTS = {
    "image": "<img src=x onerror=\"window.broken='image'\">",
    "script": "\"'><script>window.broken='script'</script><svg onload=window.broken='svg'>",
    "address": "javascript:window.broken='address'",
    "template": "{{7*7}} ${7*7} $t(common:nav.jobs) {{count}} %s",
    "turned": "\u202egpj.exe\u202c\u2067abc\u2069\u200b\u200d\ufeff\u0301",
    "colours": "\x1b[31mred\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07\x1b[2J",
    "long": "W" * 10_000,
    "names": "__proto__ constructor toString",
}
ALL = " ".join(TEXTS.values())
SAFE = re.compile("[\x00-\x1f\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]")
PHONE = {"width": 390, "height": 844}
FIELDS = "input:not([type=checkbox]):not([type=radio]):not([type=file]):not([type=hidden]),textarea"

SPEAKING = f"""\
python3 - <<'PY'
import json
from starforge import report
texts = json.loads({json.dumps(TEXTS)!r})
report.init(total_steps=2)
values = {{name: 1.0 for name in [*texts.values(), "__proto__", "constructor", "train/loss"]}}
for step in (1, 2):
    report.log(values, step=step)
    report.log_samples(
        [{{"prompt": text, "completion": text, "reward": 1.0, "rewards": {{text: 1.0}},
           "reference": text, "extra": text, text: text}} for text in texts.values()],
        step=step,
    )
report.log_score(texts["image"], texts["script"][:60], 0.5)
for text in texts.values():
    print(text, flush=True)
raise SystemExit(texts["image"])
PY
"""


def is_sound(page, *, phone=True):
    """No script ran, nothing became an element, and the page is as wide as its window."""
    check_window(page)
    if phone:
        size = page.viewport_size
        page.set_viewport_size(PHONE)
        page.wait_for_timeout(250)
        check_window(page)
        page.set_viewport_size(size)


def check_window(page):
    assert page.evaluate("window.broken") is None
    assert page.locator("img[src=x], svg[onload], [onerror]").count() == 0
    assert page.locator('a[href^="javascript:" i], [src^="javascript:" i]').count() == 0
    over = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert over <= 1, f"{page.url} is {over} px too wide at {page.viewport_size}"


def fill_all(page, text, fields=FIELDS):
    """Write a text into every field that can be seen, and press Enter."""
    filled = 0
    for field in page.query_selector_all(fields):
        if not (field.is_visible() and field.is_editable()):
            continue
        field.fill(text)
        filled += 1
        # A field may go when it is full: a setting of the form grows to several lines.
        if field.is_visible() and field.evaluate("it => it.tagName") == "INPUT":
            field.press("Enter")
    return filled


@pytest.fixture(scope="module")
def speaking(server, tmp_path_factory):
    """A job in whose every text stands something hostile."""
    folder = tmp_path_factory.mktemp("lab") / "exp"
    folder.mkdir()
    (folder / "train.sh").write_text(SPEAKING, "utf-8")
    (folder / f"{SAFE.sub('', TEXTS['template']).replace('/', '-')}.py").write_text("x = 1\n")
    (folder / "rows.jsonl").write_text(json.dumps({ALL: ALL, "prompt": ALL}) + "\n", "utf-8")
    (folder / "config.yaml").write_text(json.dumps({"key": ALL, TEXTS["image"]: ALL}), "utf-8")
    experiment = {
        "method": "custom/custom",
        "description": ALL[:9000],
        "tags": [SAFE.sub("", text)[:100] for text in TEXTS.values()],
        "data": {"train": "rows.jsonl"},
    }
    (folder / "experiment.yaml").write_text(json.dumps(experiment), "utf-8")
    client = server.client()
    name = SAFE.sub("", TEXTS["image"] + TEXTS["template"]).replace("/", "\\")
    job = wait_ended(client, send(client, folder, name=name).id)
    client.jobs.edit(job.id, JobEdit(name=f"{name}{'W' * (200 - len(name))}"))
    return client.jobs.get(job.id)


TABS = ("overview", "charts", "samples", "logs", "system", "config", "artifacts", "record")


@pytest.mark.parametrize("tab", TABS)
def test_what_a_job_says_stays_text(page, server, speaking, tab):
    page.goto(f"{server.url}/jobs/{speaking.id}/{tab}")
    heading = page.get_by_role("heading", level=1)
    heading.get_by_text(f"{TEXTS['image']}{TEXTS['template']}").wait_for()
    page.wait_for_timeout(700)
    is_sound(page)


def test_samples_show_every_text_as_it_is(page, server, speaking):
    page.goto(f"{server.url}/jobs/{speaking.id}/samples")
    for name in ("image", "script", "address", "template", "names"):
        page.get_by_text(TEXTS[name], exact=True).first.wait_for()
    for view in ("groups", "pairs"):
        page.goto(f"{server.url}/jobs/{speaking.id}/samples?view={view}")
        page.get_by_text(TEXTS["address"], exact=True).first.wait_for()
        is_sound(page)


def test_colours_of_a_log_hold_no_links_and_clear_nothing(page, server, speaking):
    page.goto(f"{server.url}/jobs/{speaking.id}/logs")
    log = page.get_by_role("log")
    log.get_by_text("red").first.wait_for()
    assert log.get_by_role("link").count() == 0
    log.get_by_text(TEXTS["address"]).first.wait_for()
    log.get_by_text("{{7*7}}").first.wait_for()


def test_lists_of_jobs_hold_hostile_names(page, server, client, speaking):
    page.goto(f"{server.url}/jobs")
    page.get_by_role("link", name="onerror").first.wait_for()
    is_sound(page)
    page.get_by_role("checkbox", name=re.compile("onerror")).first.check()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_text("onerror").wait_for()
    is_sound(page)
    page.keyboard.press("Escape")
    page.goto(f"{server.url}/compare?jobs={speaking.id},{speaking.id}")
    page.get_by_text("onerror").first.wait_for()
    is_sound(page)
    page.goto(f"{server.url}/board")
    page.get_by_text(TEXTS["image"], exact=True).first.wait_for()
    is_sound(page)
    page.goto(f"{server.url}/new?from={speaking.id}")
    page.get_by_role("heading", name="Clone a job").wait_for()
    page.wait_for_timeout(1500)
    is_sound(page)


PLACES = [
    "/jobs", "/methods", "/methods/trl/sft", "/choose", "/new", "/new?method=trl/grpo",
    "/new?method=custom/custom", "/pipelines", "/sweeps", "/board",
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_every_field_of_a_page_takes_hostile_texts(page, server, place):
    page.goto(f"{server.url}{place}")
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_timeout(600)
    for text in (ALL, TEXTS["image"], TEXTS["address"]):
        assert fill_all(page, text) > 0
        page.wait_for_timeout(700)
        is_sound(page)


@pytest.mark.parametrize("tab", TABS)
def test_every_field_of_a_tab_takes_hostile_texts(page, server, speaking, tab):
    page.goto(f"{server.url}/jobs/{speaking.id}/{tab}")
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_timeout(600)
    for text in (ALL, TEXTS["image"]):
        fill_all(page, text)
        page.wait_for_timeout(700)
        is_sound(page)


SETTINGS = ", ".join(
    f'input[id^="{area}."]:not([type=checkbox])' for area in ("params", "policies")
)


def test_settings_out_of_sight_take_hostile_texts(page, server):
    page.goto(f"{server.url}/new?method=trl/grpo")
    page.get_by_role("heading", level=1).wait_for()
    page.get_by_role("switch", name="Advanced").check()
    for group in page.locator("[data-accordion-control]").all():
        group.click()
    page.wait_for_timeout(600)
    assert fill_all(page, TEXTS["script"], SETTINGS) > 40
    page.get_by_text(re.compile(r"\d+ errors")).first.wait_for()
    is_sound(page)


def test_views_filters_and_tags_by_hostile_names(page, server, client, speaking):
    page.goto(f"{server.url}/jobs")
    page.get_by_role("button", name="More filters").click()
    dialog = page.get_by_role("dialog")
    for label in ("Tag", "Model", "Owner"):
        dialog.get_by_label(label, exact=True).fill(TEXTS["image"])
        page.keyboard.press("Enter")
    page.wait_for_url(re.compile("owner="))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Save this view").click()
    page.get_by_label("Name of the view").fill(TEXTS["image"])
    page.get_by_role("button", name="Save", exact=True).click()
    view = page.get_by_role("group", name="Views").get_by_role("button", name="<img src=x")
    view.first.wait_for()
    is_sound(page)
    page.reload()
    view.first.wait_for()
    page.get_by_role("button", name=re.compile("^Remove the view <img")).click()
    wait_for(lambda: view.count() == 0)


def test_a_job_is_named_described_and_tagged_by_hostile_texts(page, server, client, experiment):
    job = wait_ended(client, send(client, experiment("echo\n"), name="plain").id)
    page.goto(f"{server.url}/jobs/{job.id}")
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Name of the job").fill(TEXTS["image"])
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1).get_by_text(TEXTS["image"], exact=True).wait_for()
    page.get_by_role("button", name="Add tag").click()
    page.get_by_label("New tag").fill(TEXTS["script"][:60])
    page.keyboard.press("Enter")
    page.get_by_text(TEXTS["script"][:60], exact=True).wait_for()
    heading = page.get_by_role("heading", level=1)
    assert heading.inner_text() == TEXTS["image"], "the heading is the name and nothing else"
    page.get_by_role("button", name="Describe this job").click()
    page.get_by_role("textbox", name="Description").fill(ALL[:9000])
    page.get_by_role("button", name="Save").click()
    page.get_by_text("{{7*7}}").first.wait_for()
    is_sound(page)
    assert client.jobs.get(job.id).name == TEXTS["image"]


def test_addresses_with_hostile_texts(page, server, speaking):
    evil = quote(TEXTS["image"] + TEXTS["template"], safe="")
    for address in (
        f"/jobs?q={evil}&tag={evil}&model={evil}&owner={evil}&state={evil}&method={evil}&sort={evil}",
        f"/jobs/{evil}", f"/jobs/{speaking.id}/{evil}", f"/methods/{evil}/{evil}",
        f"/methods?q={evil}", f"/choose?data={evil}&teacher={evil}", f"/new?method={evil}",
        f"/new?from={evil}", f"/compare?jobs={evil}", f"/jobs/{speaking.id}/logs?filter={evil}",
        f"/jobs/{speaking.id}/samples?q={evil}&step={evil}", f"/pipelines/{evil}",
        f"/sweeps/{evil}", f"/board?q={evil}", f"/login#code={evil}", f"/{evil}",
    ):  # fmt: skip
        page.goto(f"{server.url}{address}")
        page.wait_for_timeout(500)
        is_sound(page, phone=False)


def test_a_stranger_signs_in_with_a_hostile_token(browser, server):
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.url)
    page.get_by_label("Token of the server").fill(ALL)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").first.wait_for()
    is_sound(page)
    context.close()
