"""How a plan is shown: long commands over several lines, nested configs by dotted keys."""

import shlex

from starforge.cli.plan import command_line, command_text
from starforge.lab.resolved import flat

LONG = ["${PYTHON}", "run.py", "--config", "${RECORD}/c.json", "--", "-m", "upstream.main",
        *[f"section.key_{number}=value with blanks" for number in range(9)]]  # fmt: skip


def test_short_commands_stay_on_one_line():
    assert command_text(["${PYTHON}", "a b"]) == "\"${PYTHON}\" 'a b'"


def test_a_long_command_means_the_same_to_a_shell():
    text = command_text(LONG)
    assert len(text.splitlines()) == 4 + 9
    assert shlex.split(text.replace("\\\n", " ")) == shlex.split(command_line(LONG)) == LONG


def test_nested_keys_become_dotted_and_whole_mappings_stay():
    config = {"b": {"c": {"d": 1}, "e": {}}, "a": 2, "m": {"x": 1}}
    assert list(flat(config, {"m"})) == [("a", 2), ("b.c.d", 1), ("b.e", {}), ("m", {"x": 1})]
