"""What can go wrong between client and server, each as one clear error."""

from __future__ import annotations

from typing import Any

from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text


class ServerError(StarForgeError):
    """A refusal of the server, with the texts it sent (already in our language).

    ``detail`` is data for programs, such as what differs between two plans.
    """

    def __init__(
        self,
        code: str,
        message: str,
        hint: str | None,
        *,
        status: int,
        detail: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(
            code,
            Text(en=message, zh=message),
            Text(en=hint, zh=hint) if hint else None,
            exit_code=_exit_code(status),
            status=status,
        )
        self.detail = detail or {}


class FindingsError(ServerError):
    """The server refused an experiment; ``findings`` has the published shape."""

    def __init__(
        self, code: str, message: str, hint: str | None, findings: list[dict[str, Any]]
    ) -> None:
        super().__init__(code, message, hint, status=422)
        self.findings = findings


def _exit_code(status: int) -> ExitCode:
    if status in (401, 403):
        return ExitCode.NOT_ALLOWED
    if status in (502, 503, 504):
        return ExitCode.UNREACHABLE
    return ExitCode.NOT_FINE


def unreachable(url: str, why: str) -> StarForgeError:
    """No connection could be made, or it broke."""
    return StarForgeError(
        "client/server-away",
        Text(
            f"the server at {url} can't be reached: {why}",
            f"无法连接位于 {url} 的服务：{why}",
        ),
        Text(
            "check that it runs and that the address is right (`sf status`); `sf logout` goes back "
            "to the embedded server",
            "请确认服务正在运行且地址正确（`sf status`）；`sf logout` 可改回内嵌服务",
        ),
        exit_code=ExitCode.UNREACHABLE,
    )


def slow(url: str, seconds: float) -> StarForgeError:
    """The server took the request and did not answer in time."""
    return StarForgeError(
        "client/timeout",
        Text(
            f"the server at {url} did not answer within {seconds:.0f} s",
            f"位于 {url} 的服务在 {seconds:.0f} 秒内没有应答",
        ),
        Text(
            "it may be busy or suspended: try again, and look into its server.log",
            "服务可能正忙或被挂起：请稍后重试，并查看它的 server.log",
        ),
        exit_code=ExitCode.UNREACHABLE,
    )


def not_starforge(url: str, what: str) -> StarForgeError:
    """Something answers at the address, but it is no StarForge server."""
    return StarForgeError(
        "client/not-starforge",
        Text(
            f"what answers at {url} is not a StarForge server ({what})",
            f"{url} 上应答的不是 StarForge 服务（{what}）",
        ),
        Text("check the address with `sf status`", "请用 `sf status` 检查地址"),
        exit_code=ExitCode.UNREACHABLE,
    )


def other_version(url: str, theirs: str, ours: str, *, embedded: bool) -> StarForgeError:
    """Client and server are of versions that do not fit together."""
    hint = (
        Text(
            "restart the embedded server with `sf down`, then repeat; running jobs go on",
            "请用 `sf down` 停掉内嵌服务后重试；运行中的任务不受影响",
        )
        if embedded
        else Text(
            f"install StarForge {theirs} here, or have the server updated to {ours}",
            f"请在本机安装 StarForge {theirs}，或把服务升级到 {ours}",
        )
    )
    return StarForgeError(
        "client/version",
        Text(
            f"the server at {url} is StarForge {theirs}, this is {ours}",
            f"位于 {url} 的服务是 StarForge {theirs}，本机是 {ours}",
        ),
        hint,
        exit_code=ExitCode.UNREACHABLE,
    )
