"""How large an experiment's own files may be, here and on a server."""

from __future__ import annotations

import os

import msgspec

from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text

ENV = {
    "files": "STARFORGE_BUNDLE_FILES",
    "total": "STARFORGE_BUNDLE_BYTES",
    "single": "STARFORGE_BUNDLE_FILE_BYTES",
}
"""The environment variable of each limit; a client and its server have their own."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The most a bundle may hold: files, bytes in all, bytes of one file (uncompressed)."""

    files: int = 5_000
    total: int = 200 << 20
    single: int = 50 << 20

    @classmethod
    def from_env(cls) -> Limits:
        """Return the limits of this process; StarForgeError ``bundle/bad-limit``."""
        return cls(**{field: _number(name) for field, name in ENV.items() if os.environ.get(name)})

    def exceeded(self, name: str, *, size: int, count: int, total: int) -> Text | None:
        """Say which limit file number ``count`` of ``size`` bytes exceeds, if any."""
        if size > self.single:
            over = f"{_mb(size)} > {_mb(self.single)}"
            return Text(f"{name} is too large: {over} ({ENV['single']})",
                        f"{name} 过大：{over}（{ENV['single']}）")  # fmt: skip
        if count > self.files:
            return Text(f"there are more than {self.files} files ({ENV['files']})",
                        f"文件超过 {self.files} 个（{ENV['files']}）")  # fmt: skip
        if total > self.total:
            most = _mb(self.total)
            return Text(f"the files are more than {most} together ({ENV['total']})",
                        f"文件合计超过 {most}（{ENV['total']}）")  # fmt: skip
        return None


def _number(name: str) -> int:
    value = os.environ[name]
    if value.isascii() and value.isdigit() and 0 < int(value) < 1 << 50:
        return int(value)
    raise StarForgeError(
        "bundle/bad-limit",
        Text(f"the environment variable {name} is `{value}`, which is not a number above 0",
             f"环境变量 {name} 的值是 `{value}`，不是大于 0 的数"),
        Text(f"set {name} to a number or unset it", f"把 {name} 设成一个整数，或者取消设置"),
        exit_code=ExitCode.USAGE,
    )  # fmt: skip


def _mb(size: int) -> str:
    return f"{size / (1 << 20):.1f} MB"
