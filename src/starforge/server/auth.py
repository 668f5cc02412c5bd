"""Who may do what: the server's own token for users, one token a job for its runner."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text
from starforge.server.home import secret_file


class Tokens:
    """The tokens of one server.

    A job's token is derived from a secret of the home, so a restarted server knows it and
    nothing has to be kept. It opens that job's ingest endpoints and nothing else.
    """

    def __init__(self, home: Path) -> None:
        self._user = secret_file(home / "token")
        self._job_key = secret_file(home / "job.key").encode()

    @property
    def user(self) -> str:
        """The token of the server's users."""
        return self._user

    def job_token(self, job_id: str) -> str:
        """Return the token of a job's runner."""
        return hmac.new(self._job_key, f"job:{job_id}".encode(), hashlib.sha256).hexdigest()

    def require_user(self, header: str | None) -> None:
        """Refuse a request without the server's token."""
        _require(header, self._user)

    def require_job(self, header: str | None, job_id: str) -> None:
        """Refuse an ingest request without the job's token."""
        _require(header, self.job_token(job_id))


def _require(header: str | None, expected: str) -> None:
    scheme, _, given = (header or "").partition(" ")
    if scheme.lower() != "bearer" or not given.strip():
        raise StarForgeError(
            "auth/no-token",
            Text("the request carries no token", "请求没有携带令牌"),
            Text(
                "send `Authorization: Bearer TOKEN`; the CLI does so after `sf login URL`",
                "请发送 `Authorization: Bearer 令牌`；运行 `sf login URL` 之后命令行会自动带上",
            ),
            exit_code=ExitCode.NOT_ALLOWED,
            status=401,
        )
    if not hmac.compare_digest(given.strip().encode(), expected.encode()):
        raise StarForgeError(
            "auth/wrong-token",
            Text("the token is not this server's", "令牌与该服务不符"),
            Text(
                "run `sf login URL` again with the token from the server's `token` file",
                "请用服务的 `token` 文件中的令牌重新运行 `sf login URL`",
            ),
            exit_code=ExitCode.NOT_ALLOWED,
            status=401,
        )
