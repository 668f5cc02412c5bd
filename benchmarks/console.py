"""The console in Chromium: when pages can be used, from the first byte of their address on.

Every opening is that of a browser that has never seen the console (an empty cache). A page can
be used when what it is about is drawn and the last long task (50 ms and more) after it is over.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.curves import append, new_job
from benchmarks.harness import Row, best
from benchmarks.jobs import multiply
from benchmarks.rig import Rig, rig
from starforge.server.store import attempts, jobs
from starforge.server.store.database import Database

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
STATIC = Path(__file__).parent.parent / "src/starforge/server/static/index.html"
JOBS = 10_000
POINTS = 100_000
RUNS = 3
QUIET = 500  # milliseconds without a long task

# Runs before anything of the page: notes when what is waited for is drawn, and long tasks.
WATCH = """
window.bench = { drawn: null, busy: 0 };
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) {
    window.bench.busy = Math.max(window.bench.busy, one.startTime + one.duration);
  }
}).observe({ type: "longtask", buffered: true });
function look() {
  if (document.querySelector(SELECTOR) === null) return requestAnimationFrame(look);
  requestAnimationFrame(() => { window.bench.drawn = performance.now(); });
}
requestAnimationFrame(look);
"""
DONE = """quiet => bench.drawn !== null
  && performance.now() - Math.max(bench.drawn, bench.busy) > quiet"""
# From a click on a tab until what is waited for is drawn, in a console that is open already.
SWITCH = """async ([tab, selector]) => {
  const link = [...document.querySelectorAll('[role="tab"]')].find((one) => one.innerText === tab);
  const began = performance.now();
  link.click();
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  do { await frame(); } while (document.querySelector(selector) === null);
  await frame();
  return performance.now() - began;
}"""
JOB_ROW = '[role="row"] a[href^="/jobs/"]'
TAB = '[role="tab"]'
CURVE = 'section[aria-label="train/loss"] canvas'


def run() -> Iterator[Row]:
    """Open the table of very many jobs, and charts of very long curves."""
    program = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if program is None or not STATIC.is_file():
        print("console: needs Chromium and the built console (make console)")
        return
    with rig() as server, _browser(program) as browser:
        with closing(Database.open(server.home / "starforge.db")) as db:
            short, long, longest = (_curve(db, POINTS * times) for times in (1, 10, 100))
            with db.write() as tx:
                for number in range(JOBS):
                    jobs.create(tx, new_job(f"job-{number % 100}", state="succeeded"))
        curves = {
            job: _usable(server, browser, f"/jobs/{job}/charts", CURVE)
            for job in (short, long, longest)
        }
        opened = {job: _opened(server, browser, job) for job in (long, longest)}
        few = _usable(server, browser, "/jobs", JOB_ROW)
        multiply(server.home / "starforge.db", 10)
        many = _usable(server, browser, "/jobs", JOB_ROW)
    yield Row(
        "console", f"{JOBS:,} jobs: time to interactive", few, "ms",
        tenfold=many, work=f"{10 * JOBS:,} jobs",
    )  # fmt: skip
    yield Row(
        "console", f"first curve of {POINTS:,} points", curves[short], "ms",
        tenfold=curves[long], work=f"{10 * POINTS:,} points",
    )  # fmt: skip
    more = f"{100 * POINTS:,} points"
    yield Row(
        "console", f"first curve of {10 * POINTS:,} points", curves[long], "ms",
        tenfold=curves[longest], work=more,
    )  # fmt: skip
    yield Row(
        "console", "the same, from the job's page open", opened[long], "ms",
        at_most=1000, tenfold=opened[longest], work=more,
    )  # fmt: skip


def _curve(db: Database, points: int) -> str:
    with db.write() as tx:
        job, _ = jobs.create(tx, new_job(f"curve of {points}", state="succeeded"))
        attempts.create(tx, job.id, resume=False)
    append(db, job.id, points)
    return job.id


@contextmanager
def _browser(program: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def _page(server: Rig, browser: Any) -> Iterator[Any]:
    """Give a page of a browser that is signed in and has never seen the console."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    try:
        _sign_in(server, context)
        yield context.new_page()
    finally:
        context.close()


def _usable(server: Rig, browser: Any, path: str, selector: str) -> float:
    """Return milliseconds from the address until the page can be used."""

    def open_page() -> float:
        with _page(server, browser) as page:
            page.add_init_script(WATCH.replace("SELECTOR", repr(selector)))
            page.goto(f"{server.url}{path}", wait_until="commit")
            page.wait_for_function(DONE, arg=QUIET)
            return float(page.evaluate("Math.max(bench.drawn, bench.busy)"))

    return best(open_page, RUNS)


def _opened(server: Rig, browser: Any, job: str) -> float:
    """Return milliseconds from a click on a job's tab of charts until its curve is drawn."""

    def switch() -> float:
        with _page(server, browser) as page:
            page.add_init_script(WATCH.replace("SELECTOR", repr(TAB)))
            page.goto(f"{server.url}/jobs/{job}")
            page.wait_for_function(DONE, arg=QUIET)
            return float(page.evaluate(SWITCH, ["Charts", CURVE]))

    return best(switch, RUNS)


def _sign_in(server: Rig, context: Any) -> None:
    """Get the session's cookie without loading anything of the console."""
    token = (server.home / "token").read_text("utf-8").strip()
    address = f"{server.url}/api/v1/session"
    answer = context.request.post(address, data={"token": token}, headers={"Origin": server.url})
    if not answer.ok:
        raise RuntimeError(f"signing in: {answer.status} {answer.text()}")
