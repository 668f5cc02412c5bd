"""Jobs and plans for tests of the store."""

from starforge.plan import LaunchPlan, Policies, Resources
from starforge.server.store.records import NewJob


def make_plan(**changes):
    values = {
        "method": "trl/sft",
        "framework": "trl",
        "version": "1.10.0",
        "recipe_digest": "r",
        "contract_digest": "c",
        "runtime": None,
        "processes": [],
        "files": [],
        "config": {"learning_rate": 1e-5},
        "differs": [],
        "checkpoints": None,
        "metrics": [],
        "inputs": [],
        "resources": Resources(cpus=2),
        "policies": Policies(),
        "total_steps": 100,
    }
    return LaunchPlan(**{**values, **changes})


def make_job(**changes):
    plan = changes.pop("plan", None) or make_plan()
    values = {
        "name": "my-sft",
        "plan": plan,
        "plan_digest": plan.digest(),
        "experiment": {"method": plan.method},
        "bundle": None,
        "token_hash": "t",
    }
    return NewJob(**{**values, **changes})
