"""The client: one object with a part for each noun of the API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starforge.client.http import Http
from starforge.client.jobs import Jobs
from starforge.client.pipelines import Pipelines
from starforge.client.sweeps import Sweeps
from starforge.wire.board import Benchmark, BenchmarkContamination, Score
from starforge.wire.compare import Compared, ItemPage, Shown
from starforge.wire.datasets import Dataset, DatasetCreate
from starforge.wire.external import (
    ExternalAdded,
    ExternalScore,
    ExternalScoreCreate,
    ExternalScores,
)
from starforge.wire.findings import Planned, PrepareRequest, Validation
from starforge.wire.methods import CatalogFiles, CatalogInfo, MethodDetail, MethodSummary
from starforge.wire.models import Model, ModelCreate, ModelFile
from starforge.wire.runtimes import Runtime, RuntimeInstall, RuntimeReport, Task
from starforge.wire.server import ServerInfo
from starforge.wire.session import SignInCode


class Client:
    """Everything the API offers, typed. Close it, or use it as a context manager.

    Every call raises :class:`starforge.errors.StarForgeError`: exit code 3 when the server
    is out of reach, 4 when the token is refused, else 1. ``locate`` finds a server that has
    moved, see :class:`starforge.client.http.Http`.
    """

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout: float = 60.0,
        locate: Callable[[], str | None] | None = None,
    ) -> None:
        self.http = Http(url, token, timeout=timeout, locate=locate)
        self.jobs = Jobs(self.http)
        self.pipelines = Pipelines(self.http)
        self.sweeps = Sweeps(self.http)
        self.blobs = Blobs(self.http)
        self.datasets = Datasets(self.http)
        self.models = Models(self.http)
        self.runtimes = Runtimes(self.http)

    @property
    def url(self) -> str:
        """The address of the server."""
        return self.http.url

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.http.close()

    def server(self) -> ServerInfo:
        """Return who answers and what it has."""
        return self.http.get("/server", ServerInfo)

    def check_token(self) -> None:
        """Raise when the token is not the server's."""
        self.http.request("POST", "/token/check")

    def sign_in_link(self, path: str = "/login") -> str:
        """Return a link to a page of the web console that signs a browser in, once."""
        made = self.http.post("/session/code", SignInCode)
        return f"{self.url}{path}#code={made.code}"

    def methods(
        self, *, data: str | None = None, framework: str | None = None, search: str | None = None
    ) -> list[MethodSummary]:
        """List the server's methods."""
        return self.http.get(
            "/methods", list[MethodSummary], data=data, framework=framework, search=search
        )

    def catalog(self) -> CatalogInfo:
        """Return what the server publishes, hides, and can't use."""
        return self.http.get("/catalog", CatalogInfo)

    def catalog_files(self) -> CatalogFiles:
        """Return the deployment's own catalog files."""
        return self.http.get("/catalog/files", CatalogFiles)

    def method(self, name: str) -> MethodDetail:
        """Return a method (``framework/name``) whole."""
        return self.http.get(f"/methods/{quote(name)}", MethodDetail)

    def validate(self, request: PrepareRequest) -> Validation:
        """Check an uploaded experiment on the server."""
        return self.http.post("/validate", Validation, request)

    def plan(self, request: PrepareRequest) -> Planned:
        """Plan an uploaded experiment on the server."""
        return self.http.post("/plan", Planned, request)

    def board(self, *, benchmark: str | None = None, model: str | None = None) -> list[Score]:
        """Return the scores, newest first."""
        return self.http.get("/board", list[Score], benchmark=benchmark, model=model)

    def compare(
        self, a: str, b: str, *, benchmark: str | None = None, anyway: bool = False, flips: int = 0
    ) -> Compared:
        """Compare two jobs or models item by item."""
        return self.http.get(
            "/board/compare", Compared, a=a, b=b, benchmark=benchmark, anyway=anyway, flips=flips
        )

    def compared_items(
        self,
        a: str,
        b: str,
        benchmark: str,
        *,
        show: Shown = "flipped",
        search: str | None = None,
        offset: int = 0,
        limit: int = 20,
    ) -> ItemPage:
        """Return items of a comparison with both answers."""
        return self.http.get(
            "/board/compare/items", ItemPage, a=a, b=b, benchmark=benchmark, show=show,
            search=search, offset=offset, limit=limit,
        )  # fmt: skip

    def external(
        self, *, benchmark: str | None = None, model: str | None = None
    ) -> list[ExternalScore]:
        """Return the scores of other sources."""
        return self.http.get(
            "/board/external", list[ExternalScore], benchmark=benchmark, model=model
        )

    def add_external(self, rows: Iterable[dict[str, Any]]) -> ExternalAdded:
        """Keep scores of other sources (see :mod:`starforge.evals.external`)."""
        body = ExternalScores(scores=[ExternalScoreCreate(**row) for row in rows])
        return self.http.post("/board/external", ExternalAdded, body)

    def remove_external(self, number: int) -> None:
        """Remove a score of another source."""
        self.http.request("DELETE", f"/board/external/{number}")

    def contamination(self, job: str) -> list[BenchmarkContamination]:
        """Look for a job's benchmark items in the training data of the model."""
        path = f"/jobs/{quote(job, safe='')}/contamination"
        return self.http.post(path, list[BenchmarkContamination])

    def benchmarks(self) -> list[Benchmark]:
        """List the server's benchmark packs."""
        return self.http.get("/benchmarks", list[Benchmark])


class Blobs:
    """Contents by their sha256."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def has(self, digest: str) -> bool:
        """Say whether the server already holds a content."""
        from starforge.errors import StarForgeError

        try:
            self._http.request("HEAD", f"/blobs/{digest}")
        except StarForgeError as error:
            if error.status == 404 or error.code == "client/not-starforge":
                return False
            raise
        return True

    def put(self, digest: str, content: bytes | Iterable[bytes]) -> None:
        """Upload a content; the server refuses it when the digest is another."""
        self._http.request("PUT", f"/blobs/{digest}", content=content)

    def read(self, digest: str) -> Iterator[bytes]:
        """Yield a content piece by piece."""
        with self._http.stream(f"/blobs/{digest}") as response:
            yield from response.iter_bytes()

    def put_file(self, digest: str, path: Path) -> None:
        """Upload a file in pieces, unless the server already has it."""
        if not self.has(digest):
            self.put(digest, _pieces(path))


def _pieces(path: Path, size: int = 1 << 20) -> Iterable[bytes]:
    with path.open("rb") as stream:
        while piece := stream.read(size):
            yield piece


class Datasets:
    """Registered data."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def all(self) -> list[Dataset]:
        """Return all versions of all datasets."""
        return self._http.get("/datasets", list[Dataset])

    def versions(self, name: str) -> list[Dataset]:
        """Return all versions of one dataset, newest first."""
        return self._http.get(f"/datasets/{quote(name, safe='')}", list[Dataset])

    def add(self, name: str, digest: str, file: str, description: str | None = None) -> Dataset:
        """Register an uploaded content as the next version of ``name``."""
        request = DatasetCreate(name=name, digest=digest, file=file, description=description)
        return self._http.post("/datasets", Dataset, request)


class Models:
    """Registered models."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def all(self) -> list[Model]:
        """Return all versions of all models."""
        return self._http.get("/models", list[Model])

    def versions(self, name: str) -> list[Model]:
        """Return all versions of one model, newest first."""
        return self._http.get(f"/models/{quote(name, safe='')}", list[Model])

    def add(
        self,
        name: str,
        *,
        path: str | None = None,
        job: str | None = None,
        files: Iterable[tuple[str, str]] | None = None,
        description: str | None = None,
    ) -> Model:
        """Register a folder of the server's machine, ``job:ID``, or uploaded files."""
        request = ModelCreate(
            name=name,
            path=path,
            job=job,
            files=None
            if files is None
            else [ModelFile(path=one, digest=digest) for one, digest in files],
            description=description,
        )
        return self._http.post("/models", Model, request)


class Runtimes:
    """Pinned environments on the server's machine."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def all(self) -> list[Runtime]:
        """Return all runtimes, installed or not."""
        return self._http.get("/runtimes", list[Runtime])

    def install(self, name: str, device: Any = None) -> Task:
        """Start an installation in the background of the server."""
        return self._http.post("/runtimes", Task, RuntimeInstall(name=name, device=device))

    def remove(self, name: str, device: str) -> None:
        """Remove a runtime no job uses."""
        self._http.request("DELETE", f"/runtimes/{quote(name)}/{device}")

    def doctor(self, name: str, device: str) -> RuntimeReport:
        """Check an installed runtime."""
        return self._http.get(f"/runtimes/{quote(name)}/{device}/doctor", RuntimeReport)

    def task(self, ident: str) -> Task:
        """Return the state of background work."""
        return self._http.get(f"/tasks/{quote(ident)}", Task)
