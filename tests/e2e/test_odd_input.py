"""Odd and hostile input through the real API: bundles, names, logs, searches, metrics."""

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import time

import pytest
from e2e_harness import Server, free_port, send, wait_ended

from starforge.client.errors import ServerError
from starforge.errors import StarForgeError
from starforge.wire.jobs import SubmitRequest

pytestmark = pytest.mark.e2e

EXPERIMENT = json.dumps({"method": "custom/custom"}).encode()
BASE = [("experiment.yaml", EXPERIMENT), ("train.sh", b"echo ran\n")]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One server for everything here that leaves no job running."""
    server = Server(
        tmp_path_factory.mktemp("odd") / "home",
        {"STARFORGE_MAX_METRICS": "50", "STARFORGE_BUNDLE_FILES": "300"},
    ).start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def api(shared):
    return shared.client()


def bundle(*members):
    """Make a bundle; a member is ``(name, bytes)`` or a TarInfo."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz", compresslevel=1) as archive:
        for one in members:
            info = one if isinstance(one, tarfile.TarInfo) else tarfile.TarInfo(one[0])
            if isinstance(one, tarfile.TarInfo):
                archive.addfile(info)
            else:
                info.size = len(one[1])
                archive.addfile(info, io.BytesIO(one[1]))
    return raw.getvalue()


def special(name, kind, target="", **more):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    for key, value in more.items():
        setattr(info, key, value)
    return info


def submit(api, data, **more):
    digest = hashlib.sha256(data).hexdigest()
    api.blobs.put(digest, data)
    return api.jobs.submit(SubmitRequest(bundle=digest, inputs=[], **more))


def left_over(server):
    jobs = server.home / "jobs"
    return [path.name for path in jobs.iterdir() if path.name.startswith(".")]


UNSAFE = {
    "absolute": ("/tmp/evil", b"x"),
    "above": ("../evil", b"x"),
    "above, later": ("a/../../evil", b"x"),
    "symbolic link out": special("link", tarfile.SYMTYPE, "/etc/passwd"),
    "hard link out": special("link", tarfile.LNKTYPE, "/etc/passwd"),
    "hard link above": special("link", tarfile.LNKTYPE, "../../token"),
    "character device": special("null", tarfile.CHRTYPE, devmajor=1, devminor=3),
    "block device": special("disk", tarfile.BLKTYPE, devmajor=8),
    "fifo": special("pipe", tarfile.FIFOTYPE),
    "twice": ("train.sh", b"echo other\n"),
    "other case": ("Train.SH", b"echo other\n"),
    "file as folder": ("train.sh/x", b""),
    "newline": ("a\nb", b""),
    "backslash": ("a\\b", b""),
    "very long part": ("x" * 300, b""),
    "very long path": ("/".join(["d" * 50] * 100), b""),
}


@pytest.mark.parametrize("what", UNSAFE)
def test_unsafe_bundles_are_refused_whole(shared, api, what):
    with pytest.raises(ServerError) as caught:
        submit(api, bundle(*BASE, UNSAFE[what]))
    assert caught.value.code == "bundle/unsafe", caught.value.message.en
    assert left_over(shared) == []
    assert api.jobs.page().total == 0 or all(job.name != "evil" for job in api.jobs.page().jobs)


def test_unicode_forms_of_one_name_are_refused(api):
    with pytest.raises(ServerError) as caught:
        submit(api, bundle(*BASE, ("caf\u00e9", b""), ("cafe\u0301", b"")))
    assert caught.value.code == "bundle/unsafe"


@pytest.mark.parametrize(
    "extra",
    [
        [("big", bytes(60 << 20))],
        [(f"part{n}", bytes(45 << 20)) for n in range(5)],
        [(f"d/{n}", b"") for n in range(400)],
        [special(f"d/{n}", tarfile.DIRTYPE) for n in range(400)],
        [special("sparse", tarfile.GNUTYPE_SPARSE, size=1 << 40)],
    ],
    ids=["large file", "large together", "many files", "many folders", "sparse"],
)
def test_bombs_are_stopped_at_the_limits(shared, api, extra):
    with pytest.raises(ServerError) as caught:
        submit(api, bundle(*BASE, *extra))
    assert caught.value.code in ("bundle/too-large", "bundle/damaged")
    assert left_over(shared) == []


@pytest.mark.parametrize("data", [b"", b"no archive", bundle(*BASE)[:-200]])
def test_what_is_no_whole_archive_is_refused(shared, api, data):
    with pytest.raises(StarForgeError) as caught:
        submit(api, data)
    assert caught.value.code in ("bundle/damaged", "experiment/missing", "submit/invalid")
    assert left_over(shared) == []


def test_mode_bits_beyond_executable_do_not_arrive(shared, api):
    info = special("tool.sh", tarfile.REGTYPE, mode=0o6777)
    job = submit(api, bundle(*BASE, info))
    code = shared.home / "jobs" / job.id / "code"
    assert (code / "tool.sh").stat().st_mode & 0o7777 == 0o755
    assert (code / "train.sh").stat().st_mode & 0o7777 == 0o644
    assert wait_ended(api, job.id).state == "succeeded"


GOOD_NAMES = [
    "plain", "训练 №1", "🚀👨‍👩‍👧", "עברית", "<b>bold&amp;", "quote\"'`$(id)", "{brace} %s \\n",
    "-dash", "#hash?x=1&y", "a" * 200, "*", "job:x", "%2e%2e",
]  # fmt: skip
BAD_NAMES = [
    "", " ", ".", "..", "a/b", "new\nline", "tab\t", "nul\0", "\x1b[31mred", "\u202eevil", "\x85",
    "a" * 201, "a" * 10_000, " padded", "line\u2028", "\ud800",
]  # fmt: skip


def test_names_that_are_fine_work_everywhere(shared, api):
    made = {name: submit(api, bundle(*BASE), name=name) for name in GOOD_NAMES}
    for name, job in made.items():
        assert wait_ended(api, job.id).state == "succeeded"
        assert api.jobs.get(name).id == job.id
        assert [line.text for line in api.jobs.logs(name).lines] == ["ran"]
    listed = sf(shared, "job", "ls", "--limit", "100")
    for name, job in made.items():
        (row,) = [line for line in listed.splitlines() if line.startswith(job.id)]
        assert name in row
    assert {job["name"] for job in json.loads(sf(shared, "job", "ls", "--json"))} >= set(made)
    assert made["训练 №1"].id in sf(shared, "job", "show", "训练 №1")
    text = raw(shared, "GET", "/metrics", "")[1].decode()
    for line in text.splitlines():
        assert re.fullmatch(r"#.*|starforge_\w+(\{\w+=\"[\w.+]+\"\})? [0-9.e+]+", line), line
    assert {path.name for path in (shared.home / "jobs").iterdir()} >= {j.id for j in made.values()}


@pytest.mark.parametrize("name", BAD_NAMES, ids=lambda name: ascii(name)[:20])
def test_names_that_are_not_are_refused_clearly(shared, api, name):
    body = {"bundle": "0" * 64, "inputs": [], "name": name}
    answer = raw(shared, "POST", "/api/v1/jobs", json.dumps(body))
    assert answer[0] in (400, 422)
    error = json.loads(answer[1])["error"]
    assert error["code"] in ("job/name", "request/invalid")
    assert "\x1b" not in error["message"]
    assert "\n" not in error["message"]
    assert len(error["message"]) < 1000


def test_a_search_cannot_hold_up_the_server(api, experiment):
    job = send(api, experiment("""python3 -c 'print("a" * 60000 + "!")'; echo 'x (a+)+$ y'\n"""))
    wait_ended(api, job.id)
    began = time.monotonic()
    (found,) = api.jobs.logs(job.id, search="(a+)+$").lines
    assert found.text == "x (a+)+$ y"
    assert time.monotonic() - began < 20
    for text in ("((((", "[", "*", "\\", "a{99999}"):
        assert api.jobs.logs(job.id, search=text).lines == []
    with pytest.raises(ServerError) as caught:
        api.jobs.logs(job.id, search="a" * 2000)
    assert caught.value.code == "log/search"


WILD = """
mkdir -p "$STARFORGE_ATTEMPT_DIR/tensorboard"
echo 'not TensorBoard, but long enough to be looked at' \
  > "$STARFORGE_ATTEMPT_DIR/tensorboard/events.out.tfevents.1"
: > "$STARFORGE_ATTEMPT_DIR/tensorboard/events.out.tfevents.2"
"$STARFORGE_PYTHON" - <<'PY'
import math, os, sys
from starforge import report
report.init(total_steps=5)
for step in (1, 2, 3, 2, 4):
    values = {"loss": step * 1.0, "bad": math.nan, "inf": math.inf, "new\\nline": 1.0}
    report.log(values | {f"many/{n}": 1.0 for n in range(30 * step)}, step=step)
report.finish()
sys.stdout.buffer.write(b"first\\n" + b"x" * 10_000_000 + b"\\n")
sys.stdout.buffer.write(bytes(range(256)) + b"\\nlast\\n")
PY
"""


def test_a_job_that_writes_wildly_is_taken_and_told(shared, api, experiment):
    job = send(api, experiment(WILD), name="wild")
    done = wait_ended(api, job.id)
    assert done.state == "succeeded"
    kinds = {(note.kind, note.path.split("/")[0]) for note in done.notes}
    assert {("damaged", "tensorboard"), ("names", "metrics"), ("renamed", "metrics")} <= kinds
    assert ("steps", "metrics") in kinds
    said = [one for one in api.jobs.events(job.id) if one.kind == "metric_limit"]
    assert len(said) == 1
    assert "50" in said[0].text

    curves = api.jobs.metrics(job.id)
    assert len(curves) == 50
    assert curves["loss"].step == [1, 2, 3, 4]
    assert curves["loss"].value == [1.0, 2.0, 3.0, 4.0]
    assert curves["bad"].value == curves["inf"].value == [None] * 4
    assert r"new\nline" in curves

    lines = api.jobs.logs(job.id, from_line=0).lines
    assert [line.text for line in (lines[0], lines[-1])] == ["first", "last"]
    assert len(lines[1].text) + lines[1].cut == 10_000_000
    assert len(lines[1].text) <= 64 * 1024
    whole = api.http.request("GET", f"/jobs/{job.id}/logs/raw").content
    assert whole == b"first\n" + b"x" * 10_000_000 + b"\n" + bytes(range(256)) + b"\nlast\n"
    shown = sf(shared, "job", "logs", "wild")
    assert f"[{lines[1].cut} more bytes" in shown
    told = sf(shared, "job", "show", "wild")
    assert "damaged records were skipped" in told
    assert "STARFORGE_MAX_METRICS" in told


RUDE = r"""
"$STARFORGE_PYTHON" - <<'PY'
import json, os
from pathlib import Path
folder = Path(os.environ["STARFORGE_ATTEMPT_DIR"])
rows = [
    {"path": "a\0b"}, {"path": "\ud800"}, {"path": "/etc/passwd"}, {"path": "x" * 9000},
    {"path": ""}, {"path": None}, [], "text", {"path": {"a": 1}, "kind": [], "name": {}},
    {"path": str(folder / "logs"), "kind": "k\0\ud800" + "k" * 9000,
     "name": "n\0\ud800\x1b" + "n" * 9000},
]
(folder / "artifacts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "{half")
(folder / "progress.json").write_text('{"step": 1e300, "total": 1e400, "time": "x"}')
board = folder / "tensorboard"
for name in ("d" * 250, "new\nline", "é" * 80, "normal"):
    (board / name).mkdir(parents=True)
    (board / name / "events.out.tfevents.1").write_bytes(b"rubbish" * 10)
(board / os.fsdecode(b"bytes-\xff")).mkdir()
(board / os.fsdecode(b"bytes-\xff") / "events.out.tfevents.1").write_bytes(b"rubbish" * 10)
(board / "loop").symlink_to(board)
(folder / "metrics").mkdir(exist_ok=True)
os.mkfifo(folder / "metrics" / "fifo.jsonl")
(folder / "metrics" / "dir.jsonl").mkdir()
(folder / "metrics" / "a.jsonl").write_text("\n".join([
    '{"t": 1, "s": 1e300, "v": {"loss": 1}}', '{"t": 1e999, "s": 1, "v": {"loss": 1e999}}',
    '{"t": -1e300, "s": 2, "v": {"loss": 123456789012345678901234567890' + "0" * 400 + "}}",
    '{"t": 1, "s": -9223372036854775808, "v": {"loss": true, "nested": {"a": 1}}}',
    "[" * 100_000, '{"t": 1, "s": 3, "v": {"loss": 3.0, "loss": 4.0}}', "null", "",
]) + "\n")
(folder / "samples").mkdir(exist_ok=True)
(folder / "samples" / "a.jsonl").write_text("\n".join([
    '{"s": 1, "t": 1e999, "prompt": "\\u0000\\ud800", "completion": "\\u001b[2J", "reward": NaN}',
    '{"s": 1e300, "prompt": "p", "completion": "c"}', '{"s": 2, "prompt": [], "completion": []}',
    '{"s": 3, "prompt": "p", "completion": "c", "reward": 1e999, "rewards": {"\\u0000": "x"}}',
]) + "\n")
(folder / "scores").mkdir(exist_ok=True)
(folder / "scores" / "a.jsonl").write_text("\n".join([
    json.dumps({"benchmark": "b\0\ud800", "metric": "m", "value": 1.0, "settings": {"a\0": "\0"},
                "items": 10**30, "t": 1e300, "stderr": float("inf"), "model": "x\0"}),
    json.dumps({"benchmark": "b" * 9000, "metric": "m", "value": float("nan"), "settings": []}),
]) + "\n")
(folder / "run.json").write_text("[")
model = Path(os.environ["STARFORGE_OUTPUT_DIR"]) / "model"
model.mkdir()
(model / "config.json").write_text("{}")
(model / os.fsdecode(b"weights-\xff")).write_bytes(b"w")
(model / "circle").symlink_to("..")
with (folder / "artifacts.jsonl").open("a") as out:
    out.write("\n" + json.dumps({"path": str(model), "kind": "model", "name": "模型"}) + "\n")
print("ran")
PY
"""


EVENTS = "events.out.tfevents.1"
NAMES = ("d" * 250, "é" * 80, "normal")


def test_a_rude_job_ends_all_the_same(shared, api, experiment):
    job = send(api, experiment(RUDE), name="rude")
    done = wait_ended(api, job.id, patience=15)
    assert (done.state, done.reason) == ("succeeded", "completed"), done.message
    assert [line.text for line in api.jobs.logs(job.id).lines] == ["ran"]
    curve = api.jobs.metrics(job.id)["loss"]
    assert curve.step == [-(1 << 63), 1, 2, 3]
    assert curve.value == [1.0, None, None, 4.0]
    assert [one.step for one in api.jobs.samples(job.id, sort="step").samples] == [1, 2, 3]
    assert len(api.jobs.scores(job.id)) == 2
    said = [one.text for one in api.jobs.events(job.id) if one.text]
    assert any("not a file of the job's folder" in text for text in said)
    assert any(r"new\nline" in text and "path of a stream" in text for text in said)
    damaged = [note.path for note in done.notes if note.kind == "damaged"]
    assert {len(path) for path in damaged} == {len(f"tensorboard/{n}/{EVENTS}") for n in NAMES}
    assert ("model", "模型") in {(one.kind, one.name) for one in done.outputs}
    (model,) = [one for one in api.models.all() if one.job == job.id]
    assert model.digest
    for words in (["show", "rude"], ["samples", "rude"], ["metrics", "rude"], ["ls"]):
        shown = sf(shared, "job", *words)
        assert "\x1b" not in shown
        assert "\0" not in shown
    for path in ("samples", "scores", "events", "series", "artifacts", "metrics", ""):
        assert raw(shared, "GET", f"/api/v1/jobs/{job.id}/{path}".rstrip("/"), "")[0] == 200
    assert raw(shared, "GET", "/api/v1/board", "")[0] == 200
    log = [json.loads(line) for line in (shared.home / "server.log").read_text().splitlines()]
    assert [line for line in log if line["level"] == "error"] == []


def test_a_second_server_on_one_home_leaves_the_first_alone(shared, api):
    second = shared.popen("--port", str(free_port()))
    code = second.wait(timeout=20)
    text = second.stderr.read()
    second.stderr.close()
    assert code == 1
    assert "already runs" in text
    assert "Traceback" not in text
    assert api.server().pid == shared.process.pid


def raw(server, method, path, body):
    import http.client

    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=20)
    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    try:
        connection.request(method, path, body.encode("utf-8", "surrogatepass"), headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def sf(server, *words):
    env = {k: v for k, v in os.environ.items() if not k.startswith("STARFORGE_")}
    env |= {"STARFORGE_URL": server.url, "STARFORGE_TOKEN": server.token, "SF_LANG": "en"}
    done = subprocess.run(
        [sys.executable, "-m", "starforge.cli.main", *words],
        env=env, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
