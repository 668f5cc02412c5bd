"""Choosing a method, its page, and the settings, as a person uses them."""

import json
import re
import sys
from collections.abc import Iterator

import pytest
from e2e_harness import Server, end

from starforge import runtimes

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.e2e

HOSTILE = "<img src=x onerror=\"window.broken='yes'\">"
TASKS = [{"question": f"What is {n} + 3?", "answer": str(n + 3), "id": n} for n in range(5)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without runtimes, whose pip finds no package."""
    made = Server(tmp_path_factory.mktemp("home") / "home", {"PIP_NO_INDEX": "1"}).start()
    yield made
    end(made)


def drop(page, name, rows):
    """Drop a file of JSON lines, as a file manager does."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    build = """([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      return data;
    }"""
    transfer = page.evaluate_handle(build, [name, text])
    page.get_by_text("Drop a data file here").dispatch_event("drop", {"dataTransfer": transfer})


def test_questions_lead_to_a_method(page, server, axe):
    page.goto(f"{server.url}/choose")
    page.get_by_role("button", name=re.compile("verifiable tasks")).click()
    page.get_by_role("heading", name="Does one of these apply?").wait_for()
    assert axe(page) == []
    page.get_by_role("button", name="none of these").click()
    choices = page.get_by_role("list", name="Methods that fit, best first").get_by_role("listitem")
    expect(choices.first).to_contain_text("trl/grpo")
    assert axe(page) == []
    page.get_by_label("GPUs", exact=True).fill("8")
    expect(choices.first).to_contain_text("nemo-rl/grpo")
    page.go_back()
    page.get_by_role("heading", name="Does one of these apply?").wait_for()
    page.get_by_role("button", name=re.compile("Change the answer")).click()
    page.get_by_role("button", name=re.compile("good.bad labels")).click()
    page.get_by_role("link", name="New job with trl/kto").click()
    page.wait_for_url(re.compile(r"/new\?method=trl(/|%2F)kto$"))


def test_a_dropped_file_is_understood_and_goes_into_a_job(page, server, axe):
    page.goto(f"{server.url}/choose")
    drop(page, "tasks.jsonl", TASKS)
    page.get_by_role("heading", name="Verifiable tasks").wait_for()
    rows = page.get_by_role("region", name="Three rows as a method sees them").get_by_role("row")
    expect(rows).to_have_count(4)
    expect(rows.first).to_have_text(re.compile("^prompt.*answer.*id$"))
    page.get_by_text("recognised by its name").wait_for()
    assert axe(page) == []
    page.reload()  # the address names the data
    page.get_by_role("heading", name="Verifiable tasks").wait_for()
    page.get_by_text("sf new my-grpo --method trl/grpo --data tasks.jsonl").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("l")
    page.get_by_role("heading", name="可验证任务").wait_for()
    page.get_by_text("没有 GPU 也能运行").first.wait_for()
    page.get_by_role("link", name="用 trl/grpo 新建任务").click()
    page.wait_for_url(re.compile(r"/new\?method=.*digest=[0-9a-f]{64}.*file=tasks\.jsonl.*map="))


def test_columns_of_no_known_kind_can_be_named(page, server, axe):
    page.goto(f"{server.url}/choose")
    drop(page, "odd.jsonl", [{HOSTILE: row["question"], "b": row["answer"]} for row in TASKS])
    page.get_by_text("These rows are not understood").wait_for()
    page.get_by_role("region", name="The first rows").get_by_text("onerror").wait_for()
    assert axe(page) == []
    for column, part in ((HOSTILE, "prompt"), ("b", "answer")):
        page.get_by_role("combobox", name="Column").fill(column)
        page.get_by_role("combobox", name="read as").fill(part)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Rename").click()
    page.get_by_role("heading", name="Verifiable tasks").wait_for()
    page.get_by_role("button", name="Read b as it is").click()
    expect(page.get_by_role("button", name="Read b as it is")).to_have_count(0)
    assert page.evaluate("window.broken") is None
    page.get_by_role("button", name="Other data").click()
    page.get_by_text("Drop a data file here").wait_for()


def test_a_method_says_everything_and_its_parameters_are_found(page, server, axe):
    page.goto(f"{server.url}/methods/trl/grpo")
    for title in ("When to use it", "When not to", "Data", "Parameters", "Key metrics",
                  "Set by StarForge", "Never read by upstream"):  # fmt: skip
        page.get_by_role("heading", name=title, exact=True, level=2).wait_for()
    page.get_by_text("not installed: sf runtime install trl").wait_for()
    page.get_by_role("link", name="verl/grpo").wait_for()
    assert axe(page) == []
    shown = page.get_by_role("region", name="Parameters")
    expect(shown.get_by_role("link", name="adam_beta1")).to_have_count(0)  # advanced
    page.keyboard.press("/")
    page.keyboard.type("betA1")
    row = page.locator("#param-adam_beta1")
    row.get_by_text("default 0.9").wait_for()
    expect(shown.get_by_role("link", name="learning_rate")).to_have_count(0)
    page.wait_for_url(re.compile("search=betA1"))
    shown.get_by_role("link", name="adam_beta1").click()
    page.wait_for_url(re.compile("param=adam_beta1"))
    page.goto(f"{server.url}/methods/trl/grpo?param=kl_coef")
    expect(page.locator("#param-kl_coef")).to_be_in_viewport()
    assert page.locator("#param-kl_coef").get_attribute("data-marked") == "true"


def test_an_unknown_method_names_what_there_is(page, server):
    page.goto(f"{server.url}/methods/trl/grpoo")
    page.get_by_text("trl/grpoo").first.wait_for()
    page.get_by_role("alert").get_by_text("trl/grpo", exact=True).wait_for()


def broken_build(home, name="evalkit"):
    """Put a runtime of the current lock that has none of its packages."""
    spec = runtimes.get_spec(name, "cpu")
    folder = home / "runtimes" / spec.folder
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    receipt = {"name": name, "device": "cpu", "digest": spec.digest, "python": "3.11.7",
               "built_at": 1.0, "size": 5_000_000}  # fmt: skip
    (folder / "runtime.json").write_text(json.dumps(receipt))
    return folder


def test_a_runtime_is_checked_and_removed(page, server, axe):
    folder = broken_build(server.home)
    page.goto(f"{server.url}/settings")
    row = page.get_by_role("group", name="evalkit (cpu)")
    row.get_by_text("installed, 5 MB").wait_for()
    assert axe(page) == []
    row.get_by_role("button", name="Check").click()
    row.get_by_text("It is not as its lock says").wait_for()
    assert axe(page) == []
    row.get_by_role("button", name="Remove").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Cancel").click()
    assert folder.is_dir()
    row.get_by_role("button", name="Remove").click()
    dialog.get_by_text("That frees 5 MB").wait_for()
    assert axe(page) == []
    dialog.get_by_role("button", name="Remove").click()
    row.get_by_role("button", name="Install").wait_for()
    assert not folder.exists()


def test_a_build_that_fails_says_why_in_place(page, server):
    page.goto(f"{server.url}/settings")
    row = page.get_by_role("group", name="trl (cpu)")
    row.get_by_text("to download").wait_for()
    row.get_by_role("button", name="Install").click()
    row.get_by_text("It could not be built").wait_for(timeout=120_000)  # it makes a venv first
    row.get_by_text("pip").first.wait_for()
    row.get_by_role("button", name="Install").wait_for()


def test_the_settings_sign_out_and_keep_the_theme(page, server):
    page.goto(f"{server.url}/settings")
    page.get_by_text(f"sf login {server.url}").wait_for()
    page.get_by_text(f"cat {server.home}/token").wait_for()
    page.get_by_role("radiogroup", name="Theme").get_by_text("Dark").click()
    page.reload()
    page.wait_for_function("document.documentElement.dataset.mantineColorScheme === 'dark'")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name=re.compile("Sign in")).wait_for()
