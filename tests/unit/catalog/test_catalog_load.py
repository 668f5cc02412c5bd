import os
import subprocess
import sys

import msgspec
import pytest

from starforge.catalog.kept import Kept
from starforge.catalog.load import Catalog, load_catalog
from starforge.catalog.public import detail, summary
from starforge.catalog.search import search
from starforge.errors import StarForgeError


def edit(data, file, old, new):
    path = data / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_joins_recipe_glossary_and_contract(data):
    recipe = Catalog(data).recipe("mini/train")
    rate = recipe.parameter("learning_rate")
    assert rate is not None
    assert (rate.type, rate.default, rate.upstream_default) == ("float", 2e-5, 1e-3)
    assert (rate.minimum, rate.exclusive_minimum, rate.group) == (0, True, "optimizer")
    assert recipe.parameter("save_mode").choices == ["no", "steps", "epoch"]
    assert recipe.pin == "mini@1.2.0"
    assert len(recipe.digest) == 64


def test_names_and_headers_read_no_contract(data):
    (data / "contracts/mini-1.2.0.json").unlink()
    catalog = Catalog(data)
    assert catalog.names() == ["mini/script", "mini/train"]
    header = catalog.header("mini/train")
    assert (header.data, header.roles, header.version) == ("instruction", ["trainer"], "1.2.0")
    with pytest.raises(StarForgeError, match=r"no contract mini-1\.2\.0\.json"):
        catalog.recipe("mini/train")


BROKEN = [
    ("recipes/mini/train.yaml", "path: rows_per_step}", "path: rows_per_stepp}",
     r"rows_per_stepp` is not in the contract \(rows_per_step\)"),
    ("recipes/mini/train.yaml", "  - path: out\n", "  - path: outt\n", "pins: `outt`"),
    ("recipes/mini/train.yaml", "value: ${OUTPUT}/checkpoints", "value: 3", "pins: out=3"),
    ("recipes/mini/train.yaml", "default: 2e-5", "default: small", "learning_rate.default"),
    ("recipes/mini/train.yaml", "default: 2e-5", "default: -1", "-1.0 is not > 0"),
    ("recipes/mini/train.yaml", "zh: 上游的默认值适合大批量。", "", "zh"),
    ("recipes/mini/train.yaml", "why_default:", "advice:", "why_default: say why"),
    ("recipes/mini/train.yaml", "path: save_mode}", "path: save_mode, type: int}",
     "comes from the contract"),
    ("recipes/mini/train.yaml", "path: save_mode}", "path: save_mode, choices: [never]}",
     "upstream takes only"),
    ("recipes/mini/train.yaml", "batch_size: {path: rows_per_step}",
     "batch_size: {path: out}", "`out` is also a pin"),
    ("recipes/mini/train.yaml", "suggest: [learning_rate,", "suggest: [lr,", "`lr` is not a"),
    ("recipes/mini/train.yaml", "{old: old_name, new: rows_per_step}",
     "{old: old_name, new: rows}", "renamed: `rows` is not"),
    ("recipes/mini/train.yaml", "{old: old_name, new: rows_per_step}", "{old: old_name}",
     "say in `note`"),
    ("recipes/mini/train.yaml", "stages: [train]", "stagez: [train]", "stagez"),
    ("recipes/mini/train.yaml", "config: train", "config: tarin", "not one of: open, train"),
    ("recipes/mini/train.yaml", "framework: mini", "framework: maxi", "must be `mini`"),
    ("recipes/mini/train.yaml", "title: {en", "title: {en: [", "train.yaml"),
    ("glossary/training.yaml", "batch_size:", "batchsize:", "not in the glossary .near: batchsize"),
    ("glossary/training.yaml", ", zh: 何时保存。", "", "zh"),
    ("glossary/training.yaml", "group: batch", "group: speed", "speed"),
    ("contracts/mini-1.2.0.json", '"mini",', '"mono",', "contract of mono"),
    ("contracts/mini-1.2.0.json", '{\n  "framework"', "{", "JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "message"), BROKEN)
def test_a_broken_file_is_one_clear_error(data, file, old, new, message):
    edit(data, file, old, new)
    with pytest.raises(StarForgeError, match=message) as caught:
        Catalog(data).recipe("mini/train")
    assert caught.value.code == "catalog/invalid"
    assert data.name in caught.value.message.zh


def test_a_glossary_name_stands_in_one_file_only(data):
    (data / "glossary/zz.yaml").write_text("batch_size: {group: batch}\n")
    with pytest.raises(StarForgeError, match="already defined in another glossary file"):
        Catalog(data).recipe("mini/train")


def test_all_problems_of_a_recipe_are_named_at_once(data):
    edit(data, "recipes/mini/train.yaml", "path: rows_per_step}", "path: nowhere}")
    edit(data, "recipes/mini/train.yaml", "path: betas,", "path: betaz,")
    with pytest.raises(StarForgeError, match=r"nowhere[\s\S]*betaz"):
        Catalog(data).recipe("mini/train")


def test_an_unknown_method_names_the_nearest(data):
    with pytest.raises(StarForgeError) as caught:
        Catalog(data).recipe("mini/tarin")
    assert "mini/train" in caught.value.hint.zh
    assert caught.value.status == 404


def test_the_digest_follows_behaviour_not_texts(data):
    before = Catalog(data).recipe("mini/train").digest
    edit(data, "glossary/training.yaml", "en: Step size.", "en: Size of a step.")
    assert Catalog(data).recipe("mini/train").digest == before
    edit(data, "recipes/mini/train.yaml", "default: 2e-5", "default: 3e-5")
    assert Catalog(data).recipe("mini/train").digest != before


def test_the_contract_digest_covers_the_used_configuration_only(data):
    before = Catalog(data)
    train, script = (
        before.contract_digest(before.recipe(name)) for name in ("mini/train", "mini/script")
    )
    edit(data, "contracts/mini-1.2.0.json", '"default": 8', '"default": 9')
    after = Catalog(data)
    assert after.contract_digest(after.recipe("mini/train")) != train
    assert after.contract_digest(after.recipe("mini/script")) == script


def test_published_shapes(data):
    catalog = Catalog(data)
    short = summary(catalog.header("mini/train"))
    assert short == summary(catalog.recipe("mini/train"))
    assert short["summary"] == {"en": "Trains a mini model.", "zh": "训练一个迷你模型。"}
    names = {"name", "framework", "version", "algorithm", "summary", "data", "roles", "same_as"}
    assert names <= short.keys()
    full = detail(catalog.recipe("mini/train"))
    assert short.items() <= full.items()
    assert {"name", "path", "type", "default", "choices", "minimum", "maximum", "group",
            "description"} <= full["parameters"][0].keys()  # fmt: skip
    assert full["pins"][0]["reason"]["zh"] == "必须找得到检查点。"
    assert full["stages"] == ["train"]
    msgspec.json.encode(full)


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, ["mini/script", "mini/train"]),
        ({"data": "instruction"}, ["mini/train"]),
        ({"framework": "mini@1.2.0", "text": "SCRIPT runs"}, ["mini/script"]),
        ({"text": "训练"}, ["mini/train"]),
        ({"framework": "maxi"}, []),
        ({"text": "mini nothing"}, []),
    ],
)
def test_search(data, filters, found):
    assert [header.name for header in search(Catalog(data), **filters)] == found


def test_the_chinese_template_is_taken_in_chinese_only(data):
    catalog = Catalog(data)
    recipe = catalog.recipe("mini/train")
    assert catalog.scaffold_file(recipe, "train.py", "zh").name == "train.zh.py"
    assert catalog.scaffold_file(recipe, "train.py", "en").name == "train.py"
    assert catalog.scaffold_file(recipe, "run.sh", "zh").name == "run.sh"


def test_every_shipped_method_loads():
    catalog = load_catalog()
    assert {"trl/sft", "custom/custom"} <= set(catalog.names())
    for name in catalog.names():
        recipe = catalog.recipe(name)
        assert catalog.header(name).framework == recipe.framework
        assert all(parameter.description.zh for parameter in recipe.parameters)


@pytest.fixture
def kept(data, tmp_path):
    """Return a function that opens the catalog as a new process would."""
    return lambda: Catalog(data, kept=Kept(data, tmp_path / "cache"))


def test_what_was_kept_is_what_is_read(data, kept):
    made = [(kept().headers(), kept().recipe(name)) for name in Catalog(data).names()]
    again = [(kept().headers(), kept().recipe(name)) for name in Catalog(data).names()]
    plain = Catalog(data)
    assert made == again == [(plain.headers(), plain.recipe(name)) for name in plain.names()]
    assert search(kept(), text="mini") == search(plain, text="mini")


def test_what_was_kept_needs_no_yaml(data, kept, monkeypatch):
    kept().headers()
    kept().recipe("mini/train")
    monkeypatch.setattr("starforge.catalog.load.read_mapping", None)
    assert [header.name for header in kept().headers()] == ["mini/script", "mini/train"]
    assert kept().recipe("mini/train").digest
    with pytest.raises(TypeError):
        kept().recipe("mini/script")  # was not kept


def test_an_edited_recipe_glossary_or_contract_is_seen(data, kept):
    before = kept().recipe("mini/train")
    kept().headers()
    edit(data, "recipes/mini/train.yaml", "zh:", "zh:  ")
    assert kept().headers() == Catalog(data).headers()
    assert kept().recipe("mini/train") == before
    edit(data, "contracts/mini-1.2.0.json", '"1.2.0"', '"1.2.1"')
    with pytest.raises(StarForgeError, match="contract of"):
        kept().recipe("mini/train")


def test_a_broken_file_is_said_every_time(data, kept):
    edit(data, "recipes/mini/train.yaml", "path: rows_per_step}", "path: rows_per_stepp}")
    for _ in range(2):
        with pytest.raises(StarForgeError, match="rows_per_stepp"):
            kept().recipe("mini/train")
    with pytest.raises(StarForgeError, match="no method"):
        kept().recipe("mini/other")


def test_the_list_of_methods_loads_little(tmp_path):
    """`sf methods` twice: the second reads no YAML and needs no hashes; see docs/en/performance."""
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": ""}
    code = (
        "from starforge.catalog.load import load_catalog; import sys\n"
        "c = load_catalog(); c.headers(); c.recipe('trl/sft'); print(*sys.modules)"
    )
    runs = [
        subprocess.check_output([sys.executable, "-c", code], env=env, text=True) for _ in range(2)
    ]
    first, second = (set(run.split()) for run in runs)
    assert {"yaml", "starforge.catalog.join"} <= first
    assert "starforge.catalog.load" in second
    assert not second & {"yaml", "hashlib", "starforge.catalog.join", "starforge.findings"}
