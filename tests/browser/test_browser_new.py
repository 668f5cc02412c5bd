"""New jobs from the console: a form made of the recipe, checked as one types, and clones."""

import hashlib
import io
import re
import zipfile

import pytest
import yaml
from e2e_harness import send, wait_ended, wait_for

pytestmark = pytest.mark.e2e

SCRIPT = """\
python3 - <<'PY'
import json, os
from starforge import report
config = json.load(open(os.environ["STARFORGE_CONFIG"]))
report.init(total_steps=3)
for step in range(1, 4):
    report.log({"train/loss": LOSS / step}, step=step)
print("made by a form", flush=True)
PY
"""
HOSTILE = "<img src=x onerror=\"window.broken='yes'\"><script>window.broken='yes'</script>"


def open_form(page, server, search):
    page.goto(f"{server.url}/new?{search}")
    page.get_by_role("heading", level=1).wait_for()


def setting(page, name):
    return page.locator(f'[id="params.{name}-input"]')


def is_ready(page):
    page.get_by_text("Ready to run").wait_for()


def job_of(page, client):
    """The job on whose page we are."""
    page.wait_for_url(re.compile(r"/jobs/[^/?]+$"))
    return client.jobs.get(page.url.rpartition("/")[2])


def test_a_method_is_picked_when_none_is_named(page, server):
    open_form(page, server, "")
    page.get_by_role("combobox", name="Method").fill("custom/cus")
    page.get_by_role("option", name="custom/custom").click()
    page.wait_for_url(re.compile(r"method=custom(%2F|/)custom"))
    is_ready(page)


def test_a_job_is_made_and_watched_to_its_end(page, server, client):
    open_form(page, server, "method=custom/custom")
    page.get_by_label("Name", exact=True).fill("训练 新一号")
    page.get_by_label("Description").fill("made in a browser")
    page.get_by_role("combobox", name="Tags").fill("form")
    page.keyboard.press("Enter")
    page.get_by_role("tab", name="train.sh").click()
    page.get_by_role("textbox", name="train.sh").fill(SCRIPT.replace("LOSS", "6"))
    is_ready(page)
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="训练 新一号").wait_for()
    page.get_by_text("succeeded").first.wait_for()
    job = job_of(page, client)
    assert (job.name, job.description, job.tags) == ("训练 新一号", "made in a browser", ["form"])
    assert job.headline["train/loss"] == 2
    page.goto(f"{server.url}/jobs/{job.id}/logs")
    page.get_by_text("made by a form").wait_for()
    open_form(page, server, "method=custom/custom")  # what was submitted is no draft any more
    assert page.get_by_label("Name", exact=True).input_value() == "custom"


def test_a_wrong_value_is_told_at_its_field(page, server, axe):
    open_form(page, server, "method=trl/sft")
    is_ready(page)
    setting(page, "learning_rate").fill("-1")
    row = page.locator('[id="field-params.learning_rate"]')
    row.get_by_text("config/out-of-range").wait_for()
    assert setting(page, "learning_rate").get_attribute("aria-invalid") == "true"
    page.get_by_text("1 error").wait_for()
    assert axe(page) == []
    row.get_by_role("button", name="Explain config/out-of-range").click()
    page.get_by_text("sf explain config/out-of-range").wait_for()
    page.get_by_text("Good", exact=True).wait_for()
    assert axe(page) == []
    page.keyboard.press("Escape")
    page.get_by_label("config.yaml").fill("warmup_ratoi: 1\n")
    page.locator('[id="field-config"]').get_by_text("config/unknown-key").wait_for()
    page.get_by_role("button", name="Submit").click()
    page.wait_for_timeout(300)
    assert "/new" in page.url
    row.get_by_role("button", name="Back to the default: learning_rate").click()
    page.get_by_label("config.yaml").fill("")
    is_ready(page)


def test_a_finding_leads_to_a_parameter_out_of_sight(page, server):
    open_form(page, server, "method=trl/sft")
    page.get_by_label("Search parameters").fill("weight_decay")
    setting(page, "weight_decay").fill("much")
    page.get_by_label("Search parameters").fill("")
    link = page.get_by_role("complementary").get_by_role("button", name=re.compile("weight_decay"))
    link.click()
    page.locator('[id="params.weight_decay-input"]:focus').wait_for()


def test_what_was_typed_outlives_a_reload(page, server):
    open_form(page, server, "method=trl/dpo")
    setting(page, "beta").fill("0.25")
    page.get_by_text("Kept in this browser").wait_for()
    page.reload()
    is_ready(page)
    assert setting(page, "beta").input_value() == "0.25"
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("dialog").get_by_role("button", name="Start over").click()
    wait_for(lambda: setting(page, "beta").input_value() == "")


def test_a_restarted_server_finds_the_form_as_it_was(page, server):
    open_form(page, server, "method=trl/sft")
    is_ready(page)
    port = server.url.rpartition(":")[2]
    server.stop()
    setting(page, "learning_rate").fill("2e-4")
    page.get_by_text("can't be reached").first.wait_for()
    server.start("--port", port)
    plan = page.get_by_role("region", name="Where it differs")
    plan.get_by_text("2e-4", exact=True).wait_for()
    is_ready(page)
    page.goto(f"{server.url}/new")
    page.get_by_text("Begun in this browser").wait_for()
    page.get_by_role("link", name="sft", exact=True).click()
    page.get_by_text("Kept in this browser").wait_for()
    assert setting(page, "learning_rate").input_value() == "2e-4"


def test_native_keys_are_completed(page, server):
    open_form(page, server, "method=trl/sft")
    page.get_by_role("combobox", name="Find a key and add it").fill("dataloader_num")
    page.get_by_role("option", name=re.compile("dataloader_num_workers")).click()
    assert "dataloader_num_workers: 0" in page.get_by_label("config.yaml").input_value()
    page.get_by_role("combobox", name="Find a key and add it").fill("lora_dropout")
    page.get_by_role("option", name=re.compile("lora_dropout")).click()
    page.locator('[id="params.lora_dropout-input"]:focus').wait_for()  # it has a parameter
    page.get_by_label("config.yaml").fill("dataloader_num_workers: 1\n")
    is_ready(page)
    page.get_by_role("region", name="Where it differs").get_by_text(
        "dataloader_num_workers"
    ).wait_for()


def test_an_uploaded_file_is_shown_and_its_columns_mapped(page, server):
    open_form(page, server, "method=trl/sft")
    group = page.get_by_role("group", name="Training")
    group.get_by_text("File", exact=True).click()
    rows = "question,reply\n1+1?,2\n你好,您好\n"
    with page.expect_file_chooser() as chooser:
        group.get_by_role("button", name="Upload a file").click()
    chooser.value.set_files(
        files=[{"name": "qa.csv", "mimeType": "text/csv", "buffer": rows.encode()}]
    )
    group.get_by_text("您好").wait_for()
    group.get_by_text("data/columns").first.wait_for()
    for wanted, column in (("prompt", "question"), ("completion", "reply")):
        page.get_by_role("combobox", name=wanted).click()
        page.get_by_role("option", name=column).click()
    is_ready(page)


def test_a_dataset_and_the_model_of_a_job_are_picked(page, server, client, experiment):
    source = send(client, experiment(SCRIPT.replace("LOSS", "1")), name="来源 模型")
    wait_ended(client, source.id)
    rows = b'{"prompt": "1+1?", "completion": "2"}\n' * 3
    digest = hashlib.sha256(rows).hexdigest()
    client.blobs.put(digest, rows)
    ref = client.datasets.add("sums", digest, "sums.jsonl").ref
    open_form(page, server, "method=trl/sft")
    group = page.get_by_role("group", name="Training")
    group.get_by_text("Dataset", exact=True).click()
    group.get_by_role("combobox", name="Dataset: Training").click()
    page.get_by_role("option", name=ref.removeprefix("dataset:")).click()
    group.get_by_role("cell", name="1+1?").first.wait_for()
    is_ready(page)
    page.get_by_text("3 rows").first.wait_for()
    page.get_by_role("combobox", name="Model to train").fill("来源")
    page.get_by_role("option", name="来源 模型").click()
    model = page.get_by_role("combobox", name="Model to train")
    assert model.input_value() == f"job:{source.id}"
    # A script that leaves no model can't be started from: the server says so at the field.
    page.locator('[id="field-model"]').get_by_role("status").wait_for()


def test_it_can_be_taken_away_as_commands_and_as_a_zip(page, server):
    open_form(page, server, "method=trl/sft")
    page.get_by_label("Name", exact=True).fill("away")
    setting(page, "max_steps").fill("7")
    is_ready(page)
    page.wait_for_timeout(1200)  # commands are those of the last check
    page.get_by_role("button", name="As commands").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("sf new away --method trl/sft").wait_for()
    assert "max_steps=7" in dialog.inner_text()
    page.keyboard.press("Escape")
    with page.expect_download() as found:
        page.get_by_role("button", name="Download").click()
    archive = zipfile.ZipFile(io.BytesIO(found.value.path().read_bytes()))
    assert "max_steps: 7" in archive.read("away/experiment.yaml").decode()


def policy(page, name):
    return page.locator(f'[id="policies.{name}-input"]')


def turn_policies(page):
    """Open the groups of policies, or close them again."""
    section = page.get_by_role("region", name="When to stop, warn and retry")
    for group in section.locator("[data-accordion-control]").all():
        group.click()
    return section


def test_every_policy_is_set_submitted_and_cloned(page, server, client):
    open_form(page, server, "method=custom/custom")
    page.get_by_label("Name", exact=True).fill("policed")
    page.get_by_role("tab", name="train.sh").click()
    page.get_by_role("textbox", name="train.sh").fill(SCRIPT.replace("LOSS", "6"))
    section = turn_policies(page)
    typed = {
        "time_limit": "2h", "budget": "5h", "retries": "2", "stalled": "20m", "stop_grace": "45",
        "no_signal": "0", "kl_explosion": "2.5", "length_explosion": "3", "disk_reserve": "1MB",
    }  # fmt: skip
    for name, text in typed.items():
        policy(page, name).fill(text)
    page.get_by_text("Stop at the first NaN loss").click()
    page.get_by_text("Stop when the disk is full").click()
    policy(page, "nan_metrics").fill("train/other_loss")
    page.keyboard.press("Enter")
    section.get_by_text("12 of 12 changed").wait_for()
    is_ready(page)
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="policed").wait_for()
    job = wait_ended(client, job_of(page, client).id)
    assert job.state == "succeeded"
    assert client.jobs.plan(job.id)["policies"] == {
        "nan_loss": False, "nan_metrics": ["train/other_loss"], "time_limit": 7200.0,
        "stop_grace": 45.0, "disk_full": False, "disk_reserve": 1e6, "stalled": 1200.0,
        "budget": 18000.0, "no_signal": 0, "kl_explosion": 2.5, "length_explosion": 3.0,
        "retries": 2,
    }  # fmt: skip
    page.get_by_role("link", name="Clone and edit").click()
    page.get_by_role("heading", name="Clone a job").wait_for()
    turn_policies(page)
    assert {name: policy(page, name).input_value() for name in typed} == typed
    assert not page.get_by_role("switch", name="Stop at the first NaN loss").is_checked()
    page.get_by_text("train/other_loss", exact=True).wait_for()
    page.get_by_role("button", name="Back to the default: Budget").click()
    policy(page, "retries").fill("3")
    is_ready(page)
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="policed-2").wait_for()
    again = client.jobs.plan(job_of(page, client).id)["policies"]
    assert (again["budget"], again["retries"], again["time_limit"]) == (None, 3, 7200.0)


def test_a_wrong_policy_is_told_at_its_field(page, server, axe):
    open_form(page, server, "method=trl/grpo")
    is_ready(page)
    policy(page, "budget").fill("some hours")
    page.locator('[id="field-policies.budget"]').get_by_text("experiment/duration").wait_for()
    assert policy(page, "budget").get_attribute("aria-invalid") == "true"
    policy(page, "budget").fill("1h")
    policy(page, "time_limit").fill("2h")  # more than all attempts together may take
    warned = page.locator('[id="field-policies.budget"]')
    warned.get_by_text("resources/budget-below-limit").wait_for()
    section = turn_policies(page)
    policy(page, "kl_explosion").fill("0.5")
    row = page.locator('[id="field-policies.kl_explosion"]')
    row.get_by_text("experiment/policy-range").wait_for()
    assert axe(page) == []
    turn_policies(page)
    section.get_by_text("error", exact=True).wait_for()
    side = page.get_by_role("complementary")
    side.get_by_role("button", name=re.compile("kl_explosion")).click()  # opens its group
    page.locator('[id="policies.kl_explosion-input"]:focus').wait_for()
    policy(page, "kl_explosion").fill("")
    is_ready(page)


def test_policies_are_in_the_commands_and_the_zip(page, server):
    open_form(page, server, "method=trl/sft")
    page.get_by_label("Name", exact=True).fill("policed")
    policy(page, "retries").fill("2")
    policy(page, "time_limit").fill("90m")
    is_ready(page)
    page.get_by_role("button", name="As commands").click()
    page.get_by_role("dialog").get_by_text("retries: 2").wait_for()
    page.keyboard.press("Escape")
    with page.expect_download() as found:
        page.get_by_role("button", name="Download").click()
    archive = zipfile.ZipFile(io.BytesIO(found.value.path().read_bytes()))
    written = yaml.safe_load(archive.read("policed/experiment.yaml"))
    assert written["policies"] == {"retries": 2, "time_limit": "90m"}


def test_steps_with_settings_follow(page, server):
    open_form(page, server, "method=trl/sft")
    page.get_by_label("Name", exact=True).fill("followed")
    further = page.get_by_label("Steps with settings of their own")
    further.fill('{"benchmark": "basics", "lim')
    page.locator('[id="field-then"]').get_by_text("then/step").wait_for()
    assert further.input_value() == '{"benchmark": "basics", "lim'
    further.fill('{"benchmark": "basics", "limit": 2}')
    page.get_by_label("Export the model, checked by loading it").check()
    is_ready(page)
    with page.expect_download() as found:
        page.get_by_role("button", name="Download").click()
    archive = zipfile.ZipFile(io.BytesIO(found.value.path().read_bytes()))
    written = yaml.safe_load(archive.read("followed/experiment.yaml"))
    assert written["then"] == ["export", {"benchmark": "basics", "limit": 2}]


def test_a_job_is_cloned_and_edited(page, server, client, experiment):
    first = send(client, experiment(SCRIPT.replace("LOSS", "9"), tags=["old"]), name="first run")
    wait_ended(client, first.id)
    page.goto(f"{server.url}/jobs/{first.id}")
    page.get_by_role("link", name="Clone and edit").click()
    page.get_by_role("heading", name="Clone a job").wait_for()
    assert page.get_by_label("Name", exact=True).input_value() == "first run-2"
    script = page.get_by_role("textbox", name="train.sh")
    script.fill(script.input_value().replace("9 / step", "3 / step"))
    is_ready(page)
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="first run-2").wait_for()
    second = wait_ended(client, job_of(page, client).id)
    assert second.id != first.id
    assert (second.state, second.tags, second.headline["train/loss"]) == ("succeeded", ["old"], 1)
    assert client.jobs.get(first.id).headline["train/loss"] == 3


def test_jobs_are_sorted_by_their_headline(page, server, client, experiment):
    for name, loss in (("middle", "300"), ("low", "30"), ("high", "3000")):
        job = send(client, experiment(SCRIPT.replace("LOSS", loss), name=name, tags=["sorted"]))
        wait_ended(client, job.id)
    page.goto(f"{server.url}/jobs?tag=sorted")
    page.get_by_role("button", name="Headline metric").click()
    page.get_by_role("menuitem", name="train/loss, lowest first").click()
    page.wait_for_url(re.compile(r"sort=headline"))
    links = page.get_by_role("table").get_by_role("link")
    wait_for(lambda: links.all_inner_texts() == ["low", "middle", "high"])
    page.get_by_role("button", name="train/loss").click()
    page.get_by_role("menuitem", name="train/loss, highest first").click()
    wait_for(lambda: links.all_inner_texts() == ["high", "middle", "low"])


def test_hostile_texts_in_every_field_stay_texts(page, server):
    open_form(page, server, "method=trl/grpo")
    is_ready(page)
    for label in ("Name", "Description", "Time limit"):
        page.get_by_label(label, exact=True).fill(HOSTILE)
    page.get_by_role("combobox", name="Tags").fill(HOSTILE)
    page.keyboard.press("Enter")
    for label in ("Model to train", "Reward", "Resources"):
        page.get_by_role("combobox", name=label).fill(HOSTILE)
    for name in ("learning_rate", "max_steps", "temperature"):
        setting(page, name).fill(HOSTILE)
    page.get_by_label("config.yaml").fill(HOSTILE)
    page.get_by_role("textbox", name="reward.py").fill(HOSTILE)
    page.get_by_text(re.compile(r"\d+ errors")).wait_for()
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Submit").click()
    page.wait_for_timeout(1000)
    assert page.evaluate("window.broken") is None
    assert page.locator("img[src=x]").count() == 0
    assert "/new" in page.url


@pytest.mark.parametrize("method", ["custom/custom", "trl/grpo", "trl/opsd", "evalkit/benchmark"])
def test_forms_break_no_rule_of_accessibility(page, server, axe, method):
    open_form(page, server, f"method={method}")
    is_ready(page)
    for group in page.locator("[data-accordion-control]").all():
        group.click()
    page.wait_for_timeout(600)
    assert axe(page) == []
