"""Ten thousand jobs in the table, and a curve of a million points."""

import re

import pytest
from e2e_harness import Server, end, wait_for
from fill_store import fill_curve, fill_jobs

from starforge.wire.edits import JobEdit

pytestmark = pytest.mark.e2e

JOBS = 10_000
POINTS = 1_000_000
FAILED = JOBS // 10
MOST_ROWS = 60  # rows that exist in the page at once; a window of 800 px shows 14


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that has seen much."""
    made = Server(tmp_path_factory.mktemp("home") / "home", {}).start()
    fill_jobs(made.home, JOBS)
    yield made
    end(made)


@pytest.fixture(scope="module")
def long_curve(server):
    return fill_curve(server.home, POINTS)


def table_of(page):
    return page.get_by_role("table", name="Jobs")


def rows_of(page):
    """Names in the rows that exist in the page."""
    return re.findall(r"job-\d{5}", table_of(page).inner_text())


def scroll_to(page, share):
    table_of(page).evaluate(
        "(it, share) => { it.scrollTop = share * (it.scrollHeight - it.clientHeight); }", share
    )


def test_ten_thousand_jobs_scroll_from_end_to_end(page):
    asked = []
    page.on("request", lambda one: asked.append(one.url) if "/api/v1/jobs?" in one.url else None)
    page.get_by_text(re.compile(r"^10,?000 jobs$")).wait_for()
    page.get_by_role("link", name="job-09999").wait_for()
    for part in range(1, 101):
        scroll_to(page, part / 100)
        assert table_of(page).get_by_role("row").count() < MOST_ROWS
    page.get_by_role("link", name="job-00000").wait_for()
    wait_for(lambda: len(rows_of(page)) == table_of(page).get_by_role("row").count() - 1)
    pages = [re.search(r"[?&]page=(\d+)", one)[1] for one in asked]
    assert len(pages) == len(set(pages))  # none was asked for twice
    scroll_to(page, 0)
    page.get_by_role("link", name="job-09999").wait_for()


def test_jobs_are_found_among_ten_thousand(page, server):
    page.get_by_role("searchbox", name="Search jobs").fill("job-0777")
    page.get_by_text("10 jobs", exact=True).wait_for()
    page.wait_for_url(re.compile("q=job-0777"))
    assert len(rows_of(page)) == 10
    page.goto(f"{server.url}/jobs?state=failed&tag=kept&sort=name")
    page.get_by_text("100 jobs", exact=True).wait_for()
    wait_for(lambda: rows_of(page)[:2] == ["job-00000", "job-00100"])


def test_a_selection_of_hundreds_is_kept_and_tagged(page, server, client):
    page.goto(f"{server.url}/jobs?state=failed&sort=name")
    page.get_by_text(re.compile(r"^1,?000 jobs$")).wait_for()
    page.get_by_label("Select job-00000").click()
    scroll_to(page, 0.75)
    last = page.get_by_label("Select job-07500")
    last.wait_for()
    last.click(modifiers=["Shift"])
    page.get_by_text("751 selected").wait_for()  # rows between that were never looked at too
    scroll_to(page, 0)
    assert page.get_by_label("Select job-00000").is_checked()
    bar = page.get_by_role("region", name="Actions on the selected jobs")
    bar.get_by_role("button", name="Tag").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("and 739 more").wait_for()
    dialog.get_by_label("Tag to add").fill("旧 old")
    dialog.get_by_role("button", name="Tag").click()
    page.get_by_text("Done: 751 jobs").wait_for()
    assert client.jobs.page(search="旧 old", size=1).total == 751


def test_all_jobs_that_match_are_selected_without_scrolling(page, server, client):
    page.get_by_text("10,000 jobs", exact=True).wait_for()
    page.get_by_label("Select the rows that are loaded").click()
    bar = page.get_by_role("region", name="Actions on the selected jobs")
    bar.get_by_text("100 of 10,000 selected").wait_for()  # the page in view, and it says so
    bar.get_by_role("button", name="Select all 10,000").click()
    bar.get_by_text("10,000 selected", exact=True).wait_for()
    scroll_to(page, 1)
    page.get_by_role("link", name="job-00000").wait_for()
    assert page.get_by_label("Select job-00000").is_checked()
    bar.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("and 9,988 more").wait_for()
    dialog.get_by_role("button", name="Cancel").click()
    page.goto(f"{server.url}/jobs?state=failed")
    page.get_by_text("1,000 jobs", exact=True).wait_for()
    page.get_by_label("Select the rows that are loaded").click()
    bar.get_by_text("100 selected", exact=True).wait_for()
    bar.get_by_role("button", name="Select all 1,000 that match").click()
    bar.get_by_text("1,000 selected", exact=True).wait_for()
    bar.get_by_role("button", name="Tag").click()
    dialog.get_by_label("Tag to add").fill("to look at")
    dialog.get_by_role("button", name="Tag").click()
    page.get_by_text("Done: 1,000 jobs").wait_for()
    assert client.jobs.page(search="to look at", size=1).total == FAILED


def test_a_live_change_leaves_the_selection_and_the_place(page, client):
    scroll_to(page, 0.5)
    # Asked once: while further rows come, there may be none for a moment.
    rows = wait_for(lambda: (seen := rows_of(page)) and "job-09999" not in seen and seen)
    middle = rows[len(rows) // 2]
    page.get_by_label(f"Select {middle}").click()
    at = table_of(page).evaluate("it => it.scrollTop")
    client.jobs.edit(middle, JobEdit(name=f"{middle} renamed"))
    page.get_by_role("link", name=f"{middle} renamed").wait_for()
    assert page.get_by_label(f"Select {middle} renamed").is_checked()
    assert table_of(page).evaluate("it => it.scrollTop") == at
    client.jobs.edit(f"{middle} renamed", JobEdit(name=middle))


def curve_asked_for(page, act):
    """How many buckets the server gave for what `act` asks, from which step to which."""
    with page.expect_response(lambda one: "/metrics?" in one.url) as answer:
        act()
    steps = answer.value.json()["train/loss"]["step"]
    return len(steps), steps[0], steps[-1]


def drag(page, chart):
    """Choose a tenth of a chart."""
    plot = chart.locator(".u-over").bounding_box()
    y = plot["y"] + plot["height"] / 2
    page.mouse.move(plot["x"] + plot["width"] * 0.4, y)
    page.mouse.down()
    page.mouse.move(plot["x"] + plot["width"] * 0.5, y, steps=4)
    page.mouse.up()


def test_a_million_points_open_and_zoom_to_single_ones(page, server, long_curve):
    address = f"{server.url}/jobs/{long_curve}/charts"
    count, lo, hi = curve_asked_for(page, lambda: page.goto(address))
    chart = page.get_by_role("region", name="train/loss")
    chart.get_by_text(re.compile("step 999,?999")).first.wait_for()
    assert 500 <= count <= 1001  # not a million: what a chart has use for
    steps = POINTS
    while steps > 1000:
        count, lo, hi = curve_asked_for(page, lambda: drag(page, chart))
        assert hi - lo < steps / 5  # ten times closer, with points of its own
        steps = hi - lo + 1
        page.wait_for_function("lo => new URL(location).searchParams.get('lo') <= lo", arg=lo)
        assert count >= min(steps, 500)
    assert count == steps  # every single point
    assert "lo=" in page.url
    page.get_by_role("button", name="Whole range").click()
    page.wait_for_url(lambda url: "lo=" not in url)


def test_all_points_are_saved(page, server, long_curve):
    page.goto(f"{server.url}/jobs/{long_curve}/charts")
    chart = page.get_by_role("region", name="train/loss")
    chart.get_by_role("button", name="More for train/loss").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name="Save all points as CSV").click()
    with saved.value.path().open(encoding="utf-8") as file:
        assert sum(1 for _ in file) == POINTS + 1  # and the heading
