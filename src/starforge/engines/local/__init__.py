"""The local engine: jobs are processes of this machine that outlive the server."""

from starforge.engines.local.engine import LocalEngine

__all__ = ["LocalEngine"]
