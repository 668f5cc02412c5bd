"""Tiny wheels written by hand, so that pip really installs something without a network."""

import hashlib
import zipfile
from pathlib import Path


def write_wheel(folder: Path, name: str, version: str, body: str) -> Path:
    """Write a pure-Python wheel with one module called ``name``."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": body,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name}-say = {name}:say\n",
    }
    record = "".join(f"{path},,\n" for path in files) + f"{info}/RECORD,,\n"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for entry, content in files.items():
            archive.writestr(entry, content)
        archive.writestr(f"{info}/RECORD", record)
    return path


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
