"""The board and the comparison of scores, with real scores of two models that are known."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from bench_support import make_models, write_lab
from e2e_harness import Server, end, wait_ended

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]  # three benchmark jobs, one by one

HOSTILE = "<img src=x onerror=\"window.broken='yes'\">"
OTHERS = [
    {"model": "org/Model-7B", "benchmark": "gsm8k", "metric": "exact_match", "value": 0.84,
     "stderr": 0.01, "source": "https://example.org/paper", "date": "2026-01-31"},
    {"model": HOSTILE, "benchmark": "mmlu", "metric": "acc", "value": 0.7, "source": "a book"},
]  # fmt: skip


class Measured(NamedTuple):
    """The folders of the models, and the jobs that measured them; ``short`` asked 4 items."""

    base: str
    tuned: str
    jobs: dict[str, str]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, evalkit_python: str) -> Iterator[Server]:
    runtimes = str(Path(evalkit_python).parents[2])
    home = tmp_path_factory.mktemp("home") / "home"
    made = Server(home, {"STARFORGE_RUNTIMES": runtimes}).start()
    yield made
    end(made)


@pytest.fixture(scope="module")
def measured(server: Server, tmp_path_factory, evalkit_python: str) -> Measured:
    """Score both models on the pack ``echo``, the first one on four items only, too."""
    models = make_models(evalkit_python, tmp_path_factory.mktemp("models"))
    lab = write_lab(tmp_path_factory.mktemp("work") / "lab")
    env = {
        **os.environ, "STARFORGE_URL": server.url, "STARFORGE_TOKEN": server.token,
        "STARFORGE_RUNTIMES": server.env["STARFORGE_RUNTIMES"], "SF_LANG": "en",
    }  # fmt: skip
    asked = {"short": ("base", "--limit", "4"), "base": ("base",), "tuned": ("tuned",)}
    jobs = {}
    for name, (model, *more) in asked.items():
        argv = ["bench", "run", str(models / model), "-b", "echo", "--json", *more]
        done = subprocess.run(
            [str(Path(sys.executable).parent / "sf"), *argv, "--set", "apply_chat_template=false"],
            cwd=lab, env=env, capture_output=True, text=True, check=True,
        )  # fmt: skip
        jobs[name] = json.loads(done.stdout)["id"]
    client = server.client()
    for job in jobs.values():
        ended = wait_ended(client, job, patience=180)
        assert ended.state == "succeeded", ended.message
    client.add_external(OTHERS)
    return Measured(str(models / "base"), str(models / "tuned"), jobs)


@pytest.fixture
def compare(page, server: Server, measured: Measured) -> Callable[..., None]:
    """Open the comparison of the two models."""

    def go(a: str = measured.base, b: str = measured.tuned, **more: str) -> None:
        search = "&".join(f"{key}={value}" for key, value in {"a": a, "b": b, **more}.items())
        page.goto(f"{server.url}/board/compare?{search}")
        page.get_by_role("heading", name="Compare scores").wait_for()

    return go


def test_an_empty_board_says_what_to_do_and_fills_by_itself(page, server, axe, request):
    page.keyboard.press("g")
    page.keyboard.press("b")
    page.get_by_role("heading", name="Board", exact=True).wait_for()
    if not server.client().board():  # where this test runs first
        page.get_by_text("No scores yet").wait_for()
        page.get_by_text("sf bench run job:my-sft --benchmark gsm8k --watch").wait_for()
        assert axe(page) == []
    request.getfixturevalue("measured")
    row = page.get_by_role("row").filter(has_text="tuned")
    expect(row).to_contain_text("0.8125", timeout=60_000)
    page.keyboard.press("?")
    page.get_by_text("go to the board").wait_for()


def test_the_board_shows_scores_where_they_may_be_compared(page, server, measured, axe):
    page.goto(f"{server.url}/board")
    heads = page.get_by_role("columnheader").filter(has_text="echo")
    expect(heads).to_have_count(2)  # four items are another setting
    expect(heads.filter(has_text="other settings")).to_contain_text("limit 4")
    rows = page.get_by_role("region", name="Board").get_by_role("row")
    expect(rows).to_have_count(3)
    best = page.get_by_role("img", name="best of its column")
    expect(best).to_have_count(1)
    expect(rows.nth(1)).to_contain_text("tuned")  # the best first
    assert axe(page) == []
    page.get_by_role("button", name="Model", exact=True).click()
    expect(rows.nth(1)).to_contain_text("base")
    page.wait_for_url(re.compile("sort=model"))
    page.reload()
    expect(rows.nth(1)).to_contain_text("base")
    page.get_by_role("button", name=re.compile("^0.8125")).click()
    about = page.get_by_role("dialog")
    expect(about).to_contain_text("lm-eval")
    assert axe(page) == []
    about.get_by_role("link", name=measured.jobs["tuned"]).click()
    page.wait_for_url(re.compile(f"/jobs/{measured.jobs['tuned']}"))


def test_scores_of_others_stand_apart_with_where_they_come_from(page, server, measured, axe):
    page.goto(f"{server.url}/board")
    others = page.get_by_role("region", name="Scores of others")
    source = others.get_by_role("link", name="https://example.org/paper")
    expect(source).to_have_attribute("rel", "noopener noreferrer")
    expect(others).to_contain_text(HOSTILE)
    expect(others).to_contain_text("a book")
    page.get_by_role("searchbox", name="Search models").fill("ORG/MODEL")
    page.wait_for_url(re.compile(r"q=ORG(/|%2F)MODEL"))
    expect(others.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("region", name="Board")).to_have_count(0)
    assert axe(page) == []
    assert page.evaluate("window.broken") is None
    page.get_by_role("button", name="Clear", exact=True).last.click()
    page.get_by_role("region", name="Board").wait_for()


def test_two_models_are_chosen_with_the_keyboard_and_compared(page, server, measured, axe):
    page.goto(f"{server.url}/board?sort=model")
    page.get_by_role("row").filter(has_text="0.8125").wait_for()
    for key in ("j", "x", "j", "x"):
        page.keyboard.press(key)
    expect(page.get_by_role("region", name="Comparison")).to_contain_text("A base · B tuned")
    page.get_by_text(f"sf bench compare {measured.base} {measured.tuned}").wait_for()
    assert axe(page) == []
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/board/compare"))
    page.get_by_text("B is better, beyond chance").wait_for()


def test_a_comparison_says_in_words_what_the_figures_mean(page, compare, axe):
    compare()
    page.get_by_text("B is better, beyond chance").wait_for()
    for name, count in (
        ("Both right", 4),
        ("Only A right", 1),
        ("Only B right", 9),
        ("Neither", 2),
    ):
        expect(page.get_by_role("button", name=re.compile(f"^{name} {count} "))).to_be_visible()
    expect(page.get_by_text("0.0215")).to_be_visible()  # McNemar, 1 against 9
    assert axe(page) == []
    page.get_by_role("button", name="Swap A and B").click()
    page.get_by_text("A is better, beyond chance").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("l")
    page.get_by_text("A 更好，并非偶然").wait_for()
    assert axe(page) == []


def test_items_that_flipped_stand_side_by_side(page, compare):
    compare()
    items = page.get_by_role("article")
    expect(items).to_have_count(10)
    page.get_by_role("button", name=re.compile("^Only A right")).click()
    expect(items).to_have_count(1)
    expect(items.first).to_contain_text("Say 5")
    expect(items.get_by_role("region", name="A", exact=True)).to_contain_text("right")
    expect(items.get_by_role("region", name="B", exact=True)).to_contain_text("wrong")
    page.wait_for_url(re.compile("show=only_a"))
    page.reload()
    expect(items).to_have_count(1)
    page.get_by_role("button", name=re.compile("^Only A right")).click()
    page.get_by_role("searchbox").fill("say 37")
    expect(items).to_have_count(1)
    expect(items.first).to_contain_text("7777")
    page.get_by_role("searchbox").fill("nothing like this")
    page.get_by_text("No item matches.").wait_for()


def test_results_taken_in_different_ways_are_not_compared_unasked(page, compare, measured, axe):
    compare(a=measured.jobs["short"])
    page.get_by_text("the settings of the two are not equal").wait_for()
    assert axe(page) == []
    page.get_by_role("button", name="Compare all the same").click()
    page.get_by_text("The two were not measured in the same way").wait_for()
    page.get_by_text("12 more only in B").wait_for()
    page.get_by_role("button", name="Only equal settings").click()
    page.get_by_text("the settings of the two are not equal").wait_for()
    compare(a="nobody")
    page.get_by_text("neither a job with scores nor a model").wait_for()


def test_on_a_phone_nothing_is_cut_off(page, server, compare, axe):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.url}/board")
    page.get_by_role("region", name="Board").wait_for()
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not page.evaluate(wide) and axe(page) == []
    compare()
    page.get_by_role("article").first.wait_for()
    assert not page.evaluate(wide) and axe(page) == []
