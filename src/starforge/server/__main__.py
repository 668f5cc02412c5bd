"""``python -m starforge.server``: one process, until SIGTERM or SIGINT."""

from __future__ import annotations

import argparse
import gc
import logging
import sys
import time
from pathlib import Path

from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text
from starforge.server.home import HomeLock, home_error, prepare_home
from starforge.server.settings import Settings


def main(argv: list[str] | None = None) -> int:
    """Run the server; expected failures are one or two lines on stderr."""
    try:
        return _serve(_settings(argv))
    except StarForgeError as error:
        sys.stderr.write(f"error: {error.render()}\n")
        return int(error.exit_code)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        sys.stderr.write(f"error: {error.strerror or error}{where}\n")
        return int(ExitCode.NOT_FINE)


def _settings(argv: list[str] | None) -> Settings:
    parser = argparse.ArgumentParser(prog="python -m starforge.server", description=__doc__)
    parser.add_argument("--home", type=Path, help="state folder (default: STARFORGE_HOME)")
    parser.add_argument("--host", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port (default: 7827, or a free one)")
    given = parser.parse_args(argv)
    if given.port is not None and not 0 <= given.port <= 65535:
        raise StarForgeError(
            "server/bad-port",
            Text(f"{given.port} is not a port", f"{given.port} 不是有效的端口"),
            Text("ports are numbers from 1 to 65535", "端口是 1 到 65535 之间的整数"),
            exit_code=ExitCode.USAGE,
        )
    return Settings.from_env(home=given.home, host=given.host, port=given.port)


def _serve(settings: Settings) -> int:
    prepare_home(settings)
    lock = HomeLock(settings)
    lock.acquire(wait=1.0)  # a server that is just going down lets go within a moment
    try:
        return _serve_locked(settings)
    finally:
        lock.release()


def _serve_locked(settings: Settings) -> int:
    gc.disable()  # nothing of what loading makes is garbage; `serve` turns it on again
    from starforge.server.serving import serve

    try:
        return serve(settings, started_at=time.time())
    except StarForgeError:
        raise
    except OSError as error:
        logging.getLogger("starforge.server").exception("server failed")
        raise home_error(settings.home, error) from error


if __name__ == "__main__":
    sys.exit(main())
