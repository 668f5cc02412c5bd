"""Files that should be the record of a job, and what is said of those that are not."""

import zipfile

import pytest

from starforge.client.recorded import load
from starforge.errors import StarForgeError


def zipped(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("_", "."), text)
    return path


def damaged(path):
    zipped(path, record_json="{" + "x" * 5000 + "}")
    data = bytearray(path.read_bytes())
    data[45:60] = bytes(15)  # within the compressed bytes of the only file
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("make", "english", "chinese"),
    [
        (lambda path: path, "there is no such file", "没有这个文件"),
        (lambda path: path.write_text("hello"), "it is no zip file", "它不是 zip 文件"),
        (lambda path: zipped(path, a="b"), "record.json is missing", "缺少 record.json"),
        (lambda path: zipped(path, record_json="[1]"), "it can't be read: ", "无法读取："),
        (lambda path: zipped(path, record_json="\0"), "it can't be read: ", "无法读取："),
        (damaged, "it can't be read: ", "无法读取："),
        (lambda path: path.mkdir(), "it can't be read: Is a directory", "无法读取："),
    ],
    ids=["none", "text", "no-index", "other-json", "no-json", "damaged", "folder"],
)
def test_what_is_no_record_is_said_in_both_languages(tmp_path, make, english, chinese):
    path = tmp_path / "a.sfrecord"
    make(path)
    with pytest.raises(StarForgeError) as caught:
        load(path)
    assert caught.value.code == "record/not-a-record"
    assert f"{path} is no record of a job: {english}" in caught.value.message.en
    assert f"{path} 不是任务记录：{chinese}" in caught.value.message.zh
    assert "sf job record" in caught.value.hint.zh
