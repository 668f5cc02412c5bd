"""Every case of the collection has a verdict, and the tests named for it exist."""

from case_lab import read_cases
from verdicts import FOLDER, NUMBERS, functions, proofs_of, table

CASES = read_cases(FOLDER)


def test_every_case_has_one_line_and_no_other_has():
    lines = table(CASES)[2:]
    assert [int(line.split("|")[1]) for line in lines] == list(NUMBERS)


def test_what_is_named_as_proof_is_a_test():
    named = {test for case in CASES for test in proofs_of(case)}
    assert {
        one for one in named if one.split("::")[1] not in functions(one.split("::")[0])
    } == set()
