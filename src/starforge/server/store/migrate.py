"""Bring a database to this version's schema.

Alembic is imported only when there is something to do, so that a start is quick.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from starforge.errors import StarForgeError
from starforge.i18n import Text

if TYPE_CHECKING:
    from alembic.config import Config

    from starforge.server.store.database import Database

HEAD = "0006"
"""The newest revision under ``migrations/versions``."""


def bring_up(db: Database) -> None:
    """Migrate ``db`` to :data:`HEAD` in one transaction, if it is not there already."""
    with db.read() as tx:
        if revision(tx, db.where) == HEAD:
            return
    with db.write() as tx:
        found = revision(tx, db.where)  # again: another process may have been quicker
        if found != HEAD:
            _upgrade(tx, found, db.where)


def revision(tx: Connection, where: str) -> str | None:
    """Return the revision of a database; ``None`` when it is empty.

    Raises:
        StarForgeError: it holds tables that are not StarForge's.
    """
    tables = set(inspect(tx).get_table_names())
    if not tables:
        return None
    found = None
    if "alembic_version" in tables:
        found = tx.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if found is None:
        raise StarForgeError(
            "store/foreign",
            Text(
                "{where} holds other tables and no StarForge database",
                "{where} 中有其他数据表，不是 StarForge 的数据库",
            ).format(where=where),
            Text(
                "choose another place; this one was not touched",
                "请换一个位置；该数据库未做任何改动",
            ),
        )
    return str(found)


def alembic_config() -> Config:
    """Return Alembic's configuration for the packaged migrations."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    return config


def _upgrade(tx: Connection, found: str | None, where: str) -> None:
    from alembic import command
    from alembic.script import ScriptDirectory

    config = alembic_config()
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise StarForgeError(
            "store/newer",
            Text(
                "{where} was made by another version of StarForge (schema {found}; this "
                "version knows up to {head})",
                "{where} 由其他版本的 StarForge 创建（结构版本 {found}；当前版本最高支持 {head}）",
            ).format(where=where, found=found, head=HEAD),
            Text(
                "start it with the version that made it, or choose another folder with "
                "STARFORGE_HOME; nothing was changed",
                "请使用创建它的版本启动，或用 STARFORGE_HOME 指定其他目录；未做任何改动",
            ),
        )
    config.attributes["connection"] = tx
    command.upgrade(config, HEAD)
