import json
import os
import socket

import pytest
from ingest_server import TAG

from starforge.runner import server as server_module
from starforge.runner import ship
from starforge.runner.journal import Journal
from starforge.runner.launch import StreamSpec
from starforge.runner.server import IngestServer, ServerAwayError, delay
from starforge.runner.ship import Shipper
from starforge.runner.tail import Tail

STREAMS = [
    StreamSpec(format="report", path="metrics/*.jsonl"),
    StreamSpec(format="log", path="logs/*.log"),
]
LINE = b'{"t":1,"s":1,"v":{"loss":1}}\n'


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(ship, "_INTERVAL", 0.05)
    monkeypatch.setattr(server_module, "_FIRST_DELAY", 0.01)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "metrics").mkdir()
    (tmp_path / "logs").mkdir()
    return tmp_path


@pytest.fixture
def shipping(folder, server):
    made = []

    def start(**more):
        connection = IngestServer(server.url, "secret", TAG, timeout=5, **more)
        journal = Journal(folder / "runner.log")
        made.append(Shipper(Tail(folder, STREAMS), connection, journal))
        made[-1].start()
        return made[-1]

    yield start
    for shipper in made:
        shipper.close()


def append(path, data):
    with path.open("ab") as handle:
        handle.write(data)


def test_files_arrive_as_they_grow(folder, server, shipping, until):
    shipper = shipping()
    append(folder / "metrics/a.jsonl", LINE)
    append(folder / "logs/t-0.log", b"half a li")
    until(lambda: server.streams.get("logs/t-0.log") == b"half a li")
    append(folder / "logs/t-0.log", b"ne\n")
    append(folder / "metrics/b c.jsonl", LINE * 2)
    shipper.finish()
    until(lambda: shipper.done)
    assert server.streams == {
        "metrics/a.jsonl": LINE, "metrics/b c.jsonl": LINE * 2, "logs/t-0.log": b"half a line\n",
    }  # fmt: skip
    assert server.formats["metrics/a.jsonl"] == "report"


def test_half_a_record_waits_for_its_rest(folder, server, shipping, until):
    append(folder / "metrics/a.jsonl", LINE + LINE[:10])
    shipper = shipping()
    until(lambda: server.streams.get("metrics/a.jsonl") == LINE)
    sent = len(server.requests)
    append(folder / "logs/t.log", b"x")  # a later turn: the half isn't sent again meanwhile
    until(lambda: "logs/t.log" in server.streams)
    assert [path for _, path in server.requests[sent:]] == ["/logs/t.log"]
    append(folder / "metrics/a.jsonl", LINE[10:])
    shipper.finish()
    until(lambda: shipper.done)
    assert server.streams["metrics/a.jsonl"] == LINE * 2


def test_long_files_go_in_chunks_and_metrics_first(folder, server, shipping, until, monkeypatch):
    monkeypatch.setattr(ship, "CHUNK", 1000)
    data = os.urandom(10_500)
    append(folder / "logs/t.log", data)
    append(folder / "metrics/a.jsonl", LINE)
    shipper = shipping()
    shipper.finish()
    until(lambda: shipper.done)
    assert server.streams["logs/t.log"] == data
    puts = [path for method, path in server.requests if method == "PUT"]
    assert puts[0] == "/metrics/a.jsonl"
    assert len(puts) == 12


def test_it_goes_on_where_the_server_is(folder, server, shipping, until):
    """The server has part already, as after a restart of either side."""
    server.streams["logs/t.log"] = bytearray(b"12345")
    append(folder / "logs/t.log", b"1234567890")
    shipper = shipping()
    shipper.finish()
    until(lambda: shipper.done)
    assert server.streams["logs/t.log"] == b"1234567890"


def test_409_is_followed_both_ways(folder, server, shipping, until):
    append(folder / "logs/t.log", b"0123456789")
    shipper = shipping()
    until(lambda: server.streams.get("logs/t.log") == b"0123456789")
    with server.lock:  # it lost its last seconds, say a restored backup
        server.streams["logs/t.log"] = bytearray(b"012")
    append(folder / "logs/t.log", b"abc")
    until(lambda: server.streams["logs/t.log"] == b"0123456789abc")
    with server.lock:  # another took the rest from the folder
        append(folder / "logs/t.log", b"def")
        server.streams["logs/t.log"] += b"def"
    append(folder / "logs/t.log", b"g")
    shipper.finish()
    until(lambda: shipper.done)
    assert server.streams["logs/t.log"] == b"0123456789abcdefg"


def test_cut_connections_lose_and_double_nothing(folder, server, shipping, until):
    cuts = iter(range(100))

    def trouble(method, path, handler):
        if method != "PUT":
            return None
        n = next(cuts)
        if n % 3 == 0:  # cut in the middle of the body
            handler.rfile.read(100)
            handler.connection.shutdown(socket.SHUT_RDWR)
            return True
        if n % 3 == 1:  # taken, but the answer is lost
            body = handler.rfile.read(int(handler.headers["Content-Length"]))
            offset = int(handler.path.split("offset=")[1].split("&")[0])
            server.take(path[1:], "log", offset, body)
            handler.connection.shutdown(socket.SHUT_RDWR)
            return True
        return None

    server.trouble = trouble
    shipper = shipping()
    data = b""
    for n in range(6):
        piece = f"piece {n}\n".encode() * 500
        data += piece
        append(folder / "logs/t.log", piece)
        until(lambda data=data: server.streams.get("logs/t.log") == data)
    shipper.finish()
    until(lambda: shipper.done)
    assert server.streams["logs/t.log"] == data


def test_errors_of_the_server_are_waited_out(folder, server, shipping, until):
    left = [503, 500, 429]

    def trouble(method, path, handler):
        if method == "PUT" and left:
            handler.rfile.read(int(handler.headers["Content-Length"]))
            handler.answer(left.pop(), {})
            return True
        return None

    server.trouble = trouble
    append(folder / "logs/t.log", b"x")
    shipper = shipping()
    shipper.finish()
    until(lambda: shipper.done)
    assert server.streams["logs/t.log"] == b"x"
    assert "the server is back after" in (folder / "runner.log").read_text()


def test_one_refused_stream_does_not_hold_up_the_others(folder, server, shipping, until):
    def trouble(method, path, handler):
        if path == "/logs/bad.log":
            handler.rfile.read(int(handler.headers["Content-Length"]))
            handler.answer(400, {"error": "no"})
            return True
        return None

    server.trouble = trouble
    append(folder / "logs/bad.log", b"x")
    append(folder / "logs/good.log", b"y")
    shipper = shipping()
    shipper.finish()
    until(lambda: shipper.done)
    assert server.streams == {"logs/good.log": b"y"}
    assert "refuses logs/bad.log" in (folder / "runner.log").read_text()


def test_a_server_with_a_lower_limit_gets_smaller_chunks(folder, server, shipping, until):
    def trouble(method, path, handler):
        size = int(handler.headers.get("Content-Length") or 0)
        if size > 1_000_000:
            handler.rfile.read(size)
            handler.answer(413, {})
            return True
        return None

    server.trouble = trouble
    data = os.urandom(3_000_000)
    append(folder / "logs/t.log", data)
    shipper = shipping()
    shipper.finish()
    until(lambda: shipper.done)
    assert server.streams["logs/t.log"] == data


def test_the_server_is_found_again_at_its_new_address(folder, server, shipping, until):
    known = folder / "server.json"
    known.write_text(json.dumps({"url": server.url}))
    gone = socket.socket()
    gone.bind(("127.0.0.1", 0))
    url, server.url = server.url, f"http://127.0.0.1:{gone.getsockname()[1]}"
    append(folder / "logs/t.log", b"x")
    shipper = shipping(server_file=str(known))
    shipper.finish()
    until(lambda: shipper.done)
    gone.close()
    assert server.streams["logs/t.log"] == b"x"
    assert url != server.url


def test_a_wrong_token_is_tried_on_not_done(folder, server, until):
    connection = IngestServer(server.url, "wrong", TAG, timeout=5)
    append(folder / "logs/t.log", b"x")
    shipper = Shipper(Tail(folder, STREAMS), connection, Journal(folder / "runner.log"))
    shipper.start()
    shipper.finish()
    until(lambda: len(server.requests) > 3)
    assert not shipper.done
    shipper.close()
    assert server.streams == {}


def test_a_file_that_became_shorter_is_said_once(folder, server, shipping, until):
    server.streams["logs/t.log"] = bytearray(b"1234567890")
    append(folder / "logs/t.log", b"123")
    shipper = shipping()
    shipper.finish()
    until(lambda: shipper.done)
    assert (folder / "runner.log").read_text().count("shorter") == 1


def test_a_dead_address_is_away():
    with socket.socket() as gone:
        gone.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{gone.getsockname()[1]}"
        with pytest.raises(ServerAwayError):
            IngestServer(url, "secret", TAG).offsets()
    with pytest.raises(ServerAwayError):
        IngestServer("http://[nonsense", "secret", TAG).offsets()


def test_delays_double_with_jitter_up_to_the_longest():
    for failures in range(40):
        full = min(10.0, server_module._FIRST_DELAY * 2**failures)
        assert full / 2 <= delay(failures, 10.0) <= full


def test_tail_takes_regular_files_inside_only(folder):
    append(folder / "metrics/a.jsonl", b"x")
    os.mkfifo(folder / "metrics/pipe.jsonl")
    (folder / "metrics/dir.jsonl").mkdir()
    (folder / "metrics/link.jsonl").symlink_to("nowhere")
    (folder / "metrics" / os.fsdecode(b"\xff.jsonl")).write_bytes(b"x")
    (folder.parent / "outside.jsonl").write_bytes(b"x")
    streams = [*STREAMS, StreamSpec(format="report", path="../*.jsonl")]
    assert [file.path for file in Tail(folder, streams).scan()] == ["metrics/a.jsonl"]
    (folder.parent / "outside.jsonl").unlink()


def test_the_first_stream_that_matches_gives_the_format(folder):
    append(folder / "metrics/a.jsonl", b"x")
    streams = [StreamSpec(format="samples", path="metrics/a*"), *STREAMS]
    assert [file.format for file in Tail(folder, streams).scan()] == ["samples"]
