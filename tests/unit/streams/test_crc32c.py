import tfevents
from hypothesis import given
from hypothesis import strategies as st

from starforge.streams.crc32c import crc32c, masked


def test_published_check_value():
    assert crc32c(b"123456789") == 0xE3069283


@given(st.binary(max_size=200))
def test_equals_the_bitwise_definition(data):
    assert crc32c(data) == tfevents.crc32c(data)
    assert masked(data).to_bytes(4, "little") == tfevents.masked_bytes(data)
