"""What a server publishes is what counts: own recipes, hidden ones, broken files, digests."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from e2e_harness import Server

from starforge.catalog.load import DATA
from starforge.client.submit import submit
from starforge.errors import StarForgeError
from starforge.prepare import prepare

OWN = """\
framework: custom
version: 1.0.0
config: script
algorithm: house
runtime: none
model: none
title: {en: House method, zh: 自有方法}
summary: {en: Runs the house script., zh: 运行自有脚本。}
use_when: {en: In this house., zh: 在本单位使用。}
avoid_when: {en: Elsewhere., zh: 其他地方不用。}
data: {kind: none, train: none, validation: none}
roles: [{name: script, description: {en: Runs it., zh: 运行脚本。}}]
entry: {launcher: shell}
parameters:
  script: {path: script}
minimum: {cpus: 1, text: {en: Any machine., zh: 任何机器。}}
scaffold: {files: [train.sh]}
"""


def own_recipe(home: Path, text: str = OWN, name: str = "custom/house") -> Path:
    file = home / "catalog/recipes" / f"{name}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    scaffold = home / "catalog/scaffold"
    scaffold.mkdir(exist_ok=True)
    (scaffold / "train.sh").write_text("echo house\n")
    return file


def config_of_custom() -> str:
    contract = json.loads((DATA / "contracts/custom-1.0.0.json").read_text())
    return next(iter(contract["configs"]))


@pytest.fixture
def house(servers):
    """A server with a method of its own and two hidden ones."""
    server: Server = servers("house")
    own_recipe(server.home, OWN.replace("config: script", f"config: {config_of_custom()}"))
    (server.home / "catalog/catalog.yaml").write_text(
        "hide:\n- trl/kto\n- {method: 'verl/*', reason: no GPUs here}\n"
    )
    return server.start()


def sf(home, *words, cwd=None, **env):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("STARFORGE_")}
    return subprocess.run(
        [sys.executable, "-m", "starforge.cli.main", *words],
        capture_output=True, text=True, cwd=cwd,
        env=kept | {"STARFORGE_HOME": str(home), "SF_LANG": "en", "COLUMNS": "200"} | env,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


def test_methods_are_those_of_the_server_and_what_is_missing_is_said(house):
    client = house.client()
    names = [one.name for one in client.methods()]
    assert "custom/house" in names and "trl/kto" not in names
    assert not any(name.startswith("verl/") for name in names)
    found = client.catalog()
    assert found.own == ["custom/house"] and set(found.methods) == set(names)
    assert {one.name for one in found.hidden} >= {"trl/kto", "verl/grpo"}
    method = client.method("custom/house").model_dump()
    assert (method["source"], method["place"]["kind"]) == ("deployment", "none")
    done = sf(house.home, "methods")
    assert f"catalog of {house.url}" in done.stderr
    assert "not published there: verl/grpo (no GPUs here)" in done.stderr
    assert "the server's own: custom/house" in done.stderr
    with pytest.raises(StarForgeError) as caught:
        client.method("verl/grpo")
    assert caught.value.code == "catalog/not-published" and "no GPUs" in caught.value.message.en


def test_changes_are_taken_up_and_a_broken_file_stops_only_itself(house):
    client = house.client()
    file = own_recipe(house.home, "framework: custom\n", "custom/broken")
    assert "custom/broken" not in [one.name for one in client.methods()]
    (broken,) = client.catalog().broken
    assert broken.file == "recipes/custom/broken.yaml" and "no contract" in broken.problem
    assert "broken there: recipes/custom/broken.yaml" in sf(house.home, "methods").stderr
    file.unlink()
    (house.home / "catalog/catalog.yaml").write_text("hide: [custom/custom]\n")
    names = [one.name for one in client.methods()]
    assert "trl/kto" in names and "custom/custom" not in names
    (house.home / "catalog/catalog.yaml").write_text("hidden: [custom/custom]\n")
    assert client.catalog().broken[0].file == "catalog.yaml"


def test_another_machine_works_with_the_servers_catalog(house, tmp_path):
    away = {"STARFORGE_URL": house.url, "STARFORGE_TOKEN": house.token}
    lab, home = tmp_path / "lab", tmp_path / "away"
    assert sf(home, "init", str(lab), **away).returncode == 0
    done = sf(home, "new", "x", "--method", "custom/house", cwd=lab, **away)
    assert done.returncode == 0, done.stderr
    done = sf(home, "submit", "x", "--watch", cwd=lab, **away)
    assert done.returncode == 0, done.stderr + done.stdout
    done = sf(home, "new", "y", "--method", "trl/kto", cwd=lab, **away)
    assert done.returncode == 1 and "there is no method `trl/kto`" in done.stderr
    done = sf(home, "validate", "x", cwd=lab)  # not connected: this machine knows no such method
    assert done.returncode == 1 and "custom/house" in done.stdout + done.stderr


def test_a_submission_with_another_recipe_is_refused_before_anything_is_kept(house, experiment):
    client = house.client()
    prepared = prepare(experiment("echo hello\n"))
    own_recipe(
        house.home,
        (DATA / "recipes/custom/custom.yaml").read_text("utf-8").replace("cpus: 1", "cpus: 2"),
        "custom/custom",
    )
    for name in ("train.sh", "train.py"):
        text = (DATA / "recipes/custom/custom" / name).read_text("utf-8")
        (house.home / "catalog/scaffold" / name).write_text(text, "utf-8")
    mine = prepared.plan.recipe_digest
    theirs = client.catalog().methods["custom/custom"]
    assert mine != theirs
    with pytest.raises(StarForgeError) as caught:
        submit(client, prepared)
    assert caught.value.code == "submit/recipe-differs"
    assert mine[:12] in caught.value.message.en and theirs[:12] in caught.value.message.en
    (house.home / "catalog/catalog.yaml").write_text("hide: [custom/custom]\n")
    with pytest.raises(StarForgeError) as caught:
        submit(client, prepared)
    assert caught.value.code == "catalog/not-published"
    assert client.jobs.page().total == 0


def test_where_methods_run(servers, tmp_path):
    server = servers("places", FORGE_IMAGE_OPENRLHF="example/openrlhf:0.11.0")
    catalog = server.home / "catalog"
    catalog.mkdir(parents=True)
    (catalog / "runtimes.yaml").write_text(
        f"trl: {{python: {sys.executable}}}\nverl: {{python: /nowhere/python}}\n"
    )
    client = server.start().client()
    places = {one.name: one.place for one in client.methods()}
    assert (places["openrlhf/sft"].kind, places["openrlhf/sft"].ready) == ("image", False)
    assert "FORGE_IMAGE_OPENRLHF" in places["openrlhf/sft"].detail
    assert (places["trl/sft"].kind, places["trl/sft"].name, places["trl/sft"].ready) == (
        "python", sys.executable, True,
    )  # fmt: skip
    assert (places["verl/grpo"].kind, places["verl/grpo"].ready) == ("python", False)
    assert "sf runtime install evalkit" in places["evalkit/benchmark"].detail
    assert "runtimes.yaml" in places["nemo-rl/grpo"].detail
    for method, code in (("openrlhf/sft", "runtime/image-here"), ("verl/sft", "runtime/no-python"),
                         ("evalkit/benchmark", "runtime/missing")):  # fmt: skip
        made = new(tmp_path / "lab", method)
        with pytest.raises(StarForgeError) as caught:
            submit(client, made)
        assert caught.value.code == code
    assert client.jobs.page().total == 0


def new(lab: Path, method: str):
    from starforge.catalog.load import load_catalog
    from starforge.lab.lab import Lab
    from starforge.lab.scaffold import init_lab, new_experiment

    if not lab.exists():
        init_lab(lab)
    catalog = load_catalog()
    name = method.replace("/", "-")
    made = prepare(new_experiment(Lab(root=lab), name, catalog.recipe(method), catalog))
    assert made.ok, made.findings
    return made
