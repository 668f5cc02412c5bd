"""Where the server keeps its state and where it listens.

Standard library and our errors only: the client imports this to find the home.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from starforge.errors import ExitCode, StarForgeError
from starforge.home import starforge_home
from starforge.i18n import Text

DEFAULT_PORT = 7827
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Settings:
    """Settings of one server process.

    ``port`` is ``None`` when nobody asked for one: the default port is then preferred and
    a free one taken when it is busy. ``allowed_hosts`` are further names (beside loopback
    and ``host``) under which clients may reach the server. ``slots_cpus`` and
    ``slots_gpus`` lower what the local engine may hand out. ``max_metrics`` is the most
    metric names a job may have. ``keep_uploads`` is how many days an upload stays that nothing
    refers to (0: for ever). ``catalog`` is the folder of the deployment's own recipes,
    by default ``<home>/catalog``.
    """

    home: Path
    host: str = "127.0.0.1"
    port: int | None = None
    database: str | None = None
    allowed_hosts: frozenset[str] = field(default_factory=frozenset)
    slots_cpus: int | None = None
    slots_gpus: int | None = None
    max_json_bytes: int = 8 * 1024 * 1024
    max_chunk_bytes: int = 16 * 1024 * 1024
    max_blob_bytes: int = 1 << 40
    ship_timeout: float = 60.0
    max_metrics: int = 10_000
    keep_uploads: int = 7
    catalog: Path | None = None

    @property
    def token_file(self) -> Path:
        """The file with the token of this server's users."""
        return self.home / "token"

    @property
    def server_file(self) -> Path:
        """The file that says where a running server listens."""
        return self.home / "server.json"

    @property
    def lock_file(self) -> Path:
        """The file that the one live server of this home holds locked."""
        return self.home / "server.lock"

    @property
    def log_file(self) -> Path:
        """The server's log: one JSON object a line."""
        return self.home / "server.log"

    @property
    def jobs(self) -> Path:
        """The folder of all job folders."""
        return self.home / "jobs"

    @property
    def catalog_folder(self) -> Path:
        """The folder of the deployment's own recipes; it need not exist."""
        return self.catalog or self.home / "catalog"

    def job_dir(self, job_id: str) -> Path:
        """The folder of one job."""
        return self.jobs / job_id

    def database_url(self) -> str:
        """The database: a URL, or a path for SQLite."""
        return self.database or str(self.home / "starforge.db")

    @classmethod
    def from_env(
        cls, *, home: Path | None = None, host: str | None = None, port: int | None = None
    ) -> Settings:
        """Build settings from arguments, then ``STARFORGE_*`` variables, then defaults."""
        env = os.environ
        keep = _number("STARFORGE_KEEP_UPLOADS")
        hosts = (name.strip().lower() for name in env.get("STARFORGE_ALLOWED_HOSTS", "").split(","))
        return cls(
            home=(home or starforge_home()).expanduser().absolute(),
            host=host or env.get("STARFORGE_HOST") or "127.0.0.1",
            port=port if port is not None else _number("STARFORGE_PORT"),
            database=env.get("STARFORGE_DATABASE_URL") or None,
            allowed_hosts=frozenset(name for name in hosts if name),
            slots_cpus=_number("STARFORGE_CPUS"),
            slots_gpus=_number("STARFORGE_GPUS"),
            max_metrics=_number("STARFORGE_MAX_METRICS") or cls.max_metrics,
            keep_uploads=cls.keep_uploads if keep is None else keep,
            catalog=_folder("STARFORGE_CATALOG"),
        )


def _folder(name: str) -> Path | None:
    value = os.environ.get(name)
    return Path(value).expanduser().absolute() if value else None


def _number(name: str) -> int | None:
    value = os.environ.get(name)
    if not value:
        return None
    try:
        number = int(value)
    except ValueError:
        number = -1
    if number < 0:
        raise StarForgeError(
            "server/bad-setting",
            Text(
                f"the environment variable {name} is `{value}`, which is not a whole number",
                f"环境变量 {name} 的值是 `{value}`，不是非负整数",
            ),
            Text(f"set {name} to a number or unset it", f"把 {name} 设成一个整数，或者取消设置"),
            exit_code=ExitCode.USAGE,
        )
    return number
