"""A real browser before a real server with real jobs. Never downloads a browser."""

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from e2e_harness import Server, end, write_experiment

from starforge.client.client import Client

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")  # its event loop would stand in the way of later tests' own
def browser() -> Iterator[Any]:
    """The system's Chromium, headless."""
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium on this machine")
    if not (ROOT / "src/starforge/server/static/index.html").is_file():
        # `make test` builds it: there its absence is a failure, not a reason to look away.
        leave = pytest.fail if os.environ.get("STARFORGE_REQUIRE_RUNTIMES") else pytest.skip
        leave("the console is not built (make console)")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield made
        made.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests of a file; at the end nothing of it is left."""
    made = Server(tmp_path_factory.mktemp("home") / "home", {}).start()
    yield made
    end(made)


@pytest.fixture
def client(server: Server) -> Client:
    return server.client()


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    """A browser profile of its own: no cookies, English, an ordinary window."""
    made = browser.new_context(
        locale="en-GB", viewport={"width": 1280, "height": 800}, accept_downloads=True
    )
    made.set_default_timeout(float(os.environ.get("STARFORGE_TEST_PATIENCE", "30")) * 1000)
    yield made
    made.close()


@pytest.fixture
def page(context: Any, server: Server, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page that came in by a one-time link; scripts that fail fail the test."""
    made = context.new_page()
    problems: list[str] = []
    made.on("pageerror", lambda error: problems.append(str(error)))
    made.goto(sign_in_link(server))
    made.get_by_role("heading", name="Jobs", exact=True).wait_for()
    yield made
    if folder := os.environ.get("STARFORGE_TEST_PICTURES"):  # what was there when it failed
        made.screenshot(path=str(Path(folder) / f"{request.node.name}.png"))
    assert problems == []


def sign_in_link(server: Server) -> str:
    """Ask for a code as `sf open` does."""
    token = {"Authorization": f"Bearer {server.token}"}
    answer = httpx2.post(f"{server.url}/api/v1/session/code", headers=token)
    answer.raise_for_status()
    return f"{server.url}/login#code={answer.json()['code']}"


@pytest.fixture
def experiment(tmp_path: Path) -> Callable[..., Path]:
    """Write a custom/custom experiment around a shell script."""

    return partial(write_experiment, tmp_path / "lab")


@pytest.fixture
def axe() -> Callable[[Any], list[str]]:
    """Check a page with axe-core (WCAG 2 A and AA): the rules it breaks, and where."""
    source = (ROOT / "console/node_modules/axe-core/axe.min.js").read_text("utf-8")
    run = """async () => {
      // What still fades in has other colours than it will have.
      const ends = document.getAnimations().filter(
        (one) => Number.isFinite(one.effect?.getComputedTiming().endTime),
      );
      await Promise.allSettled(ends.map((one) => one.finished));
      const wanted = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
      const { violations } = await axe.run(document, { runOnly: wanted });
      return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`);
    }"""

    def check(page: Any) -> list[str]:
        page.evaluate(source)
        found: list[str] = page.evaluate(run)
        return found

    return check
