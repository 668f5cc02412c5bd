import re
from pathlib import Path

import pytest

from starforge.errors import StarForgeError
from starforge.runtimes import detect_device, get_spec, lock_digest, specs
from starforge.runtimes.spec import parse_lock

ROOT = Path(__file__).parents[3]


def test_every_package_of_every_lock_is_pinned_once_without_a_local_tag():
    for spec in specs():
        names = [one.name.lower() for one in spec.packages]
        assert len(names) == len(set(names)) > 40
        assert all("+" not in one.version for one in spec.packages)


def test_devices_share_their_pins():
    for name in ("trl", "evalkit"):
        assert get_spec(name, "cpu").packages == get_spec(name, "cuda").packages
        assert lock_digest(name, "cpu") != lock_digest(name, "cuda")


@pytest.mark.parametrize(
    ("name", "package", "version"),
    [("trl", "trl", "1.10.0"), ("trl", "torch", "2.13.0"), ("trl", "requests", "2.34.2"),
     ("evalkit", "lm_eval", "0.4.13"), ("evalkit", "evalscope", "1.14.1"),
     ("evalkit", "torch", "2.13.0"), ("verl", "verl", "0.9.0"), ("verl", "TransferQueue", "0.1.11"),
     ("openrlhf", "openrlhf", "0.11.0"), ("openrlhf", "deepspeed", "0.19.5")],
)  # fmt: skip
def test_frameworks_are_at_the_versions_of_the_catalog(name, package, version):
    assert package in {p.name for p in get_spec(name, "cpu").packages if p.version == version}


def test_folder_names_tell_locks_apart():
    folders = [spec.folder for spec in specs()]
    assert len(set(folders)) == len(folders)
    assert all(re.fullmatch(r"[a-z]+-(cpu|cuda)-[0-9a-f]{12}", folder) for folder in folders)


def test_unknown_name_offers_the_nearest():
    with pytest.raises(StarForgeError) as caught:
        get_spec("evalkti", "cpu")
    assert caught.value.code == "runtime/unknown"
    assert "did you mean `evalkit`" in caught.value.render("en")
    assert "evalkit" in caught.value.render("zh")


@pytest.mark.parametrize("name", ["nemo-rl", "NeMo_RL"])
def test_what_is_built_elsewhere_says_where(name):
    with pytest.raises(StarForgeError) as caught:
        get_spec(name, "cuda")
    assert caught.value.code == "runtime/elsewhere"
    for lang, place in (("en", "upstream's image"), ("zh", "官方镜像")):
        said = caught.value.render(lang)
        assert place in said and "0.7.0" in said and "runtimes.yaml" in said
        page = re.search(r"docs/\w+/frameworks/\S+\.md", said)
        file = re.search(r"deploy/docker/Dockerfile\.[a-z-]+", said)
        assert page and file
        assert (ROOT / page[0]).is_file() and (ROOT / file[0]).is_file()


def test_unknown_device_lists_devices():
    with pytest.raises(StarForgeError) as caught:
        lock_digest("trl", "tpu")
    assert "cpu, cuda" in caught.value.render("en")


@pytest.mark.parametrize("line", ["torch>=2", "torch", "-r other.txt", "torch==2 ; x"])
def test_a_line_that_is_no_exact_pin_is_refused(line):
    with pytest.raises(ValueError, match="not an exact pin"):
        parse_lock(line)


def test_device_is_one_of_the_known():
    assert detect_device() in ("cpu", "cuda")


STEPS = """
# words
torch==2.13.0
#: pip --no-deps
a==1
b==2  # why
#: pip --no-deps --no-build-isolation
#: env OPS=0 KIND=cpu
c==3
"""


def test_directives_cut_a_lock_into_steps():
    first, second, third = parse_lock(STEPS)
    assert [p.name for p in first.packages] == ["torch"] and first.options == []
    assert [p.name for p in second.packages] == ["a", "b"] and second.options == ["--no-deps"]
    assert third.options == ["--no-deps", "--no-build-isolation"]
    assert (second.env, third.env) == ({}, {"OPS": "0", "KIND": "cpu"})
    with pytest.raises(ValueError, match="not a directive"):
        parse_lock("#: pop x\na==1")
