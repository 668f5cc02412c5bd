"""How the console arrives: packed, kept by the browser; no tab goes before the next is there."""

import re

import pytest
from e2e_harness import send, wait_ended

pytestmark = pytest.mark.e2e

SIZES = """() => performance.getEntriesByType("resource")
  .filter((one) => /\\/assets\\/.*\\.js$/.test(one.name))
  .map(({ name, transferSize, encodedBodySize, decodedBodySize }) =>
    ({ name, transferSize, encodedBodySize, decodedBodySize }))"""
SCRIPT = "echo made\n"


@pytest.fixture
def job(client, experiment):
    return wait_ended(client, send(client, experiment(SCRIPT), name="loaded").id)


def test_scripts_come_packed_once_and_in_few_files(page, server):
    first = page.evaluate(SIZES)
    assert len(first) <= 12  # what pages share is in one file, not one each
    entry = max(first, key=lambda one: one["decodedBodySize"])
    assert entry["encodedBodySize"] < entry["decodedBodySize"] / 3
    bodies = {}
    for encoding in ("br", "gzip", "identity"):
        answer = page.request.get(entry["name"], headers={"Accept-Encoding": encoding})
        assert answer.headers.get("content-encoding", "identity") == encoding
        bodies[encoding] = answer.body()  # unpacked
    assert bodies["br"] == bodies["gzip"] == bodies["identity"]
    page.goto(f"{server.url}/jobs?q=again")
    page.get_by_role("heading", name="Jobs", exact=True).wait_for()
    again = {one["name"]: one for one in page.evaluate(SIZES)}
    assert again[entry["name"]]["transferSize"] == 0  # from the browser's own cache


def test_a_tab_stays_until_the_code_of_the_next_is_there(page, server, job):
    held = []

    def hold(route):
        held.append(route)

    page.route(re.compile(r"/assets/SamplesTab-.*\.js$"), hold)
    page.goto(f"{server.url}/jobs/{job.id}/logs")
    page.get_by_text("made", exact=True).wait_for()
    page.get_by_role("tab", name="Samples").click()
    page.wait_for_url(re.compile("/samples"))
    page.wait_for_timeout(300)
    assert held  # asked for, and still on its way
    assert page.get_by_text("made", exact=True).is_visible()
    held[0].continue_()
    page.get_by_text("No samples", exact=False).first.wait_for()
    assert page.get_by_text("made", exact=True).count() == 0


def test_a_tab_whose_code_does_not_come_says_so(page, server, job):
    page.route(re.compile(r"/assets/ConfigTab-.*\.js$"), lambda route: route.abort())
    page.goto(f"{server.url}/jobs/{job.id}/logs")
    page.get_by_text("made", exact=True).wait_for()
    page.get_by_role("tab", name="Config").click()
    page.get_by_role("button", name="Try again").wait_for()
    page.unroute(re.compile(r"/assets/ConfigTab-.*\.js$"))
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("tab", name="Config", selected=True).wait_for()
    page.get_by_role("table").first.wait_for()
