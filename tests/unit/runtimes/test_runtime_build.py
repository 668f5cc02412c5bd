import fcntl
import os
import subprocess
import threading
from pathlib import Path

import pytest
from wheels import digest, write_wheel

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.runtimes import (
    build,
    doctor,
    examine,
    find,
    install,
    installed,
    registry,
    remove,
    spec,
)


def make_spec(lock: str, imports: list[str], size: int = 1 << 20) -> spec.Runtime:
    return spec.Runtime(
        name="tiny", device="cpu", title=Text("tiny", "微型"), lock=lock, digest=digest(lock),
        imports=imports, size=size, download=size // 4,
    )  # fmt: skip


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A home, an index of hand-made wheels, and a setter of the one runtime there is."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    write_wheel(wheels, "alpha", "1.0", "def say():\n    print('alpha speaks')\n")
    write_wheel(wheels, "broken", "1.0", "raise ImportError('no such library')\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("STARFORGE_RUNTIMES", raising=False)

    def use(runtime: spec.Runtime) -> None:
        known = lambda name, device: runtime  # noqa: E731
        for module in (build, registry, examine):
            monkeypatch.setattr(module, "get_spec", known)
        monkeypatch.setattr(registry, "names", lambda: ["tiny"])

    use(make_spec("alpha==1.0\n", ["alpha"]))
    return tmp_path / "home", use


def root_of(home: Path) -> Path:
    return home / "runtimes"


def leftovers(home: Path) -> list[str]:
    return [p.name for p in root_of(home).iterdir() if p.name.startswith((".building", ".trash"))]


def test_build_find_doctor_remove(world):
    home, use = world
    seen = []
    made = install("tiny", "cpu", home=home, progress=lambda *args: seen.append(args))
    assert made == find(home, "tiny", "cpu") == installed(home)[0]
    assert made.current and made.size > 0
    assert ("finding alpha", 1, 2) in seen or ("正在获取 alpha", 1, 2) in seen
    assert leftovers(home) == []

    # The environment was renamed after it was built: its scripts must still start.
    said = subprocess.run(
        made.path / "bin" / "alpha-say", check=False, capture_output=True, text=True
    )
    assert said.stdout == "alpha speaks\n"
    assert ".building" not in (made.path / "bin" / "activate").read_text()

    # A second install does nothing, and asks pip for nothing.
    again = []
    assert install("tiny", "cpu", home=home, progress=lambda *a: again.append(a)) == made
    assert again == []

    # What it takes is said before anything is made.
    assert "1 packages" in seen[0][0] or "1 个包" in seen[0][0]

    report = doctor(home, "tiny", "cpu")
    assert report.ok and report.installed and report.packages == 1
    assert report.size is not None and report.size > 0
    (next(made.path.glob("lib/python3*/site-packages/alpha.py"))).write_text("import nothing_here")
    broken = doctor(home, "tiny", "cpu")
    assert not broken.ok
    assert "nothing_here" in broken.to_public("en")["problems"][0]["what"]
    assert "--force" in broken.to_public("zh")["hint"]

    mended = install("tiny", "cpu", home=home, force=True)
    assert mended.built_at > made.built_at
    assert doctor(home, "tiny", "cpu").ok
    assert leftovers(home) == []

    with pytest.raises(StarForgeError) as caught:
        remove(home, "tiny", "cpu", in_use=lambda name, device: ["j1", "j2"])
    assert caught.value.code == "runtime/in-use" and caught.value.status == 409
    assert find(home, "tiny", "cpu") is not None

    # A newer lock: the old build is listed as such, is not found, and goes with `remove`.
    use(make_spec("alpha==1.0\n# newer\n", ["alpha"]))
    assert find(home, "tiny", "cpu") is None
    assert [one.current for one in installed(home)] == [False]
    assert remove(home, "tiny", "cpu") > 0
    assert installed(home) == [] and leftovers(home) == []
    with pytest.raises(StarForgeError) as caught:
        remove(home, "tiny", "cpu")
    assert caught.value.code == "runtime/missing"


def test_missing_package_shows_pips_last_words_and_leaves_nothing(world):
    home, use = world
    use(make_spec("alpha==9.9\n", ["alpha"]))
    with pytest.raises(StarForgeError) as caught:
        install("tiny", "cpu", home=home)
    text = caught.value.render("en")
    assert caught.value.code == "runtime/pip"
    assert "No matching distribution found for alpha==9.9" in text
    assert "pip config list" in text
    log = next((root_of(home) / "logs").iterdir())
    assert str(log) in text and "alpha==9.9" in log.read_text()
    assert installed(home) == [] and leftovers(home) == []
    assert "退出码" in caught.value.render("zh")


def test_runtime_that_does_not_import_is_not_kept(world):
    home, use = world
    use(make_spec("broken==1.0\n", ["broken"]))
    with pytest.raises(StarForgeError) as caught:
        install("tiny", "cpu", home=home)
    assert caught.value.code == "runtime/imports"
    assert "no such library" in caught.value.render("en")
    assert installed(home) == [] and leftovers(home) == []


def test_progress_never_goes_back_over_the_steps_of_a_lock(world, tmp_path):
    home, use = world
    for name in ("beta", "gamma"):
        write_wheel(tmp_path / "wheels", name, "1.0", "")
    use(make_spec("alpha==1.0\nbeta==1.0\n#: pip --no-deps\ngamma==1.0\n", ["gamma"]))
    seen = []
    install("tiny", "cpu", home=home, progress=lambda *args: seen.append(args[1:]))
    counted = [done for done, total in seen if total == 6]
    assert counted == sorted(counted)
    assert 5 in counted  # gamma is found when alpha and beta are found and installed
    assert all(done is None or done <= total for done, total in seen)


def test_what_a_build_takes_is_told_before_it_takes_it(world):
    home, use = world
    use(make_spec("alpha==1.0\n", ["alpha"], size=2 << 30))
    seen = []

    def first(message, _done, _total):
        seen.append(message)
        assert leftovers(home) == []
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install("tiny", "cpu", home=home, progress=first)
    assert "0.5 GiB" in seen[0] and "2.0 GiB" in seen[0]
    for one in spec.specs():
        assert 0 < one.download < one.size


def test_full_disk_is_told_before_anything_is_built(world):
    home, use = world
    use(make_spec("alpha==1.0\n", ["alpha"], size=1 << 60))
    with pytest.raises(StarForgeError) as caught:
        install("tiny", "cpu", home=home)
    assert caught.value.code == "runtime/no-space"
    assert "sf runtime rm" in caught.value.render("en")
    assert leftovers(home) == []


def test_home_that_is_a_file_is_one_clear_error(world):
    home, _ = world
    home.write_text("not a folder")
    with pytest.raises(StarForgeError) as caught:
        install("tiny", "cpu", home=home)
    assert caught.value.code == "runtime/folder"
    assert installed(home) == []


def test_leftovers_of_a_killed_build_are_cleaned_and_never_found(world):
    home, _ = world
    folder = registry.get_spec("tiny", "cpu").folder
    dead = root_of(home) / f".building-{folder}"
    (dead / "bin").mkdir(parents=True)
    # Killed just before the receipt was written, and after the rename of nothing.
    half = root_of(home) / folder
    (half / "bin").mkdir(parents=True)
    (half / "bin" / "python").write_text("")
    assert find(home, "tiny", "cpu") is None
    made = install("tiny", "cpu", home=home)
    assert find(home, "tiny", "cpu") == made
    assert leftovers(home) == []


def test_second_builder_waits_for_the_first(world):
    home, _ = world
    root_of(home).mkdir(parents=True)
    folder = registry.get_spec("tiny", "cpu").folder
    waiting, results = threading.Event(), []

    def note(message, _done, _total):
        if "waiting" in message or "等待" in message:
            waiting.set()

    with (root_of(home) / f".{folder}.lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        worker = threading.Thread(
            target=lambda: results.append(install("tiny", "cpu", home=home, progress=note))
        )
        worker.start()
        assert waiting.wait(30)
        assert not (root_of(home) / folder).exists()
    worker.join(120)
    assert results and results[0] == find(home, "tiny", "cpu")


def test_interrupt_stops_pip_and_leaves_nothing(world):
    home, _ = world

    def press_ctrl_c(message, done, _total):
        if done is not None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install("tiny", "cpu", home=home, progress=press_ctrl_c)
    assert installed(home) == [] and leftovers(home) == []


def test_shared_root_by_environment(world, tmp_path, monkeypatch):
    home, _ = world
    monkeypatch.setenv("STARFORGE_RUNTIMES", str(tmp_path / "shared"))
    made = install("tiny", "cpu", home=home)
    assert made.path.parent == tmp_path / "shared"
    assert find(tmp_path / "another-home", "tiny", "cpu") == made


def test_doctor_of_a_missing_runtime_says_how_to_get_it(world):
    home, _ = world
    report = doctor(home, "tiny", "cpu")
    assert not report.ok and not report.installed
    assert report.hint is not None and "sf runtime install tiny" in report.hint.en
