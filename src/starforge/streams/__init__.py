"""Cut the files a job writes into whole records, and decode them.

Used by the server and by the runner's policies alike; standard library only.
"""

from starforge.streams.decode import decode_rows, decode_scalars
from starforge.streams.framing import whole
from starforge.streams.model import (
    MAX_RECORD,
    Columns,
    Decoded,
    DecodedRows,
    Note,
    Row,
    ScalarBatch,
)

__all__ = [
    "MAX_RECORD",
    "Columns",
    "Decoded",
    "DecodedRows",
    "Note",
    "Row",
    "ScalarBatch",
    "decode_rows",
    "decode_scalars",
    "whole",
]
