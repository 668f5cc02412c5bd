"""Everything the server keeps: tables, metric chunks, stream files, blobs.

How it is used::

    db = Database.open(home / "starforge.db")          # or a postgresql:// URL
    files = StreamFiles(home / "streams")
    blobs = BlobStore(home / "blobs")

    with db.write() as tx:                              # one writer at a time on SQLite
        job = jobs.create(tx, NewJob(...))
    with db.read() as tx:                               # snapshot; readers never wait
        page = jobs.page(tx, JobFilter(states=["running"]), limit=50)

    offset = ingest.accept(db, files, StreamChunk(...))  # one transaction, exactly once

``tx`` is a plain ``sqlalchemy.Connection`` inside a transaction that commits when the
block ends and rolls back when it raises. Keep write blocks short. Every function takes
``tx`` first and returns the frozen structs of :mod:`.records`. Times are Unix seconds.

- ``database``: open, migrate, transactions, errors a person can act on
- ``tables``: the schema; ``migrations``: how it came to be
- ``jobs``, ``attempts``, ``events``, ``artifacts``, ``registry``, ``scores``: one noun each
- ``scalars`` (append), ``curves`` (read), ``encode``, ``rollup``: metric chunks
- ``segments`` (files), ``logs`` (lines), ``samples`` (rows): what streams say
- ``ingest``: bytes of a stream at an offset, taken exactly once
- ``blobs``: content-addressed files
"""
