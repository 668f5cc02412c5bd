"""Make verl's checkpoints safe to interrupt; loaded by verl as an external module.

verl deletes an older checkpoint when the newer one's weights are written, but before the
tracker names that, and forgets those of earlier attempts: a job killed in between has nothing
to go on from. The job's driver deletes them instead (``verl_checkpoints.tidy``).

And a data loader whose state was saved after the last batch of an epoch comes back spent: its
first round is empty, and with it one of the epochs would pass without a step.
"""

from __future__ import annotations

import itertools
from typing import Any

from torchdata.stateful_dataloader import StatefulDataLoader
from verl.utils.checkpoint.checkpoint_manager import BaseCheckpointManager

SPENT = object()
_original = StatefulDataLoader.__iter__


def _keep(self: Any, *_args: Any, **_kwargs: Any) -> None:
    """Delete nothing."""


def iterate(self: Any) -> Any:
    """Begin a round; one that continues a spent round begins the next instead."""
    continued = self.next_iter_state is not None
    iterator = _original(self)
    if not continued:
        return iterator
    first = next(iterator, SPENT)
    return _original(self) if first is SPENT else itertools.chain([first], iterator)


BaseCheckpointManager.ensure_checkpoint_capacity = _keep
BaseCheckpointManager.register_checkpoint = _keep
StatefulDataLoader.__iter__ = iterate
