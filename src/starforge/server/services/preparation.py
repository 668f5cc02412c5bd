"""Prepares uploaded experiments: the same code as on the client, with the server's inputs."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from starforge.errors import StarForgeError
from starforge.findings import Finding, Location
from starforge.i18n import Lang
from starforge.lab.bundle import unpack
from starforge.lab.context import DataSource
from starforge.lab.inputs import (
    DATA_FORMS,
    MODEL_FORMS,
    LocalResolver,
    Resolver,
    parse_data,
    parse_model,
    rows_digest,
)
from starforge.lab.rules_experiment import INPUT_REFERENCE, unresolved
from starforge.plan import InputRef
from starforge.prepare import Prepared, prepare
from starforge.server.core import Core
from starforge.server.services.rules_inputs import NOT_UPLOADED
from starforge.server.store import registry
from starforge.wire.findings import Finding as FindingShape
from starforge.wire.findings import Input, Planned, PrepareRequest, Validation

EXPERIMENT = "experiment"


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A prepared upload; ``folder`` is the unpacked experiment inside ``work``."""

    prepared: Prepared
    folder: Path
    work: Path


class ServerResolver:
    """Finds inputs among what was sent and what the server has.

    Every answer is derived again from the content at hand, so a plan made here equals the
    client's only when both saw the same inputs.
    """

    offline = False
    lab_root = None

    def __init__(self, core: Core, folder: Path, inputs: Sequence[Input]) -> None:
        self._core = core
        self._folder = folder
        self._sent = {one.name: one for one in inputs}

    def model(self, reference: str, name: str = "model") -> InputRef | Finding:
        """Find a model: as sent, in the experiment's own folder, or on the server."""
        sent = self._sent.get(name)
        if sent is not None and sent.kind == "path":
            return self._folder_model(reference, sent.location, name)
        parsed = parse_model(reference, self._folder, None)
        if parsed is None:
            return INPUT_REFERENCE.at(Location(value=reference), ref=reference, forms=MODEL_FORMS)
        if parsed.kind == "path":
            return NOT_UPLOADED.at(Location(value=reference), ref=reference)
        found = InputRef(name=name, kind=parsed.kind, location=parsed.location)
        return self._known(found) or found

    def data(self, reference: str, split: str) -> DataSource | Finding:
        """Find the rows of a split: an uploaded blob or a registered dataset."""
        parsed = parse_data(reference)
        if parsed is None:
            return INPUT_REFERENCE.at(Location(value=reference), ref=reference, forms=DATA_FORMS)
        if parsed.kind == "registry":
            return self._dataset(reference, parsed.location, split)
        sent = self._sent.get(f"data.{split}")
        if sent is None or sent.digest is None or not self._core.blobs.has(sent.digest):
            return NOT_UPLOADED.at(Location(value=reference), ref=reference)
        self._core.blobs.use(sent.digest)
        return self._rows(reference, split, self._core.blobs.path(sent.digest))

    def _folder_model(self, reference: str, location: str, name: str) -> InputRef | Finding:
        local = LocalResolver(self._folder).model(location, name)
        if isinstance(local, Finding):
            return msgspec.structs.replace(local, at=Location(value=reference))
        return local

    def _known(self, ref: InputRef) -> Finding | None:
        """Return a finding when a job or registered model has no folder to start from."""
        from starforge.server.services import models

        if ref.kind not in ("job", "registry"):
            return None
        try:
            models.resolve(self._core, ref)
        except StarForgeError as error:
            return unresolved(error, ref.location)
        return None

    def _dataset(self, reference: str, location: str, split: str) -> DataSource | Finding:
        try:
            with self._core.db.read() as tx:
                row = registry.dataset(tx, location)
            path = self._core.blobs.path(row.digest)
        except StarForgeError as error:
            return unresolved(error, reference)
        ref = InputRef(
            name=f"data.{split}",
            kind="registry",
            location=f"{row.name}@{row.version}",
            digest=row.digest,
            file=f"{split}.jsonl",
            rows=row.rows,
        )
        return DataSource(split=split, ref=ref, shown=reference, path=path)

    def _rows(self, reference: str, split: str, path: Path) -> DataSource:
        digest, rows = rows_digest(path)
        ref = InputRef(
            name=f"data.{split}",
            kind="blob",
            location=digest,
            digest=digest,
            file=f"{split}.jsonl",
            rows=rows,
        )
        return DataSource(split=split, ref=ref, shown=reference, path=path)


@contextlib.contextmanager
def prepared(
    core: Core, request: PrepareRequest, wrap: Callable[[Resolver], Resolver] | None = None
) -> Iterator[Made]:
    """Unpack and prepare an upload; what is still in ``work`` at the end is removed.

    ``wrap`` may stand before the resolver, for what is not there yet.
    """
    core.blobs.use(request.bundle)
    work = Path(tempfile.mkdtemp(prefix=".new-", dir=core.settings.jobs))
    try:
        folder = work / EXPERIMENT
        unpack(core.blobs.path(request.bundle), folder)
        resolver: Resolver = ServerResolver(core, folder, request.inputs)
        made = prepare(
            folder,
            sets=request.sets,
            profile=request.profile,
            replace=request.replace,
            resolver=wrap(resolver) if wrap else resolver,
            catalog=core.catalog,
        )
        yield Made(prepared=made, folder=folder, work=work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def validation(made: Made, lang: Lang) -> Validation:
    """Return the published shape of a validation."""
    done = made.prepared
    return Validation(
        ok=done.ok,
        method=done.experiment.method if done.experiment else None,
        findings=shapes(done.findings, lang),
    )


def planned(made: Made, lang: Lang) -> Planned:
    """Return a validation with its plan."""
    plan = made.prepared.plan
    return Planned(
        **validation(made, lang).model_dump(),
        plan=msgspec.to_builtins(plan) if plan else None,
        plan_digest=plan.digest() if plan else None,
    )


def shapes(findings: Sequence[Finding], lang: Lang) -> list[FindingShape]:
    """Return findings in one language."""
    return [FindingShape(**finding.to_public(lang)) for finding in findings]
