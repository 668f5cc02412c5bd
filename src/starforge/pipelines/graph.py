"""Which stage waits for which, and in what order they can run."""

from __future__ import annotations

from collections.abc import Mapping

from starforge.pipelines.model import Stage


def needs_of(stage: Stage) -> list[str]:
    """Return all stages that a stage waits for: named, by what it takes, and by its gates."""
    taken = [result.stage for result in stage.results.values()]
    gates = [gate.stage for gate in stage.gates if gate.stage is not None]
    return list(dict.fromkeys([*stage.needs, *taken, *gates]))


def order(stages: Mapping[str, Stage]) -> list[str]:
    """Return the stages so that each comes after those it waits for.

    Those on a cycle, and what waits for them, are left out; so are unknown names.
    """
    done: list[str] = []
    left = dict(stages)
    while left:
        free = [
            name
            for name, stage in left.items()
            if all(need not in left or need == name for need in needs_of(stage))
            and name not in needs_of(stage)
        ]
        if not free:
            break
        done += free
        for name in free:
            del left[name]
    return done


def find_cycle(stages: Mapping[str, Stage]) -> list[str]:
    """Return one cycle as the names along it, the first repeated at the end; else nothing."""
    left = {name: stages[name] for name in stages if name not in set(order(stages))}
    # What only waits for a cycle is no part of it: walk until a name comes again.
    for start in left:
        path: list[str] = []
        name: str | None = start
        while name is not None and name not in path:
            path.append(name)
            name = next((need for need in needs_of(stages[name]) if need in left), None)
        if name is not None:
            return [*path[path.index(name) :], name]
    return []
