"""The Dockerfiles of frameworks install their lock and nothing else. No image is built here."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from starforge.catalog.load import load_catalog
from starforge.runtimes.spec import DEVICES, get_spec, names

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "docker"


def instructions(name):
    """Return ``(WORD, rest)`` of every instruction: comments dropped, lines joined."""
    lines = (FOLDER / f"Dockerfile.{name}").read_text("utf-8").splitlines()
    joined = " ".join(line for line in lines if line and not line.startswith("#"))
    words = "ARG|FROM|RUN|ENV|COPY"
    parts = re.split(rf"(?:^| )(?={words}(?= ))", joined.replace(chr(92) + " ", " "))
    return [tuple(one.strip().split(" ", 1)) for one in parts if one.strip()]


def of(name, word):
    return [rest for one, rest in instructions(name) if one == word]


def test_every_framework_has_its_file():
    files = {path.suffix[1:] for path in FOLDER.glob("Dockerfile.*")}
    assert files == {*names(), "nemo-rl"}
    told = (FOLDER / "README.md").read_text("utf-8")
    assert all(f"`Dockerfile.{name}`" in told for name in files)


@pytest.mark.parametrize("name", names())
def test_an_image_installs_its_lock_and_no_package_beside_it(name):
    whole = " ".join(" ".join(one) for one in instructions(name))
    assert re.findall(r"locks/(\S+)\.txt", whole) == [f"{name}-${{DEVICE}}"]
    assert re.findall(r"install\('(\S+?)', '(\S+?)'", whole) == [(name, "${DEVICE}")]
    # pip is called once by name, for what runs the builder, which stays in its own stage.
    assert re.findall(r"(\S*pip) install (.+?)(?: COPY|$)", whole) == [
        ("/builder/bin/pip", '"msgspec==0.23.0"')
    ]
    system = set(re.findall(r"--no-install-recommends (.+?) &&", whole))
    packages = {word for line in system for word in line.split()}
    python = {word for word in packages if word.startswith("python")}
    assert python <= {"python3.11", "python3.11-dev", "python3.11-venv"}
    # The last stage takes the runtime, and what is under it has no other Python packages.
    last = len(instructions(name)) - instructions(name)[::-1].index(("FROM", "base"))
    end = [one for one in instructions(name)[last:] if one[0] in ("COPY", "RUN")]
    assert end == [("COPY", "--from=build /opt /opt")]


def test_the_builder_needs_what_starforge_asks_for():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    (asked,) = [one for one in map(Requirement, listed) if one.name == "msgspec"]
    assert asked.specifier.contains("0.23.0")


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("device", DEVICES)
def test_what_is_copied_is_enough_to_build(name, device, tmp_path):
    (stage,) = {
        rest.split()[-1].split("/")[1] for rest in of(name, "COPY") if "/starforge/" in rest
    }
    for rest in of(name, "COPY"):
        *sources, target = rest.replace("${DEVICE}", device).split()
        if target == "/opt":
            continue
        folder = tmp_path / target.removeprefix("/")
        folder.mkdir(parents=True, exist_ok=True)
        for pattern in sources:
            found = sorted(ROOT.glob(pattern))
            assert found, pattern
            for path in found:
                shutil.copy(path, folder)
    code = (
        "import sys, starforge.runtimes.build as build, starforge.runtimes.examine;"
        "print(build.get_spec(*sys.argv[1:]).digest, build.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, name, device], cwd=tmp_path, check=True, text=True,
        capture_output=True, env=os.environ | {"PYTHONPATH": str(tmp_path / stage)},
    )  # fmt: skip
    digest, file = done.stdout.split()
    assert digest == get_spec(name, device).digest
    assert Path(file).is_relative_to(tmp_path)


@pytest.mark.parametrize("name", names())
def test_the_command_that_builds_is_a_command(name):
    """Quotes and joined lines come out as Python that Python reads."""
    (run,) = [rest for rest in of(name, "RUN") if "import install" in rest]
    words = shlex.split(run)
    code = words[words.index("-c") + 1]
    compile(code, name, "exec")


def test_versions_are_those_of_the_catalog():
    catalog = load_catalog()
    recipes = [catalog.recipe(name) for name in catalog.names()]
    versions = {recipe.framework: recipe.version for recipe in recipes}
    for name in ("trl", "verl", "openrlhf", "nemo-rl"):
        text = (FOLDER / f"Dockerfile.{name}").read_text("utf-8")
        assert f"-t starforge-{name}:{versions[name]} " in text
