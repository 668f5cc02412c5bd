"""Backups of a home: one archive with the database, streams, jobs, referenced blobs and keys.

A backup may be made while the server runs and jobs log. The database is copied first and
the files after it: streams and job folders only grow, so every byte that the copied database
counts on is in the archive, and what came later is surplus that a server reads on.
"""
