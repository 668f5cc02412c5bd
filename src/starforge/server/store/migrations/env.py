"""Alembic's entry: runs on the connection that `starforge.server.store.migrate` gives."""

from alembic import context

from starforge.server.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite alters a table by copying it
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
