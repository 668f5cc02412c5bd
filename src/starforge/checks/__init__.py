"""Checks: everything there is to say about a resolved experiment and its inputs."""

from __future__ import annotations

from starforge.checks.data import check_data
from starforge.checks.model import check_model
from starforge.checks.model_facts import check_model_facts
from starforge.checks.policies import check_policies
from starforge.checks.resources import check_resources
from starforge.checks.reward import check_reward
from starforge.checks.training import check_training
from starforge.findings import Finding
from starforge.lab.context import PrepareContext

__all__ = ["run_checks"]

CHECKS = (
    check_training, check_model, check_model_facts, check_data, check_reward, check_resources,
    check_policies,
)  # fmt: skip


def run_checks(context: PrepareContext) -> list[Finding]:
    """Return the findings of all checks. Reads data and model files, changes nothing.

    The user's own code (a reward file) runs only when ``context.trial`` says so.
    """
    return [finding for check in CHECKS for finding in check(context)]
