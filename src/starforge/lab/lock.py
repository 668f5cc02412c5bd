"""recipe.lock.json: what an experiment was made for, and whether that is still so."""

from __future__ import annotations

from pathlib import Path

import msgspec

from starforge.catalog.models import Parameter, Recipe
from starforge.errors import StarForgeError
from starforge.findings import Finding, Location, rule
from starforge.i18n import Text
from starforge.lab.experiment import LOCK_FILE
from starforge.plan import InputRef

BROKEN = rule(
    "lock/broken", "error",
    title=Text("Lock cannot be read", "锁文件无法读取"),
    message=Text("recipe.lock.json can't be read: {reason}", "recipe.lock.json 无法读取：{reason}"),
    hint=Text("restore it, or delete it: the next submission then takes the catalog as it is",
              "请恢复它；或将其删除，下次提交将以当前目录为准"),
    why=Text("A damaged lock can't say what the experiment was made for.",
             "损坏的锁文件无法说明实验当初对应的版本。"),
    bad="{", good='{"method": "trl/sft", "version": "1.10.0"}',
)  # fmt: skip
VERSION = rule(
    "lock/version", "error",
    title=Text("Locked to another version", "锁定的版本不同"),
    message=Text("this experiment is locked to {locked}, the catalog has {current}",
                 "该实验锁定在 {locked}，而目录中是 {current}"),
    hint=Text("`sf recipe status` shows what changed; accept it with `sf recipe upgrade` or "
              "`sf submit --update-lock`",
              "用 `sf recipe status` 查看变化；"
              "用 `sf recipe upgrade` 或 `sf submit --update-lock` 接受"),
    why=Text("Keys, defaults and results change between versions of a framework.",
             "框架版本不同，键、默认值和结果都可能不同。"),
    bad='{"version": "0.9.0"}', good='{"version": "1.10.0"}',
)  # fmt: skip
DRIFT = rule(
    "lock/drift", "error",
    title=Text("Changed since it was locked", "锁定之后有变化"),
    message=Text("the {part.en} changed since this experiment was locked",
                 "自该实验锁定以来，{part.zh}已有变化"),
    hint=Text("`sf recipe status` shows what changed; accept it with `sf recipe upgrade` or "
              "`sf submit --update-lock`",
              "用 `sf recipe status` 查看变化；"
              "用 `sf recipe upgrade` 或 `sf submit --update-lock` 接受"),
    why=Text("Parameters, defaults or pins may have moved: a job run again may not give what it "
             "gave before.",
             "参数、默认值或固定设置可能有变：重新运行的结果可能与之前不同。"),
    bad='{"recipe": "0000"}', good='{"recipe": "<the digest of the catalog>"}',
)  # fmt: skip
RUNTIME = rule(
    "lock/runtime", "warning",
    title=Text("Runtime changed since it was locked", "锁定之后运行环境有变化"),
    message=Text("the runtime for {device} changed since this experiment was locked",
                 "自该实验锁定以来，{device} 的运行环境已有变化"),
    hint=Text("accept it with `sf recipe upgrade` or `sf submit --update-lock`",
              "用 `sf recipe upgrade` 或 `sf submit --update-lock` 接受"),
    why=Text("The framework is the same, packages beside it are not: numbers may differ in the "
             "last digits.",
             "框架版本相同，但其他软件包有变化：数值可能在末几位上不同。"),
    bad='{"runtime": {"cpu": "0000"}}', good='{"runtime": {"cpu": "<the digest of its lock>"}}',
)  # fmt: skip

_RECIPE = Text("recipe", "配方")
_CONTRACT = Text("contract of the framework", "框架契约")


class Lock(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Digests (sha256) of everything an experiment depends on outside its own files.

    ``runtime`` maps a device (``cpu``, ``cuda``) to the digest of its lock; ``parameters`` a
    published parameter to ``path=default`` (JSON), so that what a later catalog changes can be
    said by name.
    """

    method: str
    framework: str
    version: str
    recipe: str
    contract: str
    runtime: dict[str, str] = {}
    inputs: dict[str, str] = {}
    parameters: dict[str, str] = {}


def make_lock(
    recipe: Recipe,
    contract_digest: str,
    *,
    runtime: dict[str, str] | None = None,
    inputs: list[InputRef] | None = None,
) -> Lock:
    """Return the lock of an experiment as the catalog is now."""
    revisions = {ref.name: ref.digest or ref.location for ref in inputs or []}
    return Lock(
        method=recipe.name, framework=recipe.framework, version=recipe.version,
        recipe=recipe.digest, contract=contract_digest, runtime=runtime or {}, inputs=revisions,
        parameters={one.name: _setting(one) for one in recipe.parameters},
    )  # fmt: skip


def _setting(parameter: Parameter) -> str:
    return f"{parameter.path}={msgspec.json.encode(parameter.default).decode()}"


def encode_lock(lock: Lock) -> bytes:
    """Return the file's bytes: sorted, indented JSON, ends with a newline."""
    return msgspec.json.format(msgspec.json.encode(lock, order="sorted"), indent=2) + b"\n"


def write_lock(folder: Path, lock: Lock) -> None:
    """Write recipe.lock.json into an experiment folder."""
    try:
        (folder / LOCK_FILE).write_bytes(encode_lock(lock))
    except OSError as error:
        reason = error.strerror or str(error)
        raise StarForgeError(
            "lock/write",
            Text(f"{folder / LOCK_FILE} cannot be written: {reason}",
                 f"无法写入 {folder / LOCK_FILE}：{reason}"),
        ) from error  # fmt: skip


def read_lock(folder: Path) -> tuple[Lock | None, list[Finding]]:
    """Return the lock of an experiment; ``None`` when there is none or it is broken."""
    file = folder / LOCK_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=Lock), []
    except FileNotFoundError:
        return None, []
    except OSError as error:
        reason = error.strerror or str(error)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        reason = str(error)
    return None, [BROKEN.at(Location(file=LOCK_FILE), reason=reason)]


def compare_lock(locked: Lock, current: Lock) -> list[Finding]:
    """Return what changed since ``locked`` was written.

    Another method is no drift: the author changed it on purpose. Inputs are compared only
    in locks of submitted jobs, never in an experiment that is being worked on.
    """
    if locked.method != current.method:
        return []
    if locked.version != current.version:
        at = Location(file=LOCK_FILE, key="version", value=locked.version)
        old_pin, new_pin = (f"{one.framework}@{one.version}" for one in (locked, current))
        return [VERSION.at(at, locked=old_pin, current=new_pin)]
    compared = [
        ("recipe", _RECIPE, locked.recipe, current.recipe),
        ("contract", _CONTRACT, locked.contract, current.contract),
    ]
    findings = [
        DRIFT.at(Location(file=LOCK_FILE, key=key, value=old), part=part)
        for key, part, old, new in compared
        if old != new
    ]
    for device in sorted(locked.runtime.keys() & current.runtime.keys()):
        old = locked.runtime[device]
        if old != current.runtime[device]:
            at = Location(file=LOCK_FILE, key=f"runtime.{device}", value=old)
            findings.append(RUNTIME.at(at, device=device))
    return findings
