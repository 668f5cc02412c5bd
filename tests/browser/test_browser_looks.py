"""Every page in every look: both themes, both languages, a wide and a narrow window."""

import getpass

import pytest
from e2e_harness import send, wait_ended
from page_looks import cut_off, faint_placeholders, untranslated, wider_than_window

pytestmark = pytest.mark.e2e

TRAINING = """\
python3 - <<'PY'
from starforge import report
report.init(total_steps=30)
for step in range(1, 31):
    report.log({"train/loss": 2.0 / step, "train/reward": step / 30}, step=step)
    report.log_samples([
        {"prompt": "2 + 2 = ?", "completion": str(step + at), "reward": float(at == 2), "group": 1,
         "rewards": {"correct": float(at == 2)}, "length": 3}
        for at in range(4)
    ], step=step)
END
PY
"""
PLACES = [
    "jobs", "jobs/一号", "jobs/二号", "jobs/一号/charts", "jobs/一号/samples",
    "jobs/一号/samples?view=groups", "jobs/一号/samples?view=pairs", "jobs/一号/logs",
    "jobs/一号/config", "jobs/一号/artifacts", "jobs/一号/record", "compare?jobs=一号,二号",
    "pipelines", "sweeps", "methods", "methods/trl/grpo", "choose",
    "choose?answers=verifiable,default", "new", "new?method=trl/grpo", "new?from=一号",
    "settings", "nowhere",
]  # fmt: skip
"""Addresses of all pages; names of jobs are Chinese, so that English words are the console's."""
SAME_IN_CHINESE = {
    "custom", "local", "trainer", "train", "system", "correct", "cpu", "cuda", "evalkit", "trl",
    "verl", "openrlhf", "nemo-rl", "int", "float", "str", "list", "bool", "user", "assistant",
    "null", "true", "false", "none", "lora", "temperature", getpass.getuser(),
}  # fmt: skip
"""Names, types and values, which have no translation."""
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def filled(server, tmp_path_factory):
    """Two jobs that have ended, one of them badly: their names and IDs."""
    client = server.client()
    ids = {}
    for name, end in (("一号", ""), ("二号", "raise SystemExit(3)")):
        folder = tmp_path_factory.mktemp("lab") / "exp"
        folder.mkdir()
        (folder / "train.sh").write_text(TRAINING.replace("END", end), "utf-8")
        text = "method: custom/custom\ndescription: 加法\ntags: [算术]\n"
        (folder / "experiment.yaml").write_text(text, "utf-8")
        ids[name] = wait_ended(client, send(client, folder, name=name).id).id
    return ids


def visit(page, server, filled, place, language):
    """Open a page in a language, and wait for what it asks the server for."""
    for name, job in filled.items():
        place = place.replace(name, job)
    page.goto(f"{server.url}/favicon.svg")  # nothing that still moves to another address
    page.evaluate("(one) => localStorage.setItem('starforge.language', one)", language)
    page.goto(f"{server.url}/{place}")
    page.locator("h1, h2").first.wait_for()
    page.locator("#content .mantine-Skeleton-root").first.wait_for(state="detached")
    page.wait_for_timeout(700)  # what comes after the heading, and what fades in


def narrow(page):
    """Turn the window into that of a phone."""
    page.set_viewport_size(PHONE)
    page.wait_for_timeout(300)


@pytest.mark.parametrize("place", PLACES)
def test_an_english_page_in_both_themes_wide_and_narrow(page, server, filled, axe, place):
    visit(page, server, filled, place, "en")
    assert cut_off(page) == []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert axe(page) == []
        assert faint_placeholders(page) == []
    narrow(page)
    assert wider_than_window(page) == []


@pytest.mark.parametrize("place", PLACES)
def test_a_chinese_page_says_all_in_chinese_wide_and_narrow(page, server, filled, place):
    visit(page, server, filled, place, "zh")
    assert untranslated(page, SAME_IN_CHINESE) == []
    assert cut_off(page) == []
    narrow(page)
    assert wider_than_window(page) == []
