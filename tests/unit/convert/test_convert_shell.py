"""Reading shell scripts without running them, against what bash itself makes of them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from starforge.convert.shell import Reading, read_script
from starforge.convert.shell.lexer import UnclosedError
from starforge.convert.shell.scope import unknown_in

# Each prints its words with `show`; reading must come to the words that bash prints.
SCRIPTS = {
    "quotes": """show 'a b' "c d" e\\ f g"h"'i' "" '$X' "\\$Y" "a\\\\b" """,
    "variables": "A=1; B=${A}2; C=\"$A $B\"\nshow $A ${B}x $C \"$C\" $UNSET end",
    "defaults": "show ${A:-x} ${B-y} ${C:=z} $C ${C:+set} ${D:+set} \"${E:-a b}\" ${E:-a b}",
    "empty": "A=\nshow ${A:-x} ${A-y} ${A:+z} [${A}]",
    "continued": "show a \\\n  b \\\n  c # not this\nshow d",
    "arrays": "X=(a 'b c' d) # names\nX+=(e)\nshow \"${X[@]}\" ${#X[@]} ${X[1]} ${X[*]} $X",
    "array over lines": "X=(\n  a=1  # one\n  # nothing\n  'b=[1,2]'\n)\nshow \"${X[@]}\"",
    "arithmetic": "a=3; b=$((a * (2 + 4)))\nshow $b $((b / 4)) $((b % 4)) $((${a} - 5)) $((2**5))",
    "cuts": "F=/x/y/name.tar.gz\nshow ${F##*/} ${F%.gz} ${F%%.*} ${F#/x} ${F/name/n} ${#F}",
    "arguments": "show $1 \"$@\" $# ${2:-none} $*",
    "no arguments": "shift; shift; X=()\nshow a \"$@\" \"${@}\" b \"${X[@]}\" \"p$@\" \"\" \"$*\"",
    "if": "A=2\nif [ $A -gt 1 ]; then show yes; else show no; fi\n"
          "if [[ $A == 3 ]]; then show no; elif [[ $A = [12] ]]; then show two; fi",
    "and or": "[ -z \"$N\" ] && N=set\n[ -n \"$N\" ] || N=other\nshow $N\n[ 1 = 2 ] && show never",
    "not": "if ! [ -f nothing ]; then show none; fi\nif [ -d . ] && [ 1 -le 1 ]; then show dir; fi",
    "heredoc": "read -r -d '' W <<EOF\n one --x $HOME \\\n  --y 2\nEOF\nshow $W",
    "raw heredoc": "read -r -d '' W <<'EOF'\n$HOME\nEOF\nshow $W",
    "subshell": "(show inside)\n{ show braces; }",
    "own env": "A=1 show a\nshow \"[$A]\"",
    "redirects": "show a > /dev/null 2>&1 b\nshow c 2>/dev/null",
    "pipe": "show a | cat",
    "append": "P=a\nP+=b\nP=$P:c\nshow $P",
    "braces": "show '{a:1,b:[2]}' \"{\\\"x\\\": 1}\" a={b}",
    "export": "export A=1 B=\"2 3\"\nshow $A \"$B\"",
    "eval": "C='show from eval'\neval \"$C\"",
    "unset": "A=1; unset A\nshow [${A:-gone}]",
    "shift": "shift\nshow $1 $#",
    "semicolons": "A=1;show $A;show ${A}2",
    "tilde": "show ~/x \"~/x\" a~",
}  # fmt: skip
ARGUMENTS = ["first", "second arg"]
SHOW = """show() {{ {python} -c 'import json, sys
print(json.dumps(sys.argv[1:]), file=open("{out}", "a"))' "$@"; }}
"""


def by_bash(script: str, folder: Path) -> list[list[str]]:
    """Return what bash passes to `show`, call by call."""
    out = folder / "out.jsonl"
    out.touch()
    text = SHOW.format(python=shutil.which("python3"), out=out) + script
    (folder / "s.sh").write_text(text, "utf-8")
    subprocess.run(["bash", "s.sh", *ARGUMENTS], cwd=folder, check=False, capture_output=True,
                   env={"HOME": "/home/me", "PATH": "/usr/bin:/bin"}, timeout=60)  # fmt: skip
    return [json.loads(line) for line in out.read_text().splitlines()]


def by_reading(script: str, folder: Path) -> list[list[str]]:
    made = read_script(script, folder, arguments=ARGUMENTS, environment={"HOME": "/home/me"})
    return [
        [arg.text for arg in one.args[1:]] for one in made.commands if one.args[0].text == "show"
    ]


@pytest.mark.skipif(shutil.which("bash") is None, reason="compares with bash")
@pytest.mark.parametrize("name", SCRIPTS)
def test_words_are_those_of_bash(name: str, tmp_path: Path) -> None:
    expected = by_bash(SCRIPTS[name], tmp_path)
    assert expected
    assert by_reading(SCRIPTS[name], tmp_path) == expected


def read(script: str) -> Reading:
    return read_script(script, Path("/nowhere"), environment={"NGPU": "4"})


def test_output_of_commands_is_unknown_and_kept_readable() -> None:
    (command,) = read("train name=x_$(date +%F) `whoami`").commands
    assert unknown_in(command.args[1].text) == "$(date +%F)"
    assert unknown_in(command.args[2].text) == "$(whoami)"


def test_loops_and_functions_are_skipped_and_said() -> None:
    made = read(
        "for lr in 1 2; do\n  train $lr\ndone\nf() { train 3; }\nwhile true; do x; done\ntrain 4"
    )
    assert [one.args[1].text for one in made.commands] == ["4"]
    assert [(one.kind, one.line) for one in made.skipped] == [
        ("for", 1),
        ("function", 4),
        ("while", 5),
    ]


def test_a_condition_that_needs_a_command_is_not_decided() -> None:
    made = read("if nvidia-smi; then train a; else train b; fi\ntrain c")
    assert [one.args[1].text for one in made.commands] == ["c"]
    assert made.skipped[0].kind == "if"


def test_variables_from_outside_and_from_nowhere_are_told_apart() -> None:
    made = read("train $NGPU $MISSING ${OPTIONAL:-x}")
    assert made.from_outside == {"NGPU"}
    assert made.unset == {"MISSING"}


def test_lines_and_folders_are_those_of_the_words() -> None:
    (command,) = read("cd sub\n\ntrain a \\\n  b").commands
    assert [arg.line for arg in command.args] == [3, 3, 4]
    assert command.folder == Path("/nowhere/sub")


def test_exit_ends_the_script() -> None:
    assert [
        c.args[1].text for c in read("train a\nif [ 1 = 1 ]; then exit 0; fi\ntrain b").commands
    ] == ["a"]


@pytest.mark.parametrize("script", ["train 'a", 'train "a', "X=(a b", "train ${A"])
def test_what_is_never_closed_is_refused_with_its_line(script: str) -> None:
    with pytest.raises(UnclosedError) as caught:
        read("true\n" + script)
    assert caught.value.line == 2
