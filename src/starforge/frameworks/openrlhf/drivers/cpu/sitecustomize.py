"""Python runs this at its start, where its folder is on ``PYTHONPATH``.

So the stand-ins of ``cpu_patches`` reach every process of a job without a GPU: upstream's
entry, the workers that Ray starts, and vLLM's own children.
"""

import os

if os.environ.get("STARFORGE_OPENRLHF_CPU") == "1":
    import cpu_patches

    cpu_patches.install()
