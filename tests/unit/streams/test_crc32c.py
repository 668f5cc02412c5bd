import tfevents
from hypothesis import given
from hypothesis import strategies as st

from starforge.streams.crc32c import crc32c, crc32c_many, masked


def test_published_check_value():
    assert crc32c(b"123456789") == 0xE3069283


@given(st.binary(max_size=200))
def test_equals_the_bitwise_definition(data):
    assert crc32c(data) == tfevents.crc32c(data)
    assert masked(data).to_bytes(4, "little") == tfevents.masked_bytes(data)


@given(
    st.integers(0, 70).flatmap(lambda n: st.lists(st.binary(min_size=n, max_size=n), min_size=1))
)
def test_side_by_side_they_are_what_they_are_alone(texts):
    assert crc32c_many(texts) == [crc32c(text) for text in texts]
