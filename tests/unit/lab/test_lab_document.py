import pytest
from hypothesis import given
from hypothesis import strategies as st

from starforge.findings import all_rules
from starforge.lab.compose import MAX_NODES
from starforge.lab.document import MAX_BYTES, load_document, parse_document
from starforge.lab.templates import to_yaml

YAML_RULES = [rule for rule in all_rules() if rule.code.startswith("yaml/")]
# Their examples are described in words: they are about bytes and the file system.
IN_WORDS = {"yaml/unreadable", "yaml/not-utf8"}


def parse(text):
    return parse_document(text.encode(), "config.yaml")


def codes(text):
    return [(f.code, f.at.line, f.at.column) for f in parse(text)[1]]


@pytest.mark.parametrize("rule", YAML_RULES, ids=lambda rule: rule.code)
def test_the_examples_of_every_rule(rule):
    if rule.code in IN_WORDS:
        return
    assert rule.code in [finding.code for finding in parse(rule.bad)[1]]
    assert parse(rule.good)[1] == []


def test_plain_scalars_mean_what_they_plainly_are():
    text = """\
numbers: [5e-7, 1.0e-5, .5, 1., -3, +4, 1_000_000, 010, 0x1f, 0o17, 1E3]
words: [yes, no, on, off, 2024-01-01, "1:30", 1.10.0, 1_2, "5", '5e-7', !!str 7, e5]
truth: [true, False, TRUE]
nothing: [null, ~, ]
"""
    value = parse(text)[0].value
    assert value["numbers"] == [5e-7, 1e-5, 0.5, 1.0, -3, 4, 1_000_000, 10, 31, 15, 1000.0]
    assert value["words"] == ["yes", "no", "on", "off", "2024-01-01", "1:30", "1.10.0", "1_2",
                              "5", "5e-7", "7", "e5"]  # fmt: skip
    assert value["truth"] == [True, False, True]
    assert value["nothing"] == [None, None]


def test_places_of_keys_and_values():
    document, findings = parse("a: 1\nparams:\n  lr: 2\n  list: [x, {y: 3}]\nx.y: 4\n")
    assert findings == []
    at = document.at("params.lr")
    assert (at.file, at.line, at.column, at.key, at.value) == ("config.yaml", 3, 3, "params.lr", 2)
    assert (document.at("params.list.1.y").line, document.at("params.list.1.y").column) == (4, 14)
    assert document.at("params.list.0").column == 10
    assert document.at("x.y").value == 4
    missing = document.at("params.epochs")
    assert (missing.line, missing.key, missing.value) == (2, "params.epochs", None)
    assert document.at("nowhere").line is None


def test_all_problems_at_once():
    text = "a: 1\na: 2\nb: .inf\nc: !foo x\nd: *nope\ne: 99999999999999999999\n"
    assert codes(text) == [
        ("yaml/duplicate-key", 2, 1),
        ("yaml/not-finite", 3, 4),
        ("yaml/tag", 4, 4),
        ("yaml/alias", 5, 4),
        ("yaml/number-too-large", 6, 4),
    ]


@pytest.mark.parametrize(
    "word", [".nan", ".NaN", "NaN", "nan", "-.inf", "Infinity", "inf", "1e999"]
)
def test_not_finite(word):
    document, findings = parse(f"a: {{b: {word}}}")
    assert [f.code for f in findings] == ["yaml/not-finite"]
    assert findings[0].at.value == word
    assert not document.is_usable("a.b")
    assert not document.is_usable("a")
    assert document.is_usable("c")


def test_quoted_words_stay_words():
    assert parse("a: 'nan'\nb: \"inf\"\n")[0].value == {"a": "nan", "b": "inf"}


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: [1, 2\nb: 3\n", 1, 4, "`[`"),
        ("a: {x: 1\n", 1, 4, "`{`"),
        ('a: "x\nb: 1\n', 1, 4, "quote"),
        ("a: b: c\n", 1, 5, "second `:`"),
        ("a:\n  b: 1\n c: 2\n", 3, 2, "indentation"),
        ("a: @x\n", 1, 4, "character"),
        ("a: \x01\n", 1, 4, "U+0001"),
        ('a: "\\q"\n', 1, 4, "escape"),
    ],
)
def test_broken_syntax_says_where_and_what(text, line, column, words):
    document, findings = parse(text)
    assert document.broken
    assert [f.code for f in findings] == ["yaml/syntax"]
    assert (findings[0].at.line, findings[0].at.column) == (line, column)
    assert words in findings[0].message.en
    assert findings[0].message.zh != findings[0].message.en


def test_every_tab_is_named():
    assert codes("a:\n\tb: 1\n\tc: 2\n") == [("yaml/tab", 2, 1), ("yaml/tab", 3, 1)]
    assert codes("a:\t1\n") == []


@pytest.mark.parametrize("text", ["- 1\n", "word\n", "3\n"])
def test_wrong_root(text):
    document, findings = parse(text)
    assert document.broken
    assert [f.code for f in findings] == ["yaml/root"]


def test_an_empty_file_is_an_empty_mapping():
    for text in ("", "# nothing\n", "---\n"):
        document, findings = parse(text)
        assert (document.mapping, findings, document.broken) == ({}, [], False)


def test_merge_keys_and_anchors():
    value = parse("base: &b {lr: 1, n: {x: 2}}\nrun:\n  <<: *b\n  lr: 3\n")[0].value
    assert value["run"] == {"lr": 3, "n": {"x": 2}}
    two = parse("x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2}\nz: {<<: [*x, *y]}\n")[0].value
    assert two["z"] == {"a": 1, "b": 1, "c": 2}


def test_bombs_are_refused_quickly():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    assert codes("\n".join(lines))[0][0] == "yaml/too-large"
    assert codes("a: " + "[" * 100 + "]" * 100)[0][0] == "yaml/too-deep"
    _, findings = parse("a: " + "[" * 100_000)  # here the parser itself gives up first
    assert "nested too deep" in findings[0].message.en
    assert codes("a: &a [*a]")[0][0] == "yaml/alias"
    assert codes(f"a: [{'1, ' * (MAX_NODES + 1)}]")[0][0] == "yaml/too-large"
    assert parse_document(b"#" * (MAX_BYTES + 1), "f")[1][0].code == "yaml/too-large"


def test_bytes_that_are_no_text():
    document, findings = parse_document(b"a: 1\nb: \xff\n", "f")
    assert document.broken
    assert [(f.code, f.at.line) for f in findings] == [("yaml/not-utf8", 2)]
    assert parse_document("\ufeffa: 1".encode(), "f")[0].value == {"a": 1}


def test_files_that_cannot_be_read(tmp_path):
    document, findings = load_document(tmp_path, "config.yaml")
    assert document.broken
    assert [f.code for f in findings] == ["yaml/unreadable"]


@given(st.binary(max_size=200))
def test_no_bytes_raise(data):
    document, findings = parse_document(data, "f")
    assert isinstance(document.mapping, dict)
    assert not document.broken or findings


@given(st.text(alphabet="ab:-[]{}&*!|>'\"%@`#,?\n \t<0.1e", max_size=60))
def test_no_text_raises(text):
    document, findings = parse(text)
    assert not document.broken or findings


SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
)  # fmt: skip


@given(st.recursive(SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(
    st.from_regex(r"[a-z_]{1,8}", fullmatch=True), v, max_size=3), max_leaves=8))  # fmt: skip
def test_what_we_write_reads_back_the_same(value):
    document, findings = parse(f"value: {to_yaml(value)}\n")
    assert findings == []
    assert document.mapping["value"] == value
