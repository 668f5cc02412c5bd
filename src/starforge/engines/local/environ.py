"""What a job inherits from the server's environment: the machine's settings, no secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping

NAMES = frozenset(
    {
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM",
        "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "VIRTUAL_ENV", "OMP_NUM_THREADS",
        "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS",
        "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
        "http_proxy", "https_proxy", "no_proxy", "all_proxy",
    }
)  # fmt: skip
PREFIXES = (
    "LC_", "HF_", "TRANSFORMERS_", "TORCH_", "NCCL_", "WANDB_", "XDG_", "STARFORGE_JUDGE_",
)  # fmt: skip


def job_environ(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the part of the environment that runners and jobs get."""
    source = os.environ if environ is None else environ
    kept = {k: v for k, v in source.items() if k in NAMES or k.startswith(PREFIXES)}
    kept.setdefault("PATH", os.defpath)
    return kept
