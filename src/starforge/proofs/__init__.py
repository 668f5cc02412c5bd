"""Proofs that the pinned package accepts what the catalog publishes.

A case is a real plan: of an experiment as ``sf new`` makes it, and of the same experiment
with published parameters set away from their defaults. ``frameworks/<name>/proof.py`` runs
inside the framework's own environment and says whether upstream's parser takes the plan and
whether every value arrives with the meaning it was given.
"""

from __future__ import annotations

from starforge.proofs.cases import Case, cases_of
from starforge.proofs.run import Outcome, UnprovedError, prove

__all__ = ["Case", "Outcome", "UnprovedError", "cases_of", "prove"]
