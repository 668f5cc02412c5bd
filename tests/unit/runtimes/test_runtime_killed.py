"""A build that is really killed (SIGKILL) while pip fetches a package."""

import multiprocessing
import os
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from wheels import digest, write_wheel

from starforge.i18n import Text
from starforge.runtimes import build, find, install, installed, registry, spec

LOCK = "alpha==1.0\n"
SPEC = spec.Runtime(
    name="tiny", device="cpu", title=Text("tiny", "微型"), lock=LOCK, digest=digest(LOCK),
    imports=["alpha"], size=1 << 20,
)  # fmt: skip


@pytest.fixture
def index(tmp_path, monkeypatch):
    """An index whose one package does not come before ``go`` is set; ``asked`` when it is."""
    wheel = write_wheel(tmp_path, "alpha", "1.0", "def say():\n    print('alpha speaks')\n")
    asked, go = threading.Event(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path.endswith(".whl"):
                asked.set()
                go.wait()
                self.answer("application/zip", wheel.read_bytes())
            else:
                self.answer("text/html", f"<a href='/{wheel.name}'>{wheel.name}</a>".encode())

        def answer(self, kind, data):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_args):
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_args):
            """Whoever asked may be dead by then: that is the point."""

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("STARFORGE_RUNTIMES", raising=False)
    for module in (build, registry):
        monkeypatch.setattr(module, "get_spec", lambda name, device: SPEC)
    monkeypatch.setattr(registry, "names", lambda: ["tiny"])
    yield asked, go
    go.set()
    server.shutdown()
    server.server_close()


def inside(folder: Path) -> list[int]:
    """Return the processes whose command names something in ``folder``."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes()
        except OSError:
            continue
        if os.fsencode(folder) in command:
            found.append(int(entry.parent.name))
    return found


def test_a_killed_build_leaves_nothing_that_works_or_lives(index, tmp_path):
    asked, go = index
    home = tmp_path / "home"
    building = home / "runtimes" / f".building-{SPEC.folder}-"
    child = multiprocessing.get_context("fork").Process(
        target=install, args=("tiny", "cpu"), kwargs={"home": home}
    )
    child.start()
    assert asked.wait(120)
    assert inside(building)  # pip waits for its package
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    deadline = time.monotonic() + 30
    while inside(building):
        # An orphaned pip would write into the next build, which has the same place.
        assert time.monotonic() < deadline, "pip lives on"
        time.sleep(0.05)
    assert list(building.parent.glob(f"{building.name}*"))
    assert find(home, "tiny", "cpu") is None
    assert installed(home) == []

    go.set()
    made = install("tiny", "cpu", home=home)
    assert made == find(home, "tiny", "cpu")
    hidden = [path.name for path in made.path.parent.iterdir() if path.name.startswith(".")]
    assert hidden == [f".{SPEC.folder}.lock"]
