import msgspec
import pytest

from starforge.errors import StarForgeError
from starforge.lab.lock import compare_lock, encode_lock, make_lock, read_lock, write_lock
from starforge.plan import InputRef


@pytest.fixture
def lock(catalog):
    recipe = catalog.recipe("mini/train")
    model = InputRef(name="model", kind="hub", location="org/name")
    data = InputRef(name="data.train", kind="blob", location="ab", digest="ab")
    return make_lock(
        recipe, catalog.contract_digest(recipe), runtime={"cpu": "1", "cuda": "2"},
        inputs=[model, data],
    )  # fmt: skip


def codes(findings):
    return [(f.code, f.severity, f.at.key) for f in findings]


def test_round_trip(lock, tmp_path):
    write_lock(tmp_path, lock)
    assert read_lock(tmp_path) == (lock, [])
    assert lock.inputs == {"model": "org/name", "data.train": "ab"}
    assert compare_lock(lock, lock) == []
    assert encode_lock(lock).endswith(b"}\n")


def test_no_lock_is_fine(tmp_path):
    assert read_lock(tmp_path) == (None, [])


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"method": 3}', b"\xff"])
def test_a_broken_lock(tmp_path, content):
    (tmp_path / "recipe.lock.json").write_bytes(content)
    found, findings = read_lock(tmp_path)
    assert found is None
    assert codes(findings) == [("lock/broken", "error", None)]


def test_drift(lock):
    def changed(**fields):
        return codes(compare_lock(msgspec.structs.replace(lock, **fields), lock))

    assert changed(recipe="0") == [("lock/drift", "error", "recipe")]
    assert changed(contract="0", recipe="0") == [
        ("lock/drift", "error", "recipe"), ("lock/drift", "error", "contract"),
    ]  # fmt: skip
    assert changed(runtime={"cpu": "0", "cuda": "2"}) == [
        ("lock/runtime", "warning", "runtime.cpu")
    ]
    assert changed(runtime={}) == []
    assert changed(inputs={}) == []
    assert changed(method="mini/other", version="0") == []


def test_another_version_is_an_error_that_names_both(lock):
    findings = compare_lock(msgspec.structs.replace(lock, version="1.0.0", recipe="0"), lock)
    assert codes(findings) == [("lock/version", "error", "version")]
    assert "mini@1.0.0" in findings[0].message.en
    assert "mini@1.2.0" in findings[0].message.zh


def test_a_folder_that_cannot_be_written(lock, tmp_path):
    with pytest.raises(StarForgeError, match=r"recipe\.lock\.json cannot be written"):
        write_lock(tmp_path / "missing", lock)
