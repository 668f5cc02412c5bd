"""Shapes of the HTTP API (``/api/v1``), shared by server and client.

One module a noun. Times are ISO-8601 in UTC; sizes are bytes; durations are seconds.
Readers ignore keys they don't know, so a server may add keys at any time.
"""
