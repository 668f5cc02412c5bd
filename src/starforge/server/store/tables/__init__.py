"""The schema; the migrations must end up here. Importing it makes all tables known."""

from __future__ import annotations

from starforge.server.store.tables.base import Json, metadata
from starforge.server.store.tables.of_jobs import artifacts, attempts, events, job_specs, jobs
from starforge.server.store.tables.of_streams import chunks, samples, segments, series, streams
from starforge.server.store.tables.registry import datasets, external_scores, models, scores
from starforge.server.store.tables.runs import pipeline_stages, pipelines, sweeps, trials

__all__ = [
    "Json",
    "artifacts",
    "attempts",
    "chunks",
    "datasets",
    "events",
    "external_scores",
    "job_specs",
    "jobs",
    "metadata",
    "models",
    "pipeline_stages",
    "pipelines",
    "samples",
    "scores",
    "segments",
    "series",
    "streams",
    "sweeps",
    "trials",
]
