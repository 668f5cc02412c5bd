"""Values as Hydra overrides: what is written is what Hydra's grammar reads back."""

import pytest

from starforge.catalog.models import ContractConfig, ContractKey
from starforge.frameworks.verl.hydra_args import overrides, spell
from starforge.plan import Difference


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"), (True, "true"), (False, "false"), (3, "3"), (1e-06, "1e-06"),
        (0.28, "0.28"), ("vllm", "vllm"), ("token-mean", "token-mean"),
        # Text that Hydra would take for something else.
        ("0.5_5.0", "'0.5_5.0'"), ("5e-7", "'5e-7'"), ("true", "'true'"), ("Null", "'Null'"),
        ("nan", "'nan'"), ("", "''"), ("12", "'12'"), ("a,b", "'a,b'"), ("[x]", "'[x]'"),
        ("a b", "'a b'"), ("${OUTPUT}/checkpoints", "'${OUTPUT}/checkpoints'"),
        ("中文", "'中文'"), ("k=v", "'k=v'"),
        # Quotes and the backslashes before them, and at the end.
        ("it's", r"'it\'s'"), (r"a\b", r"'a\b'"), ("a\\'b", r"'a\\\'b'"), ("end\\", r"'end\\'"),
        (["console", "file"], "[console,file]"), ([0.9, 0.95], "[0.9,0.95]"), ([], "[]"),
        ({"a": 1, "b": {"c": "x y"}}, "{a:1,b:{c:'x y'}}"), ({}, "{}"),
        ({"a:b": 1}, r"{a\:b:1}"),
    ],
)  # fmt: skip
def test_spelling(value, text):
    assert spell(value) == text


def test_signs_of_keys_that_verl_lacks_and_of_mappings():
    config = ContractConfig(
        keys={
            "known": ContractKey(type="int"),
            "new": ContractKey(type="int", added=True),
            "mapping": ContractKey(type="dict[str, Any]", default={}),
        },
        dialect="hydra",
    )
    differs = [
        Difference(path=path, value=value, default=None, source="pin")
        for path, value in (("known", 1), ("new", 2), ("mapping", {"inner": 3}))
    ]
    assert overrides(differs, config) == ["known=1", "+new=2", "++mapping={inner:3}"]
