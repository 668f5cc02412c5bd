import pytest

from starforge.runtimes.pip import _FOUND, _advice, _relevant


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Collecting torch==2.13.0 (from -r lock.txt (line 59))", "torch"),
        ("Collecting typing_extensions>=4.10.0 (from torch==2.13.0)", "typing_extensions"),
        ("Processing /wheels/rouge_score-0.1.2-py3-none-any.whl (from -r x)", "rouge_score"),
        ("Processing ./hf-xet-1.8.0.tar.gz", "hf-xet"),
    ],
)
def test_lines_that_name_a_package(line, name):
    match = _FOUND.match(line)
    assert match is not None
    assert match["name"].split(">")[0] == name


@pytest.mark.parametrize(
    "line", ["  Downloading torch-2.13.0.whl (200 MB)", "Installing collected packages: a, b"]
)
def test_lines_that_do_not(line):
    assert _FOUND.match(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "      error: [Errno 2] No such file or directory: 'gcc'",
        "      error: command 'x86_64-linux-gnu-gcc' failed: No such file or directory",
    ],
)
def test_a_missing_compiler_is_said_and_what_to_do(line):
    last = "ERROR: Could not build wheels for pycosat, which is required to install"
    said = _relevant([*["  building"] * 5, line, "      [end of output]", last])
    assert said == [line, last]
    assert "needs a C compiler" in _advice(said).en and "C 编译器" in _advice(said).zh
    assert "check the network" in _advice([last]).en
