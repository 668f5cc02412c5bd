"""Benchmark packs: what is asked, how it is scored, and what makes scores comparable."""

from starforge.evals.generators import generate
from starforge.evals.library import bundled, find_pack, list_packs, pack_names
from starforge.evals.pack import Evalscope, Generated, Hub, Pack, Primary, load_pack
from starforge.evals.settings import make_settings, settings_digest

__all__ = [
    "Evalscope", "Generated", "Hub", "Pack", "Primary", "bundled", "find_pack", "generate",
    "list_packs", "load_pack", "make_settings", "pack_names", "settings_digest",
]  # fmt: skip
