"""Passwords and tokens in the files of an experiment, which are uploaded and kept.

A line with ``not-a-secret`` in it is accepted; for a file without comments, a line
``# not-a-secret: NAME`` in ``.sfignore`` accepts the file.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from starforge.findings import Finding, Location, rule
from starforge.i18n import Text
from starforge.lab.files import OwnFile
from starforge.lab.ignore import IGNORE_FILE

SECRET = rule(
    "bundle/secret", "error",
    title=Text("Secret that would be uploaded", "密钥会被上传"),
    message=Text("this looks like {kind.en}: `{masked}`", "这看起来是{kind.zh}：`{masked}`"),
    hint=Text("set it as an environment variable of the server, or name the file in .sfignore; "
              "if it is none, write `not-a-secret` in a comment on this line, or "
              "`# not-a-secret: {file}` in .sfignore",
              "请在服务的环境变量中设置，或把文件写入 .sfignore；如果不是密钥，"
              "请在本行注释中写 `not-a-secret`，或在 .sfignore 中写 `# not-a-secret: {file}`"),
    why=Text("The files of an experiment are kept with every job, for everyone who can read jobs.",
             "实验的文件会随每个任务保存，能查看任务的人都看得到。"),
    bad="a file with HF_TOKEN=hf_... in it", good='os.environ["HF_TOKEN"]',
)  # fmt: skip

MAX_BYTES = 16 << 20
"""Larger files are data or weights, and are not searched."""
ACCEPTED = "not-a-secret"
_KINDS: tuple[tuple[str, Text], ...] = (
    (r"\bhf_[A-Za-z0-9]{30,}", Text("a Hugging Face token", " Hugging Face 令牌")),
    (r"\bsk-(?:[A-Za-z0-9]+-)*[A-Za-z0-9_-]{20,}", Text("an API key", " API 密钥")),
    (r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", Text("an AWS access key", " AWS 访问密钥")),
    (r"\bgh[pousr]_[A-Za-z0-9]{36,}", Text("a GitHub token", " GitHub 令牌")),
    (r"\bgithub_pat_[A-Za-z0-9_]{50,}", Text("a GitHub token", " GitHub 令牌")),
    (r"\bglpat-[A-Za-z0-9_-]{20,}", Text("a GitLab token", " GitLab 令牌")),
    (r"\bxox[abprs]-[A-Za-z0-9-]{20,}", Text("a Slack token", " Slack 令牌")),
    (r"\bAIza[0-9A-Za-z_-]{35}", Text("a Google API key", " Google API 密钥")),
    (r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----", Text("a private key", "私钥")),
)  # fmt: skip
_KNOWN = re.compile("|".join(f"(?P<k{number}>{kind})" for number, (kind, _) in enumerate(_KINDS)))
_NAMED = re.compile(
    r"(?:token|api[_-]?key|secret|secret[_-]?key|access[_-]?key|passw(?:or)?d)"
    r"[\"']?\s*[:=]\s*[\"']?(?P<value>[A-Za-z0-9+/_=~-]{20,})",
    re.IGNORECASE,
)
_NAMED_KIND = Text("a password or key", "密码或密钥")
_RANDOM = 3.5  # bits a letter; words and paths have less, or no digits


class Hit(msgspec.Struct, frozen=True):
    """A secret: what kind, where in the text, and the value itself (never shown)."""

    kind: Text
    start: int
    value: str


def search(text: str) -> Iterator[Hit]:
    """Yield what looks like a secret, in order, each place once."""
    hits = [
        Hit(_KINDS[int(str(match.lastgroup)[1:])][1], match.start(), match[0])
        for match in _KNOWN.finditer(text)
    ]
    taken = {hit.value for hit in hits}
    for match in _NAMED.finditer(text):
        value = match["value"]
        if not any(value in one or one in value for one in taken) and _is_random(value):
            hits.append(Hit(_NAMED_KIND, match.start("value"), value))
    return iter(sorted(hits, key=lambda hit: hit.start))


def _is_random(value: str) -> bool:
    counts = Counter(value)
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    digits = sum(letter.isdigit() for letter in value)
    return bits >= _RANDOM and digits >= 3 and any(letter.isalpha() for letter in value)


def find_secrets(files: list[OwnFile], sets: Sequence[str] = ()) -> tuple[list[Finding], list[str]]:
    """Return the findings of all files and ``--set`` texts, and the values to be masked."""
    findings: list[Finding] = []
    values: list[str] = []
    accepted = _accepted_files(files)
    for one in files:
        if one.name in accepted or one.size > MAX_BYTES:
            continue
        data = one.path.read_bytes()
        if b"\0" in data[:8192]:
            continue
        for hit, line, column in _placed(data.decode("utf-8", "replace")):
            at = Location(file=one.name, line=line, column=column)
            findings.append(SECRET.at(at, kind=hit.kind, masked=masked(hit), file=one.name))
            values.append(hit.value)
    for text in sets:
        for hit in search(text):
            at = Location(key="--set")
            findings.append(SECRET.at(at, kind=hit.kind, masked=masked(hit), file="config.yaml"))
            values.append(hit.value)
    return findings, values


def _accepted_files(files: list[OwnFile]) -> set[str]:
    ignore = next((one for one in files if one.name == IGNORE_FILE), None)
    if ignore is None:
        return set()
    text = ignore.path.read_text("utf-8", "replace")
    return {name.strip() for name in re.findall(rf"^# *{ACCEPTED}:(.+)$", text, re.MULTILINE)}


def _placed(text: str) -> Iterator[tuple[Hit, int, int]]:
    for hit in search(text):
        start = text.rfind("\n", 0, hit.start) + 1
        end = text.find("\n", hit.start)
        if ACCEPTED not in text[start : end if end >= 0 else None]:
            yield hit, text.count("\n", 0, hit.start) + 1, hit.start - start + 1


def masked(hit: Hit) -> str:
    """Return what may be shown of a secret: the mark of its kind and how long it is."""
    if hit.value.startswith("-----"):
        return hit.value
    known = re.match(r"hf_|sk-|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AIza", hit.value)
    return f"{known[0] if known else ''}…({len(hit.value)})"


def mask(findings: list[Finding], values: list[str]) -> list[Finding]:
    """Return the findings without any of the secret ``values`` in texts and values."""
    hidden = sorted({v for v in values if not v.startswith("-----")}, key=len, reverse=True)
    if not hidden:
        return findings
    pattern = re.compile("|".join(re.escape(value) for value in hidden))
    return [_masked(finding, pattern) for finding in findings]


def _masked(finding: Finding, pattern: re.Pattern[str]) -> Finding:
    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return pattern.sub("…", value)
        if isinstance(value, Text):
            return Text(clean(value.en), clean(value.zh))
        if isinstance(value, dict):
            return {clean(key): clean(item) for key, item in value.items()}
        return [clean(item) for item in value] if isinstance(value, list) else value

    at = msgspec.structs.replace(
        finding.at, value=clean(finding.at.value), key=clean(finding.at.key)
    )
    return msgspec.structs.replace(
        finding, message=clean(finding.message), hint=clean(finding.hint), at=at
    )
