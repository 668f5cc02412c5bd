"""The files of the console, as a browser gets them."""

import gzip

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from starforge.server.console import Console, SafeHeaders


@pytest.fixture
def static(tmp_path):
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / ".vite").mkdir()
    (folder / ".vite" / "manifest.json").write_text("{}")
    (folder / "index.html").write_text("<!doctype html><title>page</title>")
    (folder / "assets" / "index-abc.js").write_text("console.log(1);" * 100)
    (folder / "favicon.svg").write_text("<svg/>")
    (tmp_path / "secret").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    return folder


@pytest.fixture
def browser(static):
    app = Starlette()
    app.router.default = Console(app.router.not_found, static)
    app.add_middleware(SafeHeaders)
    with TestClient(app) as made:
        yield made


@pytest.mark.parametrize("path", ["/", "/jobs", "/jobs/abc/charts", "/login", "/methods/trl/sft"])
def test_every_page_is_the_console(browser, path):
    answer = browser.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (
        200,
        "text/html; charset=utf-8",
    )
    assert answer.headers["cache-control"] == "no-cache"
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_hashed_files_are_kept_and_packed(browser):
    answer = browser.get("/assets/index-abc.js", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < 100
    assert answer.text == "console.log(1);" * 100
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")
    plain = browser.get("/assets/index-abc.js", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    again = browser.get("/assets/index-abc.js", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("accepted", "sent"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, BR;q=0.1", "br"),
        ("gzip;q=1.0", "gzip"),
        ("gzip, br;q=0", "gzip"),
        ("gzip;q=0, br; q=0.000", None),
        ("identity", None),
        ("", None),
    ],
)
def test_what_the_build_packed_is_sent_as_it_is(browser, static, accepted, sent):
    body = (static / "assets" / "index-abc.js").read_bytes()
    packed = {"br": b"as the build packed it", "gzip": gzip.compress(body, 1)}
    (static / "assets" / "index-abc.js.br").write_bytes(packed["br"])
    (static / "assets" / "index-abc.js.gz").write_bytes(packed["gzip"])
    wanted = {"Accept-Encoding": accepted}
    with browser.stream("GET", "/assets/index-abc.js", headers=wanted) as answer:
        assert b"".join(answer.iter_raw()) == packed.get(sent, body)
    assert answer.headers.get("content-encoding") == sent
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]


def test_the_icon_is_kept_for_a_while_and_pages_are_asked_for(browser):
    assert browser.get("/favicon.svg").headers["cache-control"] == "public, max-age=86400"
    assert browser.get("/index.html").headers["cache-control"] == "no-cache"


def test_a_new_build_is_served_at_once(browser, static):
    browser.get("/")
    (static / "index.html").write_text("<!doctype html><title>the new page</title>")
    assert "the new page" in browser.get("/").text


@pytest.mark.parametrize(
    "path",
    [
        "/../secret",
        "/..%2fsecret",
        "/%2e%2e/secret",
        "/assets/../../secret",
        "/assets/..%2f..%2fsecret",
        "//etc/passwd",
        "/%2fetc%2fpasswd",
        "/link",
        "/.vite/manifest.json",
        "/%00",
        "/assets/" + "a" * 5000,
    ],
)
def test_nothing_outside_is_served(browser, path):
    answer = browser.get(path)
    assert answer.status_code in (200, 404)
    assert answer.status_code == 404 or "<title>page" in answer.text


@pytest.mark.parametrize(
    "path", ["/api/v1/nothing", "/api", "/ingest/x", "/metrics/x", "/assets/old.js"]
)
def test_what_is_no_page_is_not_found(browser, path):
    assert browser.get(path).status_code == 404


def test_pages_are_only_read(browser):
    assert browser.post("/jobs").status_code == 404
    assert browser.head("/jobs").content == b""


def test_without_a_build_it_says_how(tmp_path):
    app = Starlette()
    app.router.default = Console(app.router.not_found, tmp_path)
    with TestClient(app) as browser:
        answer = browser.get("/", headers={"Accept-Language": "zh-CN"})
    assert answer.status_code == 503
    assert answer.text.index("尚未构建") < answer.text.index("has not been built")
    assert answer.text.count("make console") == 2
    assert "<script" not in answer.text
