import json
from pathlib import Path

import pytest

from starforge.catalog.models import ContractKey
from starforge.catalog.types import accepts, accepts_key, describe, parse_type

CONTRACTS = Path(__file__).parents[3] / "src/starforge/catalog/data/contracts"


@pytest.mark.parametrize(
    ("kind", "value", "made"),
    [
        ("int", 3, 3),
        ("int", 1e3, 1000),
        ("int", "16", 16),
        ("float", 3, 3.0),
        ("float", "5e-7", 5e-7),
        ("float", 0.1, 0.1),
        ("int | float", 0.1, 0.1),
        ("int | float", 2, 2),
        ("float | int | None", None, None),
        ("bool", True, True),
        ("bool", "yes", True),
        ("bool", "off", False),
        ("str", "no", "no"),
        ("str | bool", "no", "no"),
        ("float | str", "5e-7", "5e-7"),
        ("list[str] | None", ["a"], ["a"]),
        ("list[float]", [1, "2e-1"], [1.0, 0.2]),
        ("dict | str | None", {"a": 1}, {"a": 1}),
        ("dict[str, float]", {"a": 1}, {"a": 1.0}),
        ("tuple[float, float] | None", [0, 1], [0.0, 1.0]),
        ("Literal['a', 'b']", "a", "a"),
        ("typing.Optional[int]", None, None),
        ("typing.Union[str, NoneType, typing.Literal[False]]", False, False),
        ("transformers.trainer_utils.SaveStrategy | str", "steps", "steps"),
        ("str | list[transformers.debug_utils.DebugOption]", ["x"], ["x"]),
        ("accelerate.parallelism_config.ParallelismConfig | None", {"a": 1}, {"a": 1}),
        ("SomeUnknownClass", [1], [1]),
        ("not a type at all", 1, 1),
    ],
)
def test_accepts(kind, value, made):
    ok, got = accepts(kind, value)
    assert ok
    assert got == made
    assert type(got) is type(made)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("int", True),
        ("int", 1.5),
        ("int", "three"),
        ("int", None),
        ("float", "1e-5x"),
        ("float", "nan"),
        ("float", True),
        ("bool", 1),
        ("bool", "maybe"),
        ("str", 3),
        ("str | None", False),
        ("list[str]", "a"),
        ("list[str]", [1]),
        ("dict", [1]),
        ("dict[str, int]", {"a": "b"}),
        ("tuple[float, float]", [1.0]),
        ("Literal['a', 'b']", "c"),
        ("Literal[True]", 1),
        ("transformers.trainer_utils.SaveStrategy | str", 3),
    ],
)
def test_refuses(kind, value):
    assert accepts(kind, value) == (False, value)


def test_null_is_accepted_where_it_is_the_default():
    assert accepts_key(ContractKey(type="str"), None) == (True, None)
    assert not accepts_key(ContractKey(type="str", default="x"), None)[0]
    assert not accepts_key(ContractKey(type="str", required=True), None)[0]


def test_every_default_of_every_shipped_contract_fits_its_own_type():
    files = sorted(CONTRACTS.glob("*.json"))
    assert files
    for file in files:
        for config in json.loads(file.read_text())["configs"].values():
            for name, key in config["keys"].items():
                made = ContractKey(type=key["type"], default=key.get("default"),
                                   required=key.get("required", False))  # fmt: skip
                computed = config.get("dialect") and "${" in str(made.default)
                if not made.required and not computed:
                    assert accepts_key(made, made.default)[0], (file.name, name, key)


@pytest.mark.parametrize(
    ("kind", "en", "zh"),
    [
        ("float | None", "a number or null", "数字或空值（null）"),
        ("list[str]", "a list (each item text)", "列表（每项为文本）"),
        ("Literal['a', 'b']", "one of `a`, `b`", "以下之一：`a`、`b`"),
        ("tuple[int, int]", "a list of 2 items", "含 2 项的列表"),
        ("Whatever", "any value", "任意值"),
    ],
)
def test_describes_types_in_both_languages(kind, en, zh):
    assert (describe(kind).en, describe(kind).zh) == (en, zh)


def test_nested_unions_are_flat():
    assert {one.kind for one in parse_type("Optional[Union[int, str]] | None").args} == {
        "int", "str", "none",
    }  # fmt: skip
