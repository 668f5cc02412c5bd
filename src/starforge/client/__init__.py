"""The typed client of the HTTP API: used by the CLI, the SDK and tests."""

from starforge.client.client import Client
from starforge.client.embedded import connect

__all__ = ["Client", "connect"]
