"""Files of streams with odd names, and links that lead in circles."""

import os

from starforge.runner.launch import StreamSpec
from starforge.runner.tail import Tail

BOARDS = StreamSpec(format="tensorboard", path="tensorboard/**/events.out.tfevents.*", names={})
LOGS = StreamSpec(format="log", path="logs/*.log", names={})


def paths(folder):
    return [file.path for file in Tail(folder, [BOARDS, LOGS]).scan()]


def put(folder, *path):
    file = folder.joinpath(*path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"x")
    return file


def test_a_link_in_a_circle_shows_each_file_once(tmp_path):
    put(tmp_path, "tensorboard", "run", "events.out.tfevents.1")
    put(tmp_path, "tensorboard", "events.out.tfevents.2")
    (tmp_path / "tensorboard" / "loop").symlink_to(tmp_path / "tensorboard")
    (tmp_path / "tensorboard" / "run" / "up").symlink_to("..")
    (tmp_path / "tensorboard" / "itself").symlink_to("itself")
    (tmp_path / "tensorboard" / "events.out.tfevents.3").symlink_to("events.out.tfevents.3")
    assert paths(tmp_path) == [
        "tensorboard/events.out.tfevents.2",
        "tensorboard/run/events.out.tfevents.1",
    ]


def test_a_linked_folder_is_followed(tmp_path):
    put(tmp_path, "elsewhere", "events.out.tfevents.1")
    (tmp_path / "job" / "tensorboard").mkdir(parents=True)
    (tmp_path / "job" / "tensorboard" / "run").symlink_to(tmp_path / "elsewhere")
    assert paths(tmp_path / "job") == ["tensorboard/run/events.out.tfevents.1"]


def test_names_that_cannot_name_a_stream_are_left_out(tmp_path):
    for name in ("a\nb.log", "esc\x1b.log", os.fsdecode(b"bytes-\xff.log"), "fine 甲.log"):
        put(tmp_path, "logs", name)
    os.mkfifo(tmp_path / "logs" / "pipe.log")
    (tmp_path / "logs" / "folder.log").mkdir()
    (tmp_path / "logs" / "gone.log").symlink_to("nowhere")
    assert paths(tmp_path) == ["logs/fine 甲.log"]
